import type { Result } from '../../shared/result.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { BoundRevision } from '../../shared/vocabulary/request.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { admissionStep, byKey, servingStep, withdrawnOf } from './admission.ts';
import { createAuthority } from './authority.ts';
import { createBoundary } from './boundary.ts';
import type { Boundary } from './boundary.ts';
import { readCalledName } from './exact-name.ts';
import { listTools } from './listing.ts';
import { LEGACY_ACTOR, migrationStep } from './migration.ts';
import type { Migration } from './migration.ts';
import type { AuthorityHooks, ReconciliationHooks, RevisionStore } from './ports.ts';
import { readResource } from './read-resource.ts';
import type { Fault } from './read-resource.ts';
import { createReconciliation } from './reconciliation.ts';
import type { ReconciliationStatus } from './reconciliation.ts';
import { meantBy, resolveRevision } from './resolve.ts';
import type { Called } from './resolve.ts';
import { isKey, keyOf } from './resource.ts';
import type { Revision, RevisionKey } from './resource.ts';

export interface RegistryDeps {
  readonly store: RevisionStore;
  readonly clock: Clock;
  readonly timers: Timers;
  /** ERP_BASE_URL; undefined when not set. */
  readonly erpBaseUrl?: string | undefined;
  /** MCP_ADVERTISE_REVISION_ALIASES=true: exact names are listed too. */
  readonly aliases?: boolean;
  readonly reconcileEveryMs?: number;
  readonly hooks?: AuthorityHooks & ReconciliationHooks;
  /** Told after the list of tools changed (`tools/list_changed`). */
  readonly changed?: () => void;
  /** Told after a revision was withdrawn and the withdrawal is durable, so that calls parked on it end `revision-withdrawn`. */
  readonly withdrawn?: (revision: Revision) => void;
  /** Told of a failed reconciliation, for the log. */
  readonly failed?: (fault: unknown) => void;
}

export type AdmitOutcome =
  /** `changes`: something was, or would be, written; not so for content that stands as it is asked for. */
  | { readonly kind: 'applied'; readonly revision: Revision; readonly was: 'new' | 'same' | 'returned'; readonly changes: boolean }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'withdrawn' };

/**
 * What is admitted, and what a name means now. Everything given out is a copy. `admit`, `serve`, `withdraw`, `migrate` and `all` throw
 * `StoreUnavailable` when the store cannot be read or cannot commit; nothing has changed then. `resolve` and `list` answer from the live state, which is
 * empty until the store was read once, so that nothing unread is ever called.
 */
export interface Registry {
  /** What `admit` would come to now, with nothing done. */
  weigh(value: JsonValue, by: { readonly actor: string }): AdmitOutcome;
  /** `POST /apis/erpbridge.io/v1/tools`: 201 `applied`, 422 `invalid`, 409 `conflict` (REGISTRY_CONFLICT), 409 `withdrawn` (REVISION_WITHDRAWN). */
  admit(value: JsonValue, by: { readonly actor: string }): AdmitOutcome;
  /** Moves the serving pointer of the tool; false when the revision is not active or not there. */
  serve(key: RevisionKey, by: { readonly actor: string }): boolean;
  /** Withdraws softly (inactive, kept as a tombstone) or hard (removed). Resolves when committed calls have returned; false when there is no such revision. */
  withdraw(key: RevisionKey, by: { readonly actor: string; readonly hard?: boolean }): Promise<boolean>;
  /** Admits what was stored, or is imported, without an admission record. */
  migrate(imported?: readonly JsonValue[]): Pick<Migration, 'unreadable'> & { readonly migrated: number };
  /** How many tools stored before there was admission could not be read when last looked: they are kept as they are and not served. */
  unread(): number;
  /** The desired state, withdrawn revisions too, by name and version. */
  all(filter?: { readonly name?: string | undefined; readonly version?: string | undefined }): readonly Revision[];
  /** The snapshot that governs one call. `revision-unavailable`. */
  resolve(called: Called): Result<Revision>;
  /** The revisions a call can mean or can have meant before the pointer moved or one was withdrawn; with what decides now left out. */
  meant(called: Called): readonly Revision[];
  /** The revision a call was bound to, withdrawn or not; undefined when it was removed, or another content stands under its version. */
  bound(bound: BoundRevision): Revision | undefined;
  /** Whether a called name is one of the registry's, as a plain or an exact name, callable or not. */
  owns(name: string): boolean;
  list(): readonly JsonObject[];
  readonly boundary: Boundary;
  reconciliation(): ReconciliationStatus;
  /** One attempt now. */
  reconcile(): Promise<void>;
  /** Migrates, reconciles at once and then every 10 s. */
  start(): Promise<void>;
  stop(): void;
}

