import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { runAgent } from './agent.ts';
import { MUST_BE, POINTS, type Point } from './failpoints.ts';
import { createLedger, judge, type Call, type Verdict } from './ledger.ts';

const VICTIM = path.join(import.meta.dirname, 'victim.ts');
const COUNTED = path.resolve(import.meta.dirname, '../support/workers/counted.mjs');
const AGENTS = ['local', 'second', 'third', 'fourth'] as const;
/** A life at a failpoint that does not come to it in this time is a fault of the proof. */
const PATIENCE_MS = 30_000;

export interface LaneOptions {
  readonly folder: string;
  readonly kills: number;
  /** Between 0 and 1, the same for the same seed. */
  readonly random: () => number;
  readonly progress: (line: string) => void;
}

export interface Tally {
  kills: number;
  /** Calls that were cut there, by how they ended. */
  readonly ends: Record<string, number>;
}

export interface LaneResult {
  readonly verdict: Verdict;
  readonly byPoint: ReadonlyMap<string, Tally>;
}

interface Life {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<unknown>;
  /** Makes it die the `nth` time it comes to this place. */
  arm(point: Point, nth: number): Promise<void>;
}

/**
 * One installation that is killed again and again: by turns at each failpoint with one agent, and at moments of no choosing with four. Looks after
 * every death whether the database is sound, both audit chains fit, and each cut call came to what its place allows.
 */
