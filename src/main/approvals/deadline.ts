import type { Moment } from '../../shared/vocabulary/time.ts';
import type { Frozen, Handle } from './handle.ts';

/** What a deadline is judged by. */
export type Dated = Pick<Handle, 'parkedAt' | 'ttlMs' | 'frozen'> & Partial<Pick<Handle, 'kind'>>;

/** `over` is for good; `clock-moved` means that nothing can be said until the clock is right again, so nothing may be approved. */
export type Judgement = 'open' | 'over' | 'clock-moved';

/** How far the wall clock may read before the moment of parking and still count as right. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Judges a deadline by both clocks: one that says over is enough. The monotonic clock counts only within the run of the process in which the
 * handle was parked; after a restart the wall clock alone does. While the product is paused (`pausedSince`), time stands still.
 */
export function judge(dated: Dated, now: Moment, pausedSince: Moment | null = null): Judgement {
  if (remainsMs(dated, now, pausedSince) <= 0) return 'over';
  return now.wall < dated.parkedAt.wall - CLOCK_SLACK_MS ? 'clock-moved' : 'open';
}

/** Milliseconds until the first of the two clocks says over; 0 or less when one does. While paused this number stands still. */
export function remainsMs(dated: Dated, now: Moment, pausedSince: Moment | null = null): number {
  const { parkedAt, ttlMs } = dated;
  const frozen = frozenBy(dated, now, pausedSince);
  const byWall = parkedAt.wall + ttlMs + frozen.wall - now.wall;
  return now.boot === parkedAt.boot ? Math.min(byWall, parkedAt.mono + ttlMs + frozen.mono - now.mono) : byWall;
}

/**
 * The frozen time of a handle when a pause that began at `pausedSince` is counted up to `now`. A handle parked during the pause counts from then on.
 * A proposal's time goes on (contract, section 4): its price and its dry run grow old whatever we do.
 */
export function frozenBy({ kind, parkedAt, frozen }: Dated, now: Moment, pausedSince: Moment | null): Frozen {
  if (pausedSince === null || kind === 'proposal') return frozen;
  const wall = now.wall - Math.max(pausedSince.wall, parkedAt.wall);
  const monoFrom = pausedSince.boot === now.boot ? Math.max(pausedSince.mono, parkedAt.mono) : parkedAt.mono;
  // A clock set back during a pause must not shorten what was frozen before, and a monotonic reading of another run says nothing.
  return { wall: frozen.wall + Math.max(0, wall), mono: frozen.mono + (parkedAt.boot === now.boot ? Math.max(0, now.mono - monoFrom) : 0) };
}

/** The deadline as it stands now, epoch milliseconds: what `expires_at` says. A pause moves it when it ends. */
export const deadlineAt = ({ parkedAt, ttlMs, frozen }: Dated): number => parkedAt.wall + ttlMs + frozen.wall;
