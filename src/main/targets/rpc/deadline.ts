/** A deadline that stands still while a human is being asked: the time a question takes is not the target's. */
export interface Deadline {
  /** Stops the clock; calls nest. */
  pause(): void;
  resume(): void;
  /** The target shows that it goes on: it has the whole time again, though never more than an hour in all. */
  renew(): void;
  clear(): void;
}

const LONGEST_MS = 3_600_000;

/** Runs `passed` once when `ms` milliseconds have gone by since it began or was renewed, pauses not counted. */
export function startDeadline(ms: number, passed: () => void): Deadline {
  let left = ms;
  /** Milliseconds it ran before it was last stopped. */
  let ran = 0;
  let since = performance.now();
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined = setTimeout(passed, ms);

  const stop = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const took = performance.now() - since;
    left -= took;
    ran += took;
  };
  const go = (): void => {
    if (pauses > 0 || timer !== undefined) return;
    since = performance.now();
    timer = setTimeout(passed, Math.max(left, 0));
  };

  return {
    pause() {
      pauses += 1;
      stop();
    },
    resume() {
      pauses -= 1;
      go();
    },
    renew() {
      stop();
      left = Math.max(left, Math.min(ms, LONGEST_MS - ran));
      go();
    },
    clear() {
      pauses = Number.POSITIVE_INFINITY;
      stop();
    },
  };
}
