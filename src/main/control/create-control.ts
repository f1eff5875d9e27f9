import type { ChangeView } from '../../shared/contract/control.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isHandleId, type TargetId } from '../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import { deadlineAt, wireState, type Approvals, type Handle } from '../approvals/index.ts';
import { paramsOf } from '../canonical/index.ts';
import type { Grants } from '../grants/index.ts';
import { answerOf, committedNow } from './answers.ts';
import { createBridgeControl, type BridgeChange, type BridgeControlDeps } from './bridge-control.ts';
import { changeMethods, createChanges, type ChangesDeps } from './changes.ts';
import { createClientControl, type ClientChange, type ClientControlDeps } from './client-control.ts';
import { createDefinitionControl, type DefinitionControlDeps } from './definition-control.ts';
import { doctorView, type DoctorDeps } from './doctor.ts';
import { createFabricControl, type FabricControlDeps } from './fabric-control.ts';
import type { AuditReader } from './ports.ts';
import type { Control } from './surface.ts';
import { createRegistryControl, type RegistryControl, type RegistryControlDeps, type RevisionChange } from './registry-control.ts';
import { createTargetControl, type TargetControlDeps } from './target-control.ts';
import { createTotpControl, type TotpControlDeps } from './totp-control.ts';
import { auditVerdict, auditView, guardView, grantView, handleView } from './views.ts';

export interface ControlDeps
  extends Omit<ChangesDeps, 'approvals'>, Omit<BridgeControlDeps, 'changes'>, Omit<ClientControlDeps, 'changes'>, Omit<TargetControlDeps, 'changes'>, Omit<DoctorDeps, 'targets'>, Omit<FabricControlDeps, 'changes'>, Omit<DefinitionControlDeps, 'changes' | 'approvals'>, TotpControlDeps {
  readonly approvals: Approvals;
  readonly audit: AuditReader;
  readonly grants: Pick<Grants, 'list' | 'revoke'>;
  /** The registry of declarative tools. */
  readonly registry?: RegistryControlDeps['tools'];
}

/** What of the target `registry` decides about its guard. */
const REGISTRY = { id: 'registry' as TargetId, pattern: null, guardEnv: {} };

/** How many decided handles are listed, newest first. */
const RECENT = 1_000;
const AUDIT_ROWS = { usual: 50, most: 1_000 } as const;

/** The control room, and what the rest of the product needs of it. */
export interface ControlRoom {
  readonly control: Control;
  /** The control plane of the registry, where there is one. */
  readonly registry: RegistryControl | undefined;
  /** Carries out an approved change; for the one place that dispatches. */
  applyChange(handle: Handle): Promise<Answer>;
  /** Puts tools of a target that are new or changed before the human. */
  askAboutTools: ReturnType<typeof createDefinitionControl>['ask'];
  /** Forgets the sealed values of what is decided, now and from now on. Gives what ends it. */
  start(): () => void;
}

