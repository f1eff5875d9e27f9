import { parseVersion } from './version.ts';

/** What joins a tool's name and its encoded version in an exact name; reserved inside names. */
export const REVISION_MARK = '.rev_';

/** The name under which exactly one revision is called: `<tool>.rev_<base64url(version)>`, without padding (document 002, exact revision calls). */
export const exactName = (name: string, version: string): string => `${name}${REVISION_MARK}${Buffer.from(version, 'utf8').toString('base64url')}`;

export interface ExactName {
  readonly name: string;
  readonly version: string;
}

/**
 * Reads a called name. `plain` when it holds no `.rev_`; otherwise it is taken apart at the last one, and is `malformed` unless what follows is the
 * one base64url text of a semantic version: one revision has one exact name.
 */
export function readCalledName(called: string): { readonly kind: 'plain' } | { readonly kind: 'malformed' } | ({ readonly kind: 'exact' } & ExactName) {
  const at = called.lastIndexOf(REVISION_MARK);
  if (at < 0) return { kind: 'plain' };
  const name = called.slice(0, at);
  const version = Buffer.from(called.slice(at + REVISION_MARK.length), 'base64url').toString('utf8');
  if (name === '' || parseVersion(version) === undefined || exactName(name, version) !== called) return { kind: 'malformed' };
  return { kind: 'exact', name, version };
}

/** Reads `name@version` of `POST /api/tools/invoke`: exact versions only. A text without `@` is `plain`. */
export function readVersionedName(called: string): { readonly kind: 'plain' } | { readonly kind: 'malformed' } | ({ readonly kind: 'exact' } & ExactName) {
  const at = called.indexOf('@');
  if (at < 0) return { kind: 'plain' };
  const version = called.slice(at + 1);
  return at === 0 || parseVersion(version) === undefined ? { kind: 'malformed' } : { kind: 'exact', name: called.slice(0, at), version };
}
