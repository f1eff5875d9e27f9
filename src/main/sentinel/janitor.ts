import type { Result } from '../../shared/result.ts';
import type { Timers } from '../../shared/vocabulary/time.ts';
import { StoreUnavailable } from '../audit/index.ts';

/** One thing that is kept for a time and then forgotten. */
export interface Chore {
  readonly name: string;
  /** Forgets what was kept long enough. Gives a refusal, or throws `StoreUnavailable`, when that could not be committed. */
  readonly forget: () => Result<unknown>;
}

export interface JanitorDeps {
  readonly chores: readonly Chore[];
  readonly timers: Timers;
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
}

/** The first round comes when a start has settled down. */
const FIRST_MS = 30_000;
const EVERY_MS = 3_600_000;

/** Forgets, once an hour, what was promised to be kept for a time only. Nothing rests on when it does; one chore that fails keeps none of the others. */
export function createJanitor({ chores, timers, report }: JanitorDeps): { start(): void; stop(): void } {
  let cancel: (() => void) | undefined;

  function failure({ forget }: Chore): string | undefined {
    try {
      const done = forget();
      return done.ok ? undefined : done.code;
    } catch (error) {
      if (error instanceof StoreUnavailable) return 'store-unavailable';
      throw error;
    }
  }

  function round(): void {
    cancel = timers.after(EVERY_MS, round);
    for (const chore of chores) {
      const code = failure(chore);
      if (code !== undefined) report('what was kept long enough could not be forgotten', { what: chore.name, code });
    }
  }

  return {
    start: () => void (cancel ??= timers.after(FIRST_MS, round)),
    stop() {
      cancel?.();
      cancel = undefined;
    },
  };
}
