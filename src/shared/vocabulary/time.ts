/**
 * One reading of the clock. `wall` is epoch milliseconds; `mono` counts milliseconds of this process and never goes back; `boot` names the
 * process run in which `mono` counts, so that readings of two runs are never compared by it.
 */
export interface Moment {
  readonly wall: number;
  readonly mono: number;
  readonly boot: string;
}

export interface Clock {
  now(): Moment;
}

/** One-shot timers. `after` runs `run` once, not before `ms` milliseconds have passed, and gives a function that calls it off. */
export interface Timers {
  after(ms: number, run: () => void): () => void;
}

/** A time as it is told outside: epoch milliseconds as ISO 8601 in UTC. */
export const isoTime = (wall: number): string => new Date(wall).toISOString();
