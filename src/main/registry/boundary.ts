import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { BoundRevision } from '../../shared/vocabulary/request.ts';
import type { Authority } from './authority.ts';
import { plainUrl } from './origin.ts';
import type { AuthorityEvent, AuthorityEventType, AuthorityHooks } from './ports.ts';
import { keyOf } from './resource.ts';
import type { Revision, RevisionKey } from './resource.ts';

export interface BoundaryDeps {
  readonly authority: Authority;
  readonly clock: Clock;
  /** The digest of an active revision as it is now; undefined when it is not active. */
  readonly activeDigest: (key: RevisionKey) => string | undefined;
  readonly hooks?: AuthorityHooks;
}

/** The sharp line between withdrawal and dispatch (document 002, withdrawal and dispatch commitment). */
export interface Boundary {
  /** Step 2 alone: whether a URL's origin is one of the revision's. Records `origin_denied` when it is not. */
  checkOrigin(revision: Revision, url: string): Result<URL>;
  /**
   * Steps 2 to 8 for a request that is made: origin, `beforeCommit`, read lock, resolve, compare digests, `dispatch_committed`, connector. `connect` is
   * entered only past all of them, and the lock is held until it has ended. `origin-not-approved`, `revision-withdrawn` (then `commit_denied` is recorded).
   */
  dispatch<T>(revision: Revision, url: string, connect: (url: URL) => Promise<T>): Promise<Result<T>>;
  /** The same line for an answer from the cache: taken only while the revision is active, and nothing is dispatched. */
  recall<T>(revision: Revision, take: () => T): Promise<Result<T>>;
  /** Records `commit_denied` for a call whose revision is not there any more. */
  deny(bound: BoundRevision): void;
  /** Runs `commit` alone and records `withdrawal_committed` of the revision it gives; resolves when every committed call before it has returned. */
  withdraw(commit: () => Revision | undefined): Promise<Revision | undefined>;
}

export function createBoundary({ authority, clock, activeDigest, hooks = {} }: BoundaryDeps): Boundary {
  let sequence = 0;

  const record = (type: AuthorityEventType, { name, version, digest }: BoundRevision): AuthorityEvent => {
    sequence += 1;
    return { sequence, type, toolName: name, toolVersion: version, resourceDigest: digest, at: clock.now().wall };
  };
  const tell = (event: AuthorityEvent | undefined): void => {
    if (event !== undefined) hooks.onEvent?.(event);
  };
  const stands = (revision: Revision): boolean => activeDigest(keyOf(revision)) === revision.digest;

  /** Runs `work` under the read lock if the revision still stands, and tells what was recorded once the lock is released, also when `work` fails. */
  async function passing<T>(revision: Revision, work: () => Promise<T>, committed?: AuthorityEventType): Promise<Result<T>> {
    let event: AuthorityEvent | undefined;
    try {
      return await authority.read(async () => {
        if (!stands(revision)) {
          event = record('commit_denied', boundOf(revision));
          return refused('revision-withdrawn');
        }
        if (committed !== undefined) event = record(committed, boundOf(revision));
        return ok(await work());
      });
    } finally {
      tell(event);
    }
  }

  function checkOrigin(revision: Revision, url: string): Result<URL> {
    const parsed = plainUrl(url);
    if (parsed !== undefined && revision.resource.spec.execution.approvedOrigins.includes(parsed.origin)) return ok(parsed);
    tell(record('origin_denied', boundOf(revision)));
    return refused('origin-not-approved');
  }

  return {
    checkOrigin,
    async dispatch(revision, url, connect) {
      const checked = checkOrigin(revision, url);
      if (!checked.ok) return checked;
      await hooks.beforeCommit?.(keyOf(revision));
      return passing(revision, () => connect(checked.value), 'dispatch_committed');
    },
    recall: (revision, take) => passing(revision, () => Promise.resolve(take())),
    deny: (bound) => tell(record('commit_denied', bound)),
    async withdraw(commit) {
      let event: AuthorityEvent | undefined;
      const revision = await authority.write(() => {
        const withdrawn = commit();
        if (withdrawn !== undefined) event = record('withdrawal_committed', boundOf(withdrawn));
        return withdrawn;
      });
      tell(event);
      return revision;
    },
  };
}

const boundOf = (revision: Revision): BoundRevision => ({ ...keyOf(revision), digest: revision.digest });
