import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Target } from '../targets/target.ts';
import type { Guarded } from './guarding.ts';

/** A target inside this process, under a reserved id: reached by no address, guarded like any other. */
export interface InsideTarget {
  readonly target: Target;
  /** Where its calls lead, as `targets` shows it: an origin, or a few words. */
  readonly place: string;
  readonly spec: Guarded & Pick<TargetSpec, 'expiresAfterS' | 'elicitations'>;
}

/** The targets inside this process, by id. One may take its seat, or leave it, while the product runs. */
export type Inside = Map<TargetId, InsideTarget>;

/** Those that are served now; the others are left out. */
export const insideTargets = (...inside: readonly (InsideTarget | undefined)[]): Inside => new Map(inside.flatMap((one) => (one === undefined ? [] : [[one.spec.id, one] as const])));
