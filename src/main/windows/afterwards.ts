/** Time, as an adapter has it: calls once after so many milliseconds; what it returns takes that back. */
type After = (ms: number, then: () => void) => () => void;

const byTimer: After = (ms, then) => {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
};

/** Long enough for a window to be drawn, too short for anybody to miss what comes after it. */
const MOMENT_MS = 120;

/**
 * What may come a moment later, so that the window need not wait for it: notifications and the tray's icon are calls to other programs, and each
 * takes as long as those take. Of one name only the last work is done; it is done after at most `MOMENT_MS`, in the order the names came.
 */
export function createAfterwards(after: After = byTimer) {
  const waiting = new Map<string, () => void>();
  let cancel: (() => void) | undefined;
  const doAll = (): void => {
    cancel = undefined;
    const works = [...waiting.values()];
    waiting.clear();
    for (const work of works) work();
  };
  return {
    put(name: string, work: () => void): void {
      waiting.set(name, work);
      cancel ??= after(MOMENT_MS, doAll);
    },
    /** Whether there was such a work, which is now never done. */
    drop: (name: string): boolean => waiting.delete(name),
    /** Nothing that waits is done any more. */
    close(): void {
      cancel?.();
      cancel = undefined;
      waiting.clear();
    },
  };
}
