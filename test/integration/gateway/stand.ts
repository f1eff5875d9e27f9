import { randomBytes } from 'node:crypto';
import { createGateway, type Gateway } from '../../../src/main/gateway/gateway.ts';
import type { GatewayLimits } from '../../../src/main/gateway/ports.ts';
import { isFinal, type Handle, type HandleState } from '../../../src/main/approvals/index.ts';
import { compileCall } from '../../../src/main/canonical/index.ts';
import type { ClientRecord } from '../../../src/main/clients/ports.ts';
import type { Control } from '../../../src/main/control/index.ts';
import type { Dispatch, Resumption, Submission, Submitted } from '../../../src/main/dispatch/index.ts';
import type { Downstream, TargetFace } from '../../../src/main/dispatch/ports.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { createLog } from '../../../src/main/platform/log.ts';
import { ok, refused, type Result } from '../../../src/shared/result.ts';
import type { ClientId, HandleId, TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

export const CONTROL_TOKEN = 'control-token-of-the-stand';
export const ENDPOINT_KEY = 'ab'.repeat(32);

/** A target as the stand plays it. */
export interface FakeTarget {
  readonly lists?: Readonly<Record<string, Answer>>;
  /** Its lists are known without asking it. */
  readonly stored?: boolean;
  readonly face?: Partial<TargetFace>;
  readonly faceless?: Extract<Answer, { kind: 'fault' | 'lost' | 'error' }>;
}

export const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more });
export const listed = (member: string, items: readonly JsonObject[]): Answer => ({ kind: 'result', result: { [member]: items } });

const client = (id: string, patienceMs: number | null = null): ClientRecord => ({ id: id as ClientId, tokenHash: '', roles: [], createdAt: 0, revokedAt: null, patienceMs });

export interface StandOptions {
  readonly targets?: Readonly<Record<string, FakeTarget>>;
  readonly limits?: Partial<GatewayLimits>;
  readonly control?: Partial<Control>;
  readonly patienceMs?: number;
}

