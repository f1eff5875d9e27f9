/** Wrong codes given in one place, as they are kept. `lockedUntil` is epoch milliseconds, 0 when not locked. */
export interface Tries {
  readonly failures: number;
  readonly lockedUntil: number;
}

export const NO_TRIES: Tries = { failures: 0, lockedUntil: 0 };

/** How many codes a place takes before it locks. Every further wrong one locks it again, twice as long. */
export interface Limit {
  readonly free: number;
}

/** For one handle and one way in (contract, 3.1). */
export const PER_HANDLE: Limit = { free: 5 };
/**
 * For one way in over all handles since its last success. Without it a client that parks call after call has five guesses for each and so,
 * sooner or later, every code.
 */
export const PER_WAY: Limit = { free: 50 };

const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 15 * 60_000;

const lockMs = (failures: number, { free }: Limit): number => (failures < free ? 0 : Math.min(FIRST_LOCK_MS * 2 ** Math.min(failures - free, 30), LONGEST_LOCK_MS));

/** One wrong code more, at `wall`. */
export function countOne(tries: Tries, wall: number, limit: Limit): Tries {
  const failures = tries.failures + 1;
  const locked = lockMs(failures, limit);
  return { failures, lockedUntil: locked === 0 ? 0 : wall + locked };
}

/** The milliseconds a place stays locked; 0 when it takes codes. */
export const lockedFor = (tries: Tries, wall: number): number => Math.max(0, tries.lockedUntil - wall);

/** The lock begun anew at `wall` when the clock was set back behind its start; nothing when it stands as it is. Else a clock once a year ahead would lock for a year. */
export function relock(tries: Tries, wall: number, limit: Limit): Tries | undefined {
  const longest = lockMs(tries.failures, limit);
  return lockedFor(tries, wall) > longest ? { ...tries, lockedUntil: wall + longest } : undefined;
}

/** Codes left before the place locks. */
export const triesLeft = (tries: Tries, { free }: Limit): number => Math.max(0, free - tries.failures);
