import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Target } from '../targets/target.ts';
import type { Guarded } from './guarding.ts';

/** A target inside this process, under a reserved id: reached by no address, guarded like any other. */
export interface InsideTarget {
  readonly target: Target;
  readonly spec: Guarded & Pick<TargetSpec, 'expiresAfterS' | 'elicitations'>;
}

/** The targets inside this process, by id. */
export type Inside = ReadonlyMap<TargetId, InsideTarget>;

export const insideTargets = (...inside: readonly InsideTarget[]): Inside => new Map(inside.map((one) => [one.spec.id, one]));