export function createRegistry(deps: RegistryDeps): Registry {
  const { store, clock, timers, erpBaseUrl, hooks = {}, aliases = false, changed = nothing, withdrawn = nothing, failed = nothing } = deps;
  let live: readonly Revision[] = [];
  let unread = 0;

  const boundary = createBoundary({ authority: createAuthority(), clock, hooks, activeDigest: (key) => live.find((one) => one.isActive && isKey(one, key))?.digest });
  const listed = (revisions: readonly Revision[]): string => JSON.stringify(listTools(revisions, { aliases }));
  const take = (revisions: readonly Revision[]): void => {
    const differs = listed(live) !== listed(revisions);
    live = structuredClone(revisions);
    if (differs) changed();
  };
  const event = (type: AuditType, actor: string, { digest, ...revision }: Revision): AuditEvent => ({ type, at: clock.now().wall, actor, target: 'registry', detail: { ...keyOf({ digest, ...revision }), digest } });

  /** Writes, then makes the same change to what is live. Nothing is read in between: what is durable cannot fail to be live. */
  function write(change: Parameters<RevisionStore['write']>[0], audit: AuditEvent): void {
    store.write(change, audit);
    const touched = [...change.put.map(keyOf), ...(change.remove ?? [])];
    take([...live.filter((one) => !touched.some((key) => isKey(one, key))), ...change.put]);
    reconciliation.wrote(live);
  }

  /** An admission worked out: what it comes to, and what has to be written for it. */
  function worked(value: JsonValue, actor: string): { readonly outcome: AdmitOutcome; readonly put: readonly Revision[] } {
    const read = readResource(value, erpBaseUrl);
    if (!read.ok) return { outcome: { kind: 'invalid', faults: read.faults }, put: [] };
    const step = admissionStep(read, store.all(), { actor, at: clock.now().wall });
    if (step.kind === 'asks-inactive') return { outcome: { kind: 'invalid', faults: [{ at: 'metadata.isActive', says: 'must be true or absent: a revision is withdrawn by DELETE' }] }, put: [] };
    if (step.kind !== 'admitted') return { outcome: step, put: [] };
    return { outcome: { kind: 'applied', revision: structuredClone(step.revision), was: step.was, changes: step.put.length > 0 }, put: step.put };
  }

  const migrate: Registry['migrate'] = (imported) => {
    const { put, unreadable } = migrationStep(imported ?? store.legacy(), store.all(), { erpBaseUrl, at: clock.now().wall });
    if (put.length > 0) write({ put }, { type: 'revision.migrated', at: clock.now().wall, actor: LEGACY_ACTOR, target: 'registry', detail: { count: put.length } });
    return { migrated: put.length, unreadable };
  };

  const reconciliation = createReconciliation({
    clock, timers, take, failed, hooks,
    live: () => live,
    desired: () => {
      unread = migrate().unreadable.length;
      return store.all();
    },
    ...(deps.reconcileEveryMs === undefined ? {} : { everyMs: deps.reconcileEveryMs }),
  });

  return {
    weigh: (value, { actor }) => worked(value, actor).outcome,
    admit(value, { actor }) {
      const { outcome, put } = worked(value, actor);
      if (outcome.kind === 'applied' && put.length > 0) write({ put }, event(outcome.was === 'same' ? 'revision.served' : 'revision.admitted', actor, outcome.revision));
      return outcome;
    },
    serve(key, { actor }) {
      const put = servingStep(key, store.all());
      const [chosen] = put ?? [];
      if (put !== undefined && chosen !== undefined) write({ put }, event('revision.served', actor, chosen));
      return put !== undefined;
    },
    async withdraw(key, { actor, hard = false }) {
      let found = false;
      const ended = await boundary.withdraw(() => {
        const revision = store.all().find((one) => isKey(one, key));
        found = revision !== undefined;
        if (revision === undefined || (!hard && !revision.isActive)) return undefined;
        const gone = withdrawnOf(revision);
        write(hard ? { put: [], remove: [key] } : { put: [gone] }, event(hard ? 'revision.removed' : 'revision.withdrawn', actor, gone));
        return gone;
      });
      if (ended !== undefined) withdrawn(structuredClone(ended));
      return found;
    },
    migrate,
    unread: () => unread,
    all: ({ name, version } = {}) =>
      structuredClone(store.all()).filter(({ resource: { metadata } }) => (name === undefined || metadata.name === name) && (version === undefined || metadata.version === version)).sort(byKey),
    resolve: (called) => {
      const found = resolveRevision(live, called);
      return found.ok ? { ok: true, value: structuredClone(found.value) } : found;
    },
    meant: (called) => structuredClone(meantBy(live, called)),
    bound: ({ digest, ...key }) => {
      const found = live.find((one) => isKey(one, key) && one.digest === digest);
      return found && structuredClone(found);
    },
    owns: (name) => readCalledName(name).kind !== 'plain' || live.some(({ resource }) => resource.metadata.name === name),
    list: () => listTools(live, { aliases }),
    boundary,
    reconciliation: reconciliation.status,
    reconcile: reconciliation.attempt,
    start: reconciliation.start,
    stop: reconciliation.stop,
  };
}

const nothing = (): void => undefined;
