import { refused, ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { readCalledName, readVersionedName } from './exact-name.ts';
import { isKey } from './resource.ts';
import type { Revision, RevisionKey } from './resource.ts';

/** The member of `_meta` by which a client binds a call to the revision it discovered (document 002, exact revision discovery and calls). */
export const DIGEST_META = 'toolplane.resourceDigest';

const DIGEST = /^[0-9a-f]{64}$/;

/** What a call says of the revision it means. */
export interface Called {
  readonly name: string;
  readonly meta?: JsonObject | undefined;
  readonly versioned?: boolean;
}

/**
 * The one revision a call means, of the active ones: an exact name or `name@version` names it, a digest in `_meta` binds it, a plain name alone means
 * the serving one. Whatever is said must hold: a digest of another revision than the name's, one that is empty or no digest, an encoded version that
 * is none, and everything unknown, stale or inactive is `revision-unavailable`; never is another revision chosen.
 */
export function resolveRevision(revisions: readonly Revision[], called: Called): Result<Revision> {
  const { key, digest } = saidOf(called) ?? {};
  const found = meantBy(revisions, called).find(({ isActive, isServing }) => isActive && (isServing || key !== undefined || digest !== undefined));
  return found === undefined ? refused('revision-unavailable') : ok(found);
}

/** The revisions a call can mean or can have meant, withdrawn ones too: every one of its tool where only the plain name was said. */
export function meantBy(revisions: readonly Revision[], called: Called): readonly Revision[] {
  const said = saidOf(called);
  if (said === undefined) return [];
  const { key, digest } = said;
  return revisions.filter((one) => (key === undefined ? one.resource.metadata.name === called.name : isKey(one, key)) && (digest === undefined || one.digest === digest));
}

/** The exact key and the digest a call says, where it says them; undefined when one of them is none. */
function saidOf({ name, meta = {}, versioned = false }: Called): { readonly key?: RevisionKey; readonly digest?: string } | undefined {
  const digest = Object.hasOwn(meta, DIGEST_META) ? meta[DIGEST_META] : undefined;
  const key = exactKey(name, versioned);
  if (key === 'malformed' || (Object.hasOwn(meta, DIGEST_META) && (typeof digest !== 'string' || !DIGEST.test(digest)))) return undefined;
  return { ...(key !== undefined && { key }), ...(typeof digest === 'string' && { digest }) };
}

function exactKey(name: string, versioned: boolean): RevisionKey | 'malformed' | undefined {
  const at = versioned ? readVersionedName(name) : ({ kind: 'plain' } as const);
  if (at.kind === 'exact') return at;
  if (at.kind === 'malformed') return 'malformed';
  const read = readCalledName(name);
  return read.kind === 'plain' ? undefined : read.kind === 'malformed' ? 'malformed' : read;
}
