import { refused, ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { readCalledName, readVersionedName } from './exact-name.ts';
import { isKey } from './resource.ts';
import type { Revision, RevisionKey } from './resource.ts';

/** The member of `_meta` by which a client binds a call to the revision it discovered (document 002, exact revision discovery and calls). */
export const DIGEST_META = 'toolplane.resourceDigest';

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * The one revision a call means, of the active ones: an exact name or `name@version` names it, a digest in `_meta` binds it, a plain name alone means
 * the serving one. Whatever is said must hold: a digest of another revision than the name's, one that is empty or no digest, an encoded version that
 * is none, and everything unknown, stale or inactive is `revision-unavailable`; never is another revision chosen.
 */
export function resolveRevision(revisions: readonly Revision[], called: { readonly name: string; readonly meta?: JsonObject | undefined; readonly versioned?: boolean }): Result<Revision> {
  const unavailable = refused('revision-unavailable');
  const active = revisions.filter(({ isActive }) => isActive);
  const { meta = {} } = called;
  const bound = Object.hasOwn(meta, DIGEST_META);
  const digest = bound ? meta[DIGEST_META] : undefined;
  if (bound && (typeof digest !== 'string' || !DIGEST.test(digest))) return unavailable;

  const key = exactKey(called.name, called.versioned === true);
  if (key === 'malformed') return unavailable;
  const found = key !== undefined
    ? active.find((one) => isKey(one, key) && (!bound || one.digest === digest))
    : active.find((one) => one.resource.metadata.name === called.name && (bound ? one.digest === digest : one.isServing));
  return found === undefined ? unavailable : ok(found);
}

function exactKey(name: string, versioned: boolean): RevisionKey | 'malformed' | undefined {
  const at = versioned ? readVersionedName(name) : ({ kind: 'plain' } as const);
  if (at.kind === 'exact') return at;
  if (at.kind === 'malformed') return 'malformed';
  const read = readCalledName(name);
  return read.kind === 'plain' ? undefined : read.kind === 'malformed' ? 'malformed' : read;
}
