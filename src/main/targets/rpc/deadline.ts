/** A deadline that stands still while a human is being asked: the time a question takes is not the target's. */
export interface Deadline {
  /** Stops the clock; calls nest. */
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Runs `passed` once when `ms` milliseconds have gone by, pauses not counted. */
export function startDeadline(ms: number, passed: () => void): Deadline {
  let left = ms;
  let since = performance.now();
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined = setTimeout(passed, ms);
  return {
    pause() {
      pauses += 1;
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - since;
    },
    resume() {
      pauses -= 1;
      if (pauses > 0 || timer !== undefined) return;
      since = performance.now();
      timer = setTimeout(passed, Math.max(left, 0));
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      pauses = Number.POSITIVE_INFINITY;
    },
  };
}
