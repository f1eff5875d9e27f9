import type { Result } from '../../shared/result.ts';
import type { Timers } from '../../shared/vocabulary/time.ts';
import { StoreUnavailable } from '../audit/index.ts';

/** What the sentinel watches over: the approvals room is one. */
export interface Watched {
  /** Settles what an earlier run left open; all of it when the store is an older copy. */
  settleInterrupted(left: { readonly restored: boolean }): Result<readonly unknown[]>;
  /** Expires what is over. */
  expireDue(): Result<readonly unknown[]>;
  /** Milliseconds until the next deadline; null when nothing waits. */
  nextDeadlineMs(): number | null;
  subscribe(listener: () => void): () => void;
}

export interface SentinelDeps {
  readonly watched: Watched;
  readonly timers: Timers;
  /** Tells the log why a round failed: the code of the refusal. */
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
}

export interface Sentinel {
  /** Settles what an earlier run left open, then watches. A refusal says that the store could not commit: then nothing may be served. */
  start(left?: { readonly restored: boolean }): Result<readonly unknown[]>;
  /** Looks again at once: for the end of a suspension, a turned clock, an unlocked screen. */
  reconsider(): void;
  stop(): void;
}

/** How long to wait after a round that failed. */
const AFTER_FAILURE_MS = 5_000;

/** Never sooner than this, so that no fault can make the sentinel spin. */
const SHORTEST_MS = 20;

/**
 * Ends what has outlived its time (document 003's WorkerReaper; FORCE_ROLLBACK). A janitor, not a guard: every step judges its own deadline, and all
 * stays safe if this never runs; it only sees to it that somebody is told in time. One timer to the next deadline, none when nothing waits.
 */
export function createSentinel({ watched, timers, report }: SentinelDeps): Sentinel {
  let running = false;
  let working = false;
  let again = false;
  let cancel: (() => void) | undefined;
  let unsubscribe: (() => void) | undefined;

  function arm(ms: number | null): void {
    cancel?.();
    cancel = ms === null || !running ? undefined : timers.after(Math.max(ms, SHORTEST_MS), round);
  }

  /** Expires what is over; gives the time until it must look again. */
  function look(): number | null {
    try {
      do {
        again = false;
        const done = watched.expireDue();
        if (!done.ok) {
          report('what is over could not be expired', { code: done.code });
          return AFTER_FAILURE_MS;
        }
      } while (hasChanged());
      return watched.nextDeadlineMs();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      report('deadlines could not be read', { code: 'store-unavailable' });
      return AFTER_FAILURE_MS;
    }
  }
  const hasChanged = (): boolean => again;

  /** Expires what is over and arms for what comes next. What happens meanwhile is looked at once more, not in between. */
  function round(): void {
    if (!running) return;
    if (working) {
      again = true;
      return;
    }
    working = true;
    try {
      arm(look());
    } finally {
      working = false;
    }
  }

  return {
    start(left = { restored: false }) {
      const settled = watched.settleInterrupted(left);
      if (!settled.ok) return settled;
      running = true;
      unsubscribe = watched.subscribe(round);
      round();
      return settled;
    },
    reconsider: round,
    stop() {
      running = false;
      cancel?.();
      cancel = undefined;
      unsubscribe?.();
      unsubscribe = undefined;
    },
  };
}
