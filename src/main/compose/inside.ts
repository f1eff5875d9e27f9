import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import type { Guarded } from './guarding.ts';

/** A target inside this process, under a reserved id: reached by no address, guarded like any other. */
export interface InsideTarget {
  readonly target: Target;
  /** Where its calls lead, as `targets` shows it: an origin, or a few words. */
  readonly place: string;
  /** Whether `targets` lists it now; always when not given. */
  readonly shown?: () => boolean;
  readonly spec: Guarded & Pick<TargetSpec, 'expiresAfterS' | 'elicitations'>;
}

/** The targets inside this process, by id. One may take its seat, or leave it, while the product runs. */
export type Inside = Map<TargetId, InsideTarget>;

/** Puts a target into its seat while the product runs, or leaves the seat empty. Whoever had it is ended. */
export const createReseat = (inside: Inside, targets: Pick<Targets, 'seat' | 'remove'>) => (id: TargetId, now: InsideTarget | undefined): void => {
  if (now === undefined) {
    inside.delete(id);
    void targets.remove(id);
    return;
  }
  inside.set(id, now);
  targets.seat(id, now.target);
};

/** Those that are served now; the others are left out. */
export const insideTargets = (...inside: readonly (InsideTarget | undefined)[]): Inside => new Map(inside.flatMap((one) => (one === undefined ? [] : [[one.spec.id, one] as const])));