export function createControl(deps: ControlDeps): ControlRoom {
  const { approvals, audit, grants, actor, board, window } = deps;
  const changes = createChanges(deps);
  const targets = createTargetControl({ ...deps, changes });
  const clients = createClientControl({ ...deps, changes });
  const bridges = createBridgeControl({ ...deps, changes });
  const definitions = createDefinitionControl({ ...deps, changes });
  const registry = deps.registry && createRegistryControl({ ...deps, tools: deps.registry, guard: () => guardView(deps.guardOf(REGISTRY)), changes });
  const fabric = createFabricControl({ ...deps, changes });
  const totp = createTotpControl(deps);

  const find = (id: string): Handle | undefined => (isHandleId(id) ? approvals.get(id) : undefined);
  const told = (result: Result<Handle>) => (result.ok ? ok(handleView(result.value)) : result);

  const control: Control = {
    targets: targets.views,
    connect: targets.connect,
    disconnect: (id) => targets.disconnect(id),
    mount: (text, variables, options) => targets.mount(text, variables, options),
    handles: ({ all }) => (all ? approvals.recent(RECENT) : approvals.queue()).map((handle) => handleView(handle)),
    show(id) {
      const handle = find(id);
      return handle === undefined ? refused('handle-not-found') : ok(handleView(handle, { whole: true }));
    },
    decline(id, reason) {
      const handle = find(id);
      return handle === undefined ? refused('handle-not-found') : told(approvals.decline({ id: handle.id, hash: null, reason, actor }));
    },
    attest(id, code) {
      const handle = find(id);
      return handle === undefined ? refused('handle-not-found') : told(approvals.approve({ id: handle.id, hash: handle.request.hash, proof: { kind: 'totp', code }, way: 'command-line', actor }));
    },
    clients: clients.list,
    addClient: (name, roles, options) => clients.add(name, roles, options),
    revokeClient: (name) => clients.revoke(name),
    bridges: bridges.list,
    addBridge: (bridge) => bridges.add(bridge),
    removeBridge: (name) => bridges.remove(name),
    auditList: ({ chain, limit = AUDIT_ROWS.usual, before }) => committedNow(() => audit.list({ chain, limit: Math.min(limit, AUDIT_ROWS.most), before }).map(auditView)),
    auditExport: () => committedNow(() => audit.export()),
    auditVerify: () => committedNow(() => auditVerdict(audit.verify())),
    fabric: fabric.view,
    setFabric: (settings) => fabric.set(settings),
    grants: () => grants.list().map(grantView),
    revokeGrant(id) {
      const done = committedNow(() => grants.revoke(id, actor));
      return !done.ok ? done : done.value ? ok({ status: 'applied' }) : refused('unknown-grant');
    },
    change(id) {
      const handle = find(id);
      return handle?.kind === 'change' ? ok(changeView(handle)) : refused('not-for-your-change');
    },
    doctor: () => doctorView({ ...deps, window, targets: () => targets.views().map((view) => ({ ...view, note: noteOf(view.id) })) }),
    totp: totp.view,
    offerTotp: totp.offer,
    confirmTotp: totp.confirm,
    resetTotp: totp.reset,
    unlockTotp: totp.unlock,
    pause: () => paused(approvals.pause(actor)),
    resume: () => paused(approvals.resume(actor)),
  };
  const noteOf = (id: string): string | null => board.list().map(({ spec }) => (spec.id === id ? board.running(spec.id)?.note : undefined)).find((note) => note !== undefined) ?? null;
  const paused = (result: Result<void>) => (result.ok ? ok({ paused: approvals.isPaused() }) : result);

  return {
    control,
    registry,
    async applyChange(handle) {
      switch (handle.request.method) {
        case changeMethods.connect:
          return targets.apply(handle);
        case changeMethods.client:
          return clients.apply(handle);
        case changeMethods.bridge:
          return bridges.apply(handle);
        case changeMethods.fabric:
          return fabric.apply(handle);
        case changeMethods.revision:
          return registry?.apply(handle) ?? answerOf(refused('method-not-found'));
        case changeMethods.tools:
          return definitions.apply(handle);
        default:
          return answerOf(refused('method-not-found'));
      }
    },
    askAboutTools: definitions.ask,
    start() {
      const ends = [changes.forgetDecided(), definitions.start()];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Where a change stands. One that could not be carried out says why by the code of the refusal. */
function changeView(handle: Handle): ChangeView {
  const { id, request, state } = handle;
  return {
    change: id,
    ...whatChanges(request),
    state: wireState(handle),
    reason: (state.status === 'upstream-fault' && state.answer !== null ? codeOf(state.answer) : undefined) ?? state.status,
    payload_hash: request.hash,
    expires_at: isoTime(deadlineAt(handle)),
    ...(state.status === 'declined' && state.reason !== null && { declined_because: state.reason }),
  };
}

function whatChanges(request: Handle['request']): Pick<ChangeView, 'kind' | 'subject'> {
  if (request.method === changeMethods.client) return { kind: 'client', subject: (paramsOf(request) as unknown as ClientChange).name };
  if (request.method === changeMethods.bridge) return { kind: 'bridge', subject: (paramsOf(request) as unknown as BridgeChange).name };
  if (request.method === changeMethods.revision) return { kind: 'revision', subject: toolOf(paramsOf(request) as unknown as RevisionChange) };
  if (request.method === changeMethods.fabric) return { kind: 'settings', subject: 'fabric' };
  return { kind: request.method === changeMethods.tools ? 'tools' : 'connect', subject: request.target };
}

function toolOf({ resource }: RevisionChange): string {
  const { name, version } = resource['metadata'] as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
}

function codeOf(answer: string): string | undefined {
  const step = (value: JsonValue | undefined, name: string): JsonValue | undefined => (isJsonObject(value) ? value[name] : undefined);
  const code = step(step(step(JSON.parse(answer) as JsonValue, 'error'), 'data'), 'code');
  return typeof code === 'string' ? code : undefined;
}
