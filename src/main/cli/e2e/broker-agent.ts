import { PassThrough } from 'node:stream';
import type { Compiled, ChangeType } from '../../broker/index.ts';
import { compileChange } from '../../broker/index.ts';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Clock } from '../../../shared/vocabulary/time.ts';
import { CheckFailed } from './suite.ts';

/** Serves the broker over a pair of streams until the first ends; `runBrokerOverStdio`, or in a test one with a fault. */
export type ServeBroker = (given: {
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly clock: Clock;
  readonly compile: (changeType: ChangeType, spec: JsonValue) => Compiled;
}) => Promise<number>;

/** How the agent's client answers a question; undefined declares no elicitation, a promise that never comes true answers never. */
export type Human = ((message: string) => JsonObject | Promise<JsonObject>) | undefined;

/** A client of a broker of its own, whose clock and compiler the suite holds. */
export interface Agent {
  /** Calls a tool and gives what it told; `signal` cancels the call, and the answer is still waited for. */
  call(tool: string, args: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
  tools(): Promise<readonly string[]>;
  /** Everything the broker said, questions included. */
  readonly heard: readonly string[];
  readonly log: () => string;
  /** Moves its clock on. */
  pass(ms: number): void;
  /** From now on every specification compiles to another request than before. */
  drift(): void;
  close(): Promise<void>;
}

interface Line {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly message?: string };
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Starts a broker and shakes hands with it. */
export async function startAgent(serve: ServeBroker, env: Readonly<Record<string, string>>, human: Human): Promise<Agent> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const waiting = new Map<number | string, (line: Line) => void>();
  const heard: string[] = [];
  let log = '';
  let later = 0;
  let drifted = false;
  let ids = 0;

  const write = (message: JsonObject): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answer = async (id: number | string, message: string): Promise<void> => {
    try {
      write({ id, result: (await human?.(message)) ?? { action: 'cancel' } });
    } catch {
      write({ id, error: { code: -32603, message: 'the sample client broke' } });
    }
  };
  const take = (text: string): void => {
    heard.push(text);
    const line = JSON.parse(text) as Line;
    if (line.method === 'elicitation/create' && line.id !== undefined) void answer(line.id, line.params?.message ?? '');
    else if (line.method === undefined && line.id !== undefined) {
      waiting.get(line.id)?.(line);
      waiting.delete(line.id);
    }
  };
  let held = '';
  stdout.on('data', (part: Buffer) => {
    const lines = (held + part.toString('utf8')).split('\n');
    held = lines.pop() ?? '';
    lines.filter((line) => line !== '').forEach(take);
  });
  stderr.on('data', (part: Buffer) => (log += part.toString('utf8')));

  const compile = (changeType: ChangeType, spec: JsonValue): Compiled => compileChange(changeType, drifted && typeof spec === 'object' ? { ...(spec as JsonObject), name: 'something else' } : spec);
  const clock: Clock = { now: () => ({ wall: Date.now() + later, mono: Math.floor(performance.now()) + later, boot: 'suite' }) };
  const ended = serve({ env, stdin, stdout, stderr, clock, compile });
  ended.then(() => waiting.forEach((settle) => settle({ error: { code: 0, message: 'the broker ended' } })), () => undefined);

  const request = async (method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> => {
    const id = (ids += 1);
    const answered = new Promise<Line>((resolve) => waiting.set(id, resolve));
    write({ id, method, params });
    const cancel = (): void => write({ method: 'notifications/cancelled', params: { requestId: id } });
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const { result, error } = await answered;
    if (result === undefined) throw new CheckFailed(`${method} was answered with ${error?.message ?? 'nothing'}`);
    return result;
  };

  await request('initialize', { protocolVersion: '2025-11-25', capabilities: human === undefined ? {} : { elicitation: {} }, clientInfo: { name: 'countersign-suite', version: '1' } });
  write({ method: 'notifications/initialized' });
  return {
    heard,
    log: () => log,
    call: async (tool, args, signal) => (await request('tools/call', { name: tool, arguments: args }, signal))['structuredContent'] as JsonObject,
    tools: async () => ((await request('tools/list', {}))['tools'] as readonly JsonObject[]).map((tool) => tool['name'] as string),
    pass: (ms) => void (later += ms),
    drift: () => void (drifted = true),
    async close() {
      stdin.end();
      await ended;
    },
  };
}
