import childProcess, { type ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import BetterSqlite from 'better-sqlite3';

/** The places of a risky call's life at which the process can be made to die, in their order. */
export const POINTS = [
  'in-park-tx', 'after-park', 'in-approve-tx', 'after-approve', 'in-dispatch-tx', 'after-dispatch-commit', 'before-send', 'after-write', 'after-response', 'in-result-tx', 'after-result',
] as const;
export type Point = (typeof POINTS)[number];

/**
 * What a call that was cut down at a place must have come to once the product runs again, and how often it ran. One that nobody had said yes to may
 * have been declined since.
 */
export const MUST_BE: Readonly<Record<Point, { readonly status: 200 | 504; readonly runs: readonly number[]; readonly maybeDeclined?: true }>> = {
  'in-park-tx': { status: 200, runs: [1], maybeDeclined: true },
  'after-park': { status: 200, runs: [1], maybeDeclined: true },
  'in-approve-tx': { status: 200, runs: [1] },
  'after-approve': { status: 200, runs: [1] },
  'in-dispatch-tx': { status: 200, runs: [1] },
  'after-dispatch-commit': { status: 504, runs: [0] },
  'before-send': { status: 504, runs: [0] },
  'after-write': { status: 504, runs: [0, 1] }, // the worker may have been ended with the bytes still in its pipe
  'after-response': { status: 504, runs: [1] },
  'in-result-tx': { status: 504, runs: [1] },
  'after-result': { status: 200, runs: [1] },
};

const STEPS = { parked: ['in-park-tx', 'after-park'], approved: ['in-approve-tx', 'after-approve'], executing: ['in-dispatch-tx', 'after-dispatch-commit'], executed: ['in-result-tx', 'after-result'] } as const;

/**
 * Lets this process kill itself at a place: the `nth` time it comes there after it was armed. It stands between the product and the two libraries
 * through which its steps become real, SQLite and the pipes of its children, so that no line of the product knows of it.
 */
export function plantFailpoints(): (point: Point, nth: number) => void {
  let armed: Point | undefined;
  let left = 0;
  const reach = (here: Point): void => {
    if (here !== armed) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  watchDatabase(reach);
  watchChildren(reach);
  return (point, nth) => {
    armed = point;
    left = nth;
  };
}

/** The status a statement writes for a handle, if it does. */
function statusWritten(sql: string, values: readonly unknown[]): keyof typeof STEPS | undefined {
  if (sql.startsWith('INSERT INTO handles')) return 'parked';
  if (!sql.startsWith('UPDATE handles SET')) return undefined;
  return (['approved', 'executing', 'executed'] as const).find((status) => values.includes(status));
}

function watchDatabase(reach: (here: Point) => void): void {
  const prototype = BetterSqlite.prototype as unknown as { prepare(sql: string): { run(...values: unknown[]): unknown } };
  const prepare = prototype.prepare;
  let written: keyof typeof STEPS | undefined;
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    const run = statement.run.bind(statement);
    statement.run = (...values) => {
      if (sql === 'BEGIN IMMEDIATE') written = undefined;
      written = statusWritten(sql, values) ?? written;
      if (sql !== 'COMMIT' || written === undefined) return run(...values);
      const [within, after] = STEPS[written];
      written = undefined;
      reach(within);
      const done = run(...values);
      reach(after);
      return done;
    };
    return statement;
  };
}

function watchChildren(reach: (here: Point) => void): void {
  const real = childProcess.spawn;
  const spawn = (...given: Parameters<typeof real>): ChildProcess => {
    const child = real(...given);
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) return child;
    let waiting = 0; // calls that were sent and not answered
    const write = stdin.write.bind(stdin) as (chunk: string | Uint8Array, done: (error?: Error | null) => void) => boolean;
    stdin.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
      const done = more.findLast((one) => typeof one === 'function') as ((error?: Error | null) => void) | undefined;
      const isCall = Buffer.from(chunk as Uint8Array).includes('"tools/call"');
      if (!isCall) return write(chunk, (error) => done?.(error));
      waiting += 1;
      reach('before-send');
      return write(chunk, (error) => {
        reach('after-write');
        done?.(error);
      });
    }) as typeof stdin.write;
    stdout.on('data', () => {
      if (waiting === 0) return;
      waiting -= 1;
      reach('after-response');
    });
    return child;
  };
  childProcess.spawn = spawn as typeof real;
  syncBuiltinESMExports();
}
