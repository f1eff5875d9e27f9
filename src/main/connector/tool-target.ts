import { ok, refused, type Result } from '../../shared/result.ts';
import type { ClientId, TargetId } from '../../shared/vocabulary/ids.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer, BoundRevision, CompiledRequest, IncomingCall } from '../../shared/vocabulary/request.ts';
import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import type { Outgoing, TargetFace } from '../dispatch/ports.ts';
import { keyOf, readHttpRequest, type Registry, type Revision, type ToolCalls } from '../registry/index.ts';
import { answerOf } from './tool-result.ts';

/** The id of the target whose tools are the registry's. */
export const REGISTRY = 'registry' as TargetId;

export interface ToolTargetDeps {
  readonly registry: Pick<Registry, 'resolve' | 'bound' | 'owns' | 'list' | 'boundary'>;
  readonly calls: ToolCalls;
  /** The roles a client has. */
  readonly rolesOf: (client: ClientId) => readonly string[];
  readonly version: string;
}

/** The registry as a target inside the process; fits `Target` of the targets room, which adapters may not import from each other. */
export interface ToolTarget {
  call(outgoing: Outgoing): Promise<Answer>;
  face(): Promise<TargetFace>;
  list(method: string): Promise<Answer>;
  refresh(): Promise<undefined>;
  tell(): void;
  endSession(): void;
  status(): { readonly activeSandboxes: number; readonly state: 'idle' | 'running'; readonly tools: number; readonly note: null; readonly noise: number; readonly stderr: string };
  /** Calls under way are settled as lost: a request that has left is not taken back, and nobody waits for its answer any more. */
  close(): Promise<void>;
  owns(name: string): boolean;
  /** The HTTP request a tool call comes to: steps 1 and 2 of document 002, without any I/O (see `ToolCalls.prepare`); undefined for any other method. */
  compile(call: IncomingCall, bound?: BoundRevision): Result<CompiledRequest> | undefined;
  spend(request: CompiledRequest): Result<true>;
  /** Always so for a request that no revision made. */
  stillServed(request: CompiledRequest): 'served' | 'revision-withdrawn';
}

const LISTS: Readonly<Record<string, string>> = { 'prompts/list': 'prompts', 'resources/list': 'resources', 'resources/templates/list': 'resourceTemplates' };

export function createToolTarget({ registry, calls, rolesOf, version }: ToolTargetDeps): ToolTarget {
  /** What settles each call under way as lost. */
  const running = new Set<() => void>();
  let closed = false;

  /** The revision a call means, or the one it is held to. */
  function meant(name: string, meta: IncomingCall['params'][string] | undefined, bound: BoundRevision | undefined): Result<Revision> {
    if (bound === undefined) return registry.resolve({ name, meta: isJsonObject(meta) ? meta : undefined });
    const revision = registry.bound(bound);
    return revision?.isActive === true ? ok(revision) : refused('revision-unavailable');
  }

  async function run({ client, method, revision: bound, paramsText, approved }: Outgoing): Promise<Answer> {
    if (method !== 'tools/call') return { kind: 'error', error: { code: refusals['method-not-found'].number, message: refusals['method-not-found'].sentence } };
    if (bound === undefined) throw new Error('a call of the registry is bound to a revision');
    const revision = registry.bound(bound);
    if (revision === undefined) {
      registry.boundary.deny(bound);
      return unsent('revision-withdrawn');
    }
    const outcome = await calls.run(revision, readHttpRequest(paramsText), { id: client, roles: [] }, { approved });
    return outcome.ok ? answerOf(revision, outcome.value) : unsent(outcome.code);
  }

  return {
    call(outgoing) {
      if (closed || outgoing.signal?.aborted === true) return Promise.resolve(unsent('upstream-unreachable'));
      return new Promise((resolve, reject) => {
        const lose = (): void => resolve({ kind: 'lost', note: 'Countersign stopped' });
        running.add(lose);
        run(outgoing).then(resolve, reject).finally(() => running.delete(lose));
      });
    },
    face: () => Promise.resolve({ protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'countersign-registry', version }, instructions: null }),
    list(method) {
      const member = LISTS[method];
      return Promise.resolve({ kind: 'result', result: member === undefined ? { tools: registry.list() } : { [member]: [] } });
    },
    refresh: () => Promise.resolve(undefined),
    tell: () => undefined,
    endSession: () => undefined,
    status: () => ({ activeSandboxes: 0, state: running.size === 0 ? 'idle' : 'running', tools: registry.list().length, note: null, noise: 0, stderr: '' }),
    close() {
      closed = true;
      for (const lose of running) lose();
      return Promise.resolve();
    },
    owns: registry.owns,

    compile({ client, target, method, params }, bound) {
      if (method !== 'tools/call') return undefined;
      const { name, arguments: args = {}, _meta: meta } = params;
      if (typeof name !== 'string') return refused('invalid-params', 'params.name');
      if (!isJsonObject(args)) return refused('invalid-params', 'params.arguments');
      if (meta !== undefined && !isJsonObject(meta)) return refused('invalid-params', 'params._meta');
      const revision = meant(name, meta, bound);
      if (!revision.ok) return revision;
      const made = calls.prepare(revision.value, args, { id: client, roles: rolesOf(client) });
      if (!made.ok) return made;
      const { text, hash } = made.value;
      const key = keyOf(revision.value);
      return ok({ target, method, subject: key.name, text, paramsText: text, hash, revision: { ...key, digest: revision.value.digest } });
    },
    spend({ revision: bound }) {
      const revision = bound && registry.bound(bound);
      return revision === undefined ? ok(true) : calls.spend(revision);
    },
    stillServed: ({ revision: bound }) => (bound === undefined || registry.bound(bound)?.isActive === true ? 'served' : 'revision-withdrawn'),
  };
}

const unsent = (code: RefusalCode): Answer => ({ kind: 'fault', code, sent: false, note: code });
