import type { TargetId } from '../../../shared/vocabulary/ids.ts';

/** What an endpoint serves: all targets together, or one under its own names. */
export type Scope = { readonly kind: 'all' } | { readonly kind: 'target'; readonly target: TargetId };

/** These targets are part of the product, and their tools keep their own names (contract, section 3). */
export const OWN_NAMED: readonly TargetId[] = ['registry', 'fabric'] as readonly string[] as readonly TargetId[];

export const sameScope = (one: Scope, other: Scope): boolean =>
  one.kind === 'all' ? other.kind === 'all' : other.kind === 'target' && one.target === other.target;
