import type { TargetView } from '../../shared/contract/control.ts';
import type { AdmitAnswer, ToolView } from '../../shared/contract/tools.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Handle } from '../approvals/index.ts';
import { canonicalText, compileCall, paramsOf, reviewable } from '../canonical/index.ts';
import { keyOf, told, type AdmitOutcome, type Fault, type Registry, type Revision, type RevisionKey } from '../registry/index.ts';
import { answerOf, committed, committedNow } from './answers.ts';
import { changeMethods, OWN_TARGET, type Changes } from './changes.ts';

export interface RegistryControlDeps {
  readonly tools: Pick<Registry, 'weigh' | 'admit' | 'withdraw' | 'all'>;
  /** How calls of these tools are guarded now. */
  readonly guard: () => TargetView['guard'];
  readonly changes: Changes;
  readonly window: boolean;
  readonly actor: string;
}

/** An admission as it is hashed, shown and carried out: the resource with every default filled in and its origins bound. */
export interface RevisionChange {
  readonly because: readonly RevisionBecause[];
  readonly resource_digest: string;
  /** Unqualified calls go to this revision from then on. */
  readonly serves: boolean;
  /** How calls of it are guarded when it is admitted. */
  readonly guard: TargetView['guard'];
  readonly resource: JsonObject;
}
export type RevisionBecause = 'new revision' | 'withdrawn revision' | 'serving';

/** What an admission came to at the door. */
export type Admitted = { readonly kind: 'answer'; readonly answer: AdmitAnswer } | { readonly kind: 'invalid'; readonly faults: readonly Fault[] } | { readonly kind: 'conflict' | 'withdrawn' };

/** The control plane of the registry (document 002; contract, section 5). Commands are refused with `store-unavailable` when nothing could be committed. */
export interface RegistryControl {
  /** Admits a resource as written, or puts it before the window. What changes nothing needs no click. `too-large-to-review`, `too-many-pending`. */
  admit(value: JsonValue): Result<Admitted>;
  /** Every revision there is, withdrawn ones too. */
  list(filter: { readonly name?: string | undefined; readonly version?: string | undefined }): Result<readonly ToolView[]>;
  /** Withdraws at once, window or not: it only takes away. Resolves when committed calls have returned; `revision-not-found`. */
  withdraw(key: RevisionKey, options: { readonly hard: boolean }): Promise<Result<true>>;
}

export function createRegistryControl({ tools, guard, changes, window, actor }: RegistryControlDeps): RegistryControl & { apply(handle: Handle): Answer } {
  const by = { actor };

  function propose(revision: Revision, was: 'new' | 'same' | 'returned'): Result<AdmitAnswer> {
    const { name, version } = keyOf(revision);
    const because: RevisionBecause = was === 'new' ? 'new revision' : was === 'returned' ? 'withdrawn revision' : 'serving';
    const change: RevisionChange = { because: [because], resource_digest: revision.digest, serves: revision.isServing, guard: guard(), resource: revision.resource as unknown as JsonObject };
    const params = change as unknown as JsonObject;
    const compiled = compileCall({ target: OWN_TARGET, method: changeMethods.revision, params });
    if (!compiled.ok) return compiled;
    if (!reviewable(compiled.value)) return refused('too-large-to-review');
    const proposed = changes.propose({ method: changeMethods.revision, target: OWN_TARGET, subject: `tool ${name}@${version}`, params, because: change.because, values: {} });
    return proposed.ok ? ok({ ...proposed.value, name, version, resourceDigest: revision.digest }) : proposed;
  }

  return {
    admit(value) {
      const weighed = committedNow(() => tools.weigh(value, by));
      if (!weighed.ok) return weighed;
      const outcome = weighed.value;
      if (outcome.kind !== 'applied') return ok(outcome);
      if (window && outcome.changes) {
        const proposed = propose(outcome.revision, outcome.was);
        return proposed.ok ? ok({ kind: 'answer', answer: proposed.value }) : proposed;
      }
      const done = committedNow(() => tools.admit(value, by));
      return done.ok ? ok(answered(done.value)) : done;
    },
    list: (filter) => committedNow(() => tools.all(filter).map((revision) => told(revision) as unknown as ToolView)),
    async withdraw(key, { hard }) {
      const done = await committed(() => tools.withdraw(key, { actor, hard }));
      if (!done.ok) return done;
      return done.value ? ok(true) : refused('revision-not-found');
    },
    /** Carries out an approved admission: exactly the resource that was shown, under the digest and behind the guard that were shown. */
    apply(handle) {
      const change = paramsOf(handle.request) as unknown as RevisionChange;
      if (canonicalText(guard()) !== canonicalText(change.guard)) return answerOf(refused('change-outdated'));
      const written = asked(change);
      const done = committedNow(() => {
        const now = tools.weigh(written, by);
        return now.kind === 'applied' && now.revision.digest === change.resource_digest && now.revision.isServing === change.serves ? tools.admit(written, by) : undefined;
      });
      if (!done.ok) return answerOf(done);
      if (done.value?.kind !== 'applied') return answerOf(refused('change-outdated'));
      const { name, version } = keyOf(done.value.revision);
      return { kind: 'result', result: { status: 'applied', name, version, resourceDigest: change.resource_digest } };
    },
  };
}

/** The resource with the states that were shown: without the word it serves when nothing else does, and a withdrawn one comes back only by it. */
function asked({ resource, serves, because }: RevisionChange): JsonObject {
  const metadata = { ...(resource['metadata'] as JsonObject), isServing: serves, ...(because.includes('withdrawn revision') && { isActive: true }) };
  return { ...resource, metadata };
}

function answered(outcome: AdmitOutcome): Admitted {
  if (outcome.kind !== 'applied') return outcome;
  const { name, version } = keyOf(outcome.revision);
  return { kind: 'answer', answer: { status: 'applied', name, version, resourceDigest: outcome.revision.digest } };
}