/** A real gateway over real HTTP with dispatch, targets, clients and control played in memory. */
export async function openStand({ targets = { fs: {} }, limits, control = {}, patienceMs }: StandOptions = {}) {
  const clients = new Map([
    ['token-alpha', client('alpha', patienceMs ?? null)],
    ['token-beta', client('beta')],
  ]);
  const known = new Map(Object.entries(targets));
  const listeners = new Set<(id: TargetId, what: 'tools' | 'prompts' | 'resources' | 'targets') => void>();
  const outlets = new Map<string, (id: TargetId, method: string, params: Record<string, unknown> | undefined) => void>();
  const handles = new Map<HandleId, Handle>();
  const waiters = new Map<HandleId, Set<(handle: Handle) => void>>();
  const seen = {
    submissions: [] as Submission[],
    resumptions: [] as Resumption[],
    downstreams: [] as Downstream[],
    told: [] as { session: string; method: string; params: JsonObject }[],
    ended: [] as string[],
    listed: [] as string[],
    fetched: [] as HandleId[],
    withdrawn: [] as HandleId[],
    log: [] as string[],
  };
  const clock = createClock();
  const play = {
    wouldPass: (_call: Submission['call']): boolean => true,
    submit: (submission: Submission): Promise<Submitted> | Submitted => stand.pass(submission),
    /** Waited for before a list is given. */
    list: (): Promise<void> => Promise.resolve(),
    take: (_handle: string, _intent: string): Result<Handle> => refused('intent-invalid'),
    resume: (_: Resumption): Promise<Submitted> | Submitted => ({ kind: 'refused', code: 'handle-not-found' }),
  };

  const dispatch: Pick<Dispatch, 'wouldPass' | 'submit' | 'resume' | 'settled' | 'withdraw'> = {
    wouldPass: (call) => play.wouldPass(call),
    submit(submission) {
      seen.submissions.push(submission);
      return Promise.resolve(play.submit(submission));
    },
    resume(resumption) {
      seen.resumptions.push(resumption);
      return Promise.resolve(play.resume(resumption));
    },
    settled(id, signal) {
      const handle = handles.get(id);
      if (handle !== undefined && isFinal(handle)) return Promise.resolve(handle);
      return new Promise((resolve, reject) => {
        const set = waiters.get(id) ?? new Set();
        waiters.set(id, set.add(resolve));
        signal.addEventListener('abort', () => {
          set.delete(resolve);
          reject(signal.reason as Error);
        });
      });
    },
    withdraw(id, owner) {
      const handle = handles.get(id);
      if (handle?.client !== owner) return refused('handle-not-found');
      if (isFinal(handle)) return refused('already-decided');
      seen.withdrawn.push(id);
      return ok(stand.settle(id, { status: 'withdrawn', settledAt: clock.now().wall }));
    },
  };

  const gateway: Gateway = createGateway({
    dispatch,
    handles: {
      own: (id, owner) => {
        const handle = handles.get(id);
        return handle?.client === owner ? ok(handle) : refused('handle-not-found');
      },
      pending: (owner) => [...handles.values()].filter((handle) => handle.client === owner && !isFinal(handle)),
      markFetched: (id) => void seen.fetched.push(id),
    },
    targets: {
      ids: () => [...known.keys()] as TargetId[],
      has: (id) => known.has(id),
      face: (id) => {
        const target = known.get(id);
        if (target?.faceless !== undefined) return Promise.resolve(target.faceless);
        return Promise.resolve({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: id, version: '1' }, instructions: null, ...target?.face });
      },
      list: (id, method) => {
        seen.listed.push(`${id} ${method}`);
        return play.list().then(() => known.get(id)?.lists?.[method] ?? { kind: 'error', error: { code: -32601, message: 'Method not found' } });
      },
      stored: (id, method) => (known.get(id)?.stored === true ? known.get(id)?.lists?.[method] : undefined),
      onChanged: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      beginSession: (downstream, notify) => {
        seen.downstreams.push(downstream);
        outlets.set(downstream.session, notify);
      },
      tell: (session, method, params) => void seen.told.push({ session, method, params }),
      endSession: (session) => void seen.ended.push(session),
    },
    intents: { take: (handle, intent) => play.take(handle, intent) },
    findClient: (token) => clients.get(token),
    control: control as Control,
    controlToken: CONTROL_TOKEN,
    endpointKey: ENDPOINT_KEY,
    version: '0.0.0',
    clock,
    log: createLog({ write: (line) => void seen.log.push(line), clock, least: 'debug' }),
    ...(limits !== undefined && { limits }),
  });
  const bound = await gateway.listen(0);
  if (!bound.ok) throw new Error(bound.code);

  const stand = {
    ...bound.value,
    gateway,
    seen,
    play,
    handles,
    /** Answers as a target would, with what came in. */
    pass: ({ call }: Submission): Submitted => ({ kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [{ type: 'text', text: JSON.stringify(call.params) }] } } }),
    /** Parks a call, or joins the open one for the same payload. */
    park({ call, door }: Submission, mode: 'button' | 'totp' = 'button'): Submitted & { kind: 'handle' } {
      const request = compileCall(call);
      if (!request.ok) throw new Error(request.code);
      const open = [...handles.values()].find((handle) => handle.client === call.client && handle.request.hash === request.value.hash && !(isFinal(handle) && seen.fetched.includes(handle.id)));
      if (open !== undefined) return { kind: 'handle', handle: open, joined: true };
      const id = `txn_1792523154_${randomBytes(6).toString('hex')}` as HandleId;
      const handle: Handle = {
        id, kind: 'call', client: call.client, request: request.value, trap: { pattern: 'DROP', mode, source: 'flag', where: 'arguments.sql' },
        door, parkedAt: clock.now(), ttlMs: 600_000, version: 1, frozen: { wall: 0, mono: 0 }, fetched: false, state: { status: 'parked', returned: false },
      };
      handles.set(id, handle);
      return { kind: 'handle', handle, joined: false };
    },
    /** Brings a handle to a state and tells whoever waits for its end. */
    settle(id: HandleId, state: HandleState): Handle {
      const handle = { ...handles.get(id)!, state };
      handles.set(id, handle);
      if (isFinal(handle)) for (const tell of waiters.get(id) ?? []) tell(handle);
      return handle;
    },
    /** How many wait for the end of this handle. */
    waiting: (id: HandleId): number => waiters.get(id)?.size ?? 0,
    changed: (id: string, what: 'tools' | 'prompts' | 'resources' | 'targets') => listeners.forEach((listener) => listener(id as TargetId, what)),
    say: (session: string, id: string, method: string, params: Record<string, unknown>) => outlets.get(session)?.(id as TargetId, method, params),
    setTarget: (id: string, target: FakeTarget) => void known.set(id, target),
    /** One request with a token and JSON, and what came back. */
    async send(path: string, { method = 'POST', token = 'token-alpha', body, headers = {} }: { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> } = {}) {
      const response = await fetch(`${bound.value.url}${path}`, {
        method,
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const type = response.headers.get('content-type') ?? '';
      return { status: response.status, headers: response.headers, text, json: type.startsWith('application/json') ? JSON.parse(text) : undefined };
    },
    close: () => gateway.close(200),
  };
  return stand;
}

export type Stand = Awaited<ReturnType<typeof openStand>>;

export const executed = (result: unknown): HandleState => ({ status: 'executed', settledAt: 1, answer: JSON.stringify({ result }) });

/** A `tools/call` as a client of the REST dialect sends it. */
export const call = (id: string | number, name = 'run_sql', args: JsonObject = { sql: 'DROP TABLE t' }, meta?: JsonObject) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta !== undefined && { _meta: meta }) },
});
