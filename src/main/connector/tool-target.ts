import { ok, refused, type Result } from '../../shared/result.ts';
import type { ClientId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { sameRevision, type Answer, type BoundRevision, type CompiledRequest, type IncomingCall } from '../../shared/vocabulary/request.ts';
import { refusals, type RefusalCode } from '../../shared/refusals.ts';
import { misfitIn } from '../canonical/index.ts';
import type { BuiltInTarget, Outgoing } from '../dispatch/ports.ts';
import { keyOf, readHttpRequest, type Registry, type Revision, type ToolCalls } from '../registry/index.ts';
import { answerOf } from './tool-result.ts';

/** The id of the target whose tools are the registry's. */
export const REGISTRY = 'registry' as TargetId;

export interface ToolTargetDeps {
  readonly registry: Pick<Registry, 'resolve' | 'meant' | 'bound' | 'owns' | 'list' | 'boundary'>;
  readonly calls: ToolCalls;
  /** The roles a client has. */
  readonly rolesOf: (client: ClientId) => readonly string[];
  readonly version: string;
}

/** The registry as a target inside the process. */
export interface ToolTarget extends BuiltInTarget {
  /** Calls under way are settled as lost: a request that has left is not taken back, and nobody waits for its answer any more. */
  close(): Promise<void>;
  owns(name: string): boolean;
  /** The HTTP request a tool call comes to: steps 1 and 2 of document 002, without any I/O (see `ToolCalls.prepare`); undefined for any other method. */
  compile(call: IncomingCall, bound?: BoundRevision): Result<CompiledRequest> | undefined;
  /** The requests the same call may have come to before, when its name meant another revision or that one was not withdrawn yet. No I/O either. */
  earlier(call: IncomingCall): readonly CompiledRequest[];
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
  function meant(called: ToolCall, bound: BoundRevision | undefined): Result<Revision> {
    if (bound === undefined) return registry.resolve(called);
    const revision = registry.meant(called).find((one) => one.isActive && sameRevision(boundOf(one), bound));
    return revision === undefined ? refused('revision-unavailable') : ok(revision);
  }

  function madeBy(revision: Revision, { client, target, method }: IncomingCall, { args }: ToolCall): Result<CompiledRequest> {
    const made = calls.prepare(revision, args, { id: client, roles: rolesOf(client) });
    if (!made.ok) return made;
    const { text, hash } = made.value;
    return ok({ target, method, subject: revision.resource.metadata.name, text, paramsText: text, hash, revision: boundOf(revision) });
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

    compile(call, bound) {
      if (call.method !== 'tools/call') return undefined;
      const read = readToolCall(call);
      if (!read.ok) return read;
      const revision = meant(read.value, bound);
      return revision.ok ? madeBy(revision.value, call, read.value) : revision;
    },
    earlier(call) {
      const read = call.method === 'tools/call' ? readToolCall(call) : undefined;
      if (read?.ok !== true) return [];
      return registry.meant(read.value).flatMap((revision) => {
        const made = madeBy(revision, call, read.value);
        return made.ok ? [made.value] : [];
      });
    },
    spend({ revision: bound }) {
      const revision = bound && registry.bound(bound);
      return revision === undefined ? ok(true) : calls.spend(revision);
    },
    stillServed: ({ revision: bound }) => (bound === undefined || registry.bound(bound)?.isActive === true ? 'served' : 'revision-withdrawn'),
  };
}

interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject | undefined;
}

function readToolCall({ params }: IncomingCall): Result<ToolCall> {
  const misfit = misfitIn('tools/call', params);
  if (misfit !== undefined) return refused('invalid-params', misfit);
  const { name, arguments: args = {}, _meta: meta } = params as { readonly name: string; readonly arguments?: JsonObject; readonly _meta?: JsonObject };
  return ok({ name, args, meta });
}

const boundOf = (revision: Revision): BoundRevision => ({ ...keyOf(revision), digest: revision.digest });

const unsent = (code: RefusalCode): Answer => ({ kind: 'fault', code, sent: false, note: code });
