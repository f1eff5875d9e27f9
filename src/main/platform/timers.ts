import type { Timers } from '../../shared/vocabulary/time.ts';

/** The longest delay a Node timer takes; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Timers of any length that never keep the process alive. */
export function createTimers(): Timers {
  return {
    after(ms, run) {
      let timer: NodeJS.Timeout;
      const arm = (left: number): void => {
        const leg = Math.min(Math.max(left, 0), LONGEST_MS);
        timer = setTimeout(() => {
          if (left > leg) arm(left - leg);
          else run();
        }, leg);
        timer.unref();
      };
      arm(ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves after at least `ms` milliseconds; never keeps the process alive. */
export const delay = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