export async function runLane({ folder, kills, random, progress }: LaneOptions): Promise<LaneResult> {
  const data = path.join(folder, 'data');
  const journal = path.join(folder, 'journal');
  const config = path.join(folder, 'mcp.json');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(config, JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [COUNTED, journal], preflight_pattern: 'button:DROP' } } }));
  const faults: string[] = [];
  const fault = (sentence: string): void => void faults.push(sentence);
  const ledger = createLedger(fault);
  const byPoint = new Map<string, Tally>();
  const tokens = new Map<string, string>();
  let errors = '';

  const notes = (): readonly string[] => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : []);
  const runsByCall = (): Map<number, number> => {
    const runs = new Map<number, number>();
    for (const line of notes()) {
      if (!line.startsWith('call ')) continue;
      const { n } = (JSON.parse(line.slice(5)) as { readonly arguments: { readonly n: number } }).arguments;
      runs.set(n, (runs.get(n) ?? 0) + 1);
    }
    return runs;
  };

  function spawnVictim(): { readonly child: ChildProcess; readonly ended: Promise<unknown> } {
    const child = spawn(process.execPath, [VICTIM, data, config], {
      stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_COMPILE_CACHE: path.join(folder, '..', 'compiled') },
    });
    errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-4_000)));
    child.stdin.on('error', () => undefined); // it may be dead already
    return { child, ended: once(child, 'exit') };
  }

  async function live(): Promise<Life> {
    const { child, ended } = spawnVictim();
    const lines = readline.createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done === true) {
      await ended;
      throw new Error(`the product did not come up: ${errors}`);
    }
    return {
      child, ended, url: (JSON.parse(first.value) as { url: string }).url,
      async arm(point, nth) {
        child.stdin!.write(`${point} ${nth}\n`);
        await lines.next();
      },
    };
  }

  const tokenOf = (agent: string): string => (agent === 'local' ? readFileSync(path.join(data, 'client-token'), 'utf8').trim() : tokens.get(agent)!);
  async function control<T>(url: string, method: string, route: string, body?: unknown): Promise<T> {
    const response = await fetch(url + route, {
      method, headers: { authorization: `Bearer ${readFileSync(path.join(data, 'control-token'), 'utf8').trim()}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  }

  /** The first thing after each death, before anybody calls: the database is sound, and both chains fit. */
  async function inspect({ url }: Life): Promise<void> {
    const db = new BetterSqlite(path.join(data, 'countersign.db'), { readonly: true });
    const integrity = db.pragma('integrity_check', { simple: true });
    db.close();
    if (integrity !== 'ok') fault(`the database is damaged: ${String(integrity)}`);
    const verdict = await control<{ readonly ok: boolean }>(url, 'GET', '/v1/countersign/audit/verify');
    if (!verdict.ok) fault(`the audit does not fit: ${JSON.stringify(verdict)}`);
  }

  const agents = (life: Life, names: readonly string[], risky: number, atMost?: number): Promise<unknown> =>
    Promise.all(names.map((name) => runAgent({ name, url: life.url, token: tokenOf(name), ledger, risky, ...(atMost !== undefined && { atMost }) })));

  /** Ends the calls a death had cut, in a life nobody cuts short, and holds them against what their place allows. */
  async function settle(life: Life, cut: readonly Call[], where: string): Promise<void> {
    for (const name of new Set(cut.map(({ agent }) => agent))) await agents(life, [name], 10, 1);
    const runs = runsByCall();
    const tally = tallyOf(where);
    for (const { n, end, risky } of cut) {
      const told = `${risky ? '' : 'safe '}${end?.status === 504 ? 'unknown' : end?.status === 200 ? 'executed' : end?.status === 403 ? 'declined' : String(end?.status)}`;
      tally.ends[told] = (tally.ends[told] ?? 0) + 1;
      const must = (POINTS as readonly string[]).includes(where) ? MUST_BE[where as Point] : undefined;
      if (must?.maybeDeclined === true && end?.status === 403 && !runs.has(n)) continue;
      if (must !== undefined && (end?.status !== must.status || !must.runs.includes(runs.get(n) ?? 0))) fault(`call ${n}, cut ${where}, ended as ${String(end?.status)} after ${runs.get(n) ?? 0} runs`);
    }
  }

  async function dieAt(life: Life, point: Point): Promise<readonly Call[]> {
    await life.arm(point, 1 + Math.floor(random() * 3));
    const late = setTimeout(() => {
      fault(`${point} was not reached`);
      life.child.kill('SIGKILL');
    }, PATIENCE_MS);
    await Promise.all([agents(life, ['local'], 10), life.ended]);
    clearTimeout(late);
    return ledger.cut(point);
  }

  /** Killed from outside while four agents call. */
  async function dieAnywhere(life: Life): Promise<readonly Call[]> {
    setTimeout(() => life.child.kill('SIGKILL'), random() * 250);
    await Promise.all([agents(life, AGENTS, 7), life.ended]);
    return ledger.cut('at random');
  }

  /** Killed before it listens, with all that the death before has left. */
  async function dieStarting(): Promise<void> {
    const { child, ended } = spawnVictim();
    setTimeout(() => child.kill('SIGKILL'), random() * 800);
    await ended;
  }

  const tallyOf = (where: string): Tally => {
    const tally = byPoint.get(where) ?? { kills: 0, ends: {} };
    byPoint.set(where, tally);
    return tally;
  };

  let life = await live();
  for (const agent of AGENTS.slice(1)) tokens.set(agent, (await control<{ readonly token: string }>(life.url, 'POST', '/v1/countersign/clients', { name: agent })).token);

  for (let kill = 0; kill < kills; kill += 1) {
    const where = kill % 2 === 0 ? POINTS[(kill / 2) % POINTS.length]! : 'at random';
    tallyOf(where).kills += 1;
    const cut = where === 'at random' ? await dieAnywhere(life) : await dieAt(life, where);
    if (kill % 10 === 9) {
      tallyOf('while it starts').kills += 1;
      await dieStarting();
    }
    life = await live();
    await inspect(life);
    await settle(life, cut, where);
    if (kill % 20 === 19) progress(`${kill + 1} of ${kills} kills, ${ledger.calls.length} calls`);
  }
  await stop(life);

  const started = notes().flatMap((line) => (line.startsWith('start ') ? [line.slice(6)] : []));
  for (const pid of started) if (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(journal)) fault(`the worker ${pid} was left behind`);

  const db = new BetterSqlite(path.join(data, 'countersign.db'), { readonly: true });
  const statusOf = db.prepare<[string], { readonly status: string }>('SELECT status FROM handles WHERE id = ?');
  const runs = runsByCall();
  const verdict = judge(ledger.calls, (n) => runs.get(n) ?? 0, (handle) => statusOf.get(handle)?.status);
  db.close();
  return { verdict: { ...verdict, faults: [...faults, ...verdict.faults] }, byPoint };
}

async function stop({ child, ended }: Life): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}
