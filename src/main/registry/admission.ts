import type { ReadResource } from './read-resource.ts';
import { CANONICALIZATION, isKey, keyOf } from './resource.ts';
import type { Revision } from './resource.ts';
import { digestOf } from './digest.ts';

/** What an admission comes to. `put` are the revisions to write, all in one transaction; none when nothing changes. */
export type AdmissionStep =
  | { readonly kind: 'admitted'; readonly revision: Revision; readonly put: readonly Revision[]; readonly was: 'new' | 'same' | 'returned' }
  /** Another content was admitted under this name and version; nothing is replaced. */
  | { readonly kind: 'conflict' }
  /** The revision was withdrawn, and the sender did not ask for it back by `isActive: true`. */
  | { readonly kind: 'withdrawn' }
  /** A revision is admitted active or not at all; DELETE withdraws. */
  | { readonly kind: 'asks-inactive' };

/**
 * Decides an admission against the revisions there are (document 002, admission binding and serving selection). Identical content is idempotent and
 * keeps the first record. A revision serves when it was asked for, or when no other version of its tool is active: so the first one does, and after
 * the serving one was withdrawn no other takes its place by being there.
 */
export function admissionStep({ resource, asksActive, asksServing }: ReadResource, existing: readonly Revision[], by: { readonly actor: string; readonly at: number }): AdmissionStep {
  const digest = digestOf(resource);
  const { name, version } = resource.metadata;
  const siblings = existing.filter((one) => one.resource.metadata.name === name && one.resource.metadata.version !== version);
  const known = existing.find((one) => isKey(one, { name, version }));
  if (known !== undefined && known.digest !== digest) return { kind: 'conflict' };
  if (known?.isActive === false && asksActive !== true) return { kind: 'withdrawn' };
  if (asksActive === false) return { kind: 'asks-inactive' };

  const alone = !siblings.some(({ isActive }) => isActive);
  const isServing = asksServing || known?.isServing === true || (known?.isActive !== true && alone);
  const admission = known?.admission ?? { actor: by.actor, approvedAt: by.at, decision: 'approved', canonicalization: CANONICALIZATION };
  const revision: Revision = { resource, digest, admission, isActive: true, isServing };
  if (known?.isActive === true && known.isServing === isServing) return { kind: 'admitted', revision: known, put: [], was: 'same' };
  return { kind: 'admitted', revision, put: [revision, ...(isServing ? passedOver(siblings) : [])], was: known === undefined ? 'new' : known.isActive ? 'same' : 'returned' };
}

/** Moves the pointer to an active revision; undefined when it is not active or not there. Empty when it serves already. */
export function servingStep(key: { readonly name: string; readonly version: string }, existing: readonly Revision[]): readonly Revision[] | undefined {
  const chosen = existing.find((one) => isKey(one, key));
  if (chosen?.isActive !== true) return undefined;
  return chosen.isServing ? [] : [{ ...chosen, isServing: true }, ...passedOver(existing.filter((one) => one.resource.metadata.name === key.name && one !== chosen))];
}

/** A withdrawn revision: neither active nor serving, and no other takes its place. */
export const withdrawnOf = (revision: Revision): Revision => ({ ...revision, isActive: false, isServing: false });

const passedOver = (siblings: readonly Revision[]): readonly Revision[] => siblings.filter(({ isServing }) => isServing).map((one) => ({ ...one, isServing: false }));

/** The order revisions are told in: by name, then version text. */
export function byKey(a: Revision, b: Revision): number {
  const [left, right] = [keyOf(a), keyOf(b)];
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.version === right.version ? 0 : left.version < right.version ? -1 : 1;
}
