/** Lets one in after the other. */
export interface Turns {
  /** Runs `run` when all that came before are done. When `ms` pass or the signal is aborted before its turn, it is left out and `late` or `cancelled` answers. */
  take<T>(run: () => Promise<T>, wait: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly late: (note: string) => T; readonly cancelled: (note: string) => T }): Promise<T>;
  waiting(): number;
}

export function createTurns(): Turns {
  const queue = new Set<() => void>();
  let busy = false;

  const next = (): void => {
    const [first] = queue;
    busy = first !== undefined;
    if (first === undefined) return;
    queue.delete(first);
    first();
  };

  return {
    take(run, { ms, signal, late, cancelled: given }) {
      // Whose turn it is at once needs nothing that ends waiting.
      if (!busy && signal?.aborted !== true) {
        busy = true;
        const running = run();
        running.then(next, next);
        return running;
      }
      return new Promise((resolve, reject) => {
        const begin = (): void => {
          leave();
          run().then(resolve, reject).finally(next);
        };
        const miss = (answer: () => ReturnType<typeof late>): void => {
          if (!queue.delete(begin)) return;
          leave();
          resolve(answer());
        };
        const cancelled = (): void => miss(() => given('cancelled by the caller'));
        const timer = setTimeout(() => miss(() => late('the deadline passed while other calls were running')), ms);
        const leave = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', cancelled);
        };
        queue.add(begin);
        if (signal?.aborted === true) cancelled();
        signal?.addEventListener('abort', cancelled, { once: true });
        if (!busy) next();
      });
    },
    waiting: () => queue.size,
  };
}
