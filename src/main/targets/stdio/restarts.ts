/** A daemon that lived this long is counted as sound again. */
const SOUND_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 500;

/** How soon a crashed daemon may be started again: at once after one crash, then after waits that double up to `longestMs`. */
export interface Restarts {
  started(): void;
  crashed(): void;
  /** Resolves when a start is due, or when it is called off. */
  wait(): Promise<void>;
  callOff(): void;
}

export function createRestarts(longestMs: number): Restarts {
  let crashes = 0;
  let startedAt = 0;
  let notBefore = 0;
  const off = new AbortController();
  return {
    started() {
      startedAt = performance.now();
    },
    crashed() {
      crashes = performance.now() - startedAt > SOUND_AFTER_MS ? 1 : crashes + 1;
      notBefore = crashes < 2 ? 0 : performance.now() + Math.min(FIRST_WAIT_MS * 2 ** (crashes - 2), longestMs);
    },
    async wait() {
      const ms = notBefore - performance.now();
      if (ms <= 0 || off.signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        off.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
    callOff: () => off.abort(),
  };
}
