import type { Turn } from '../../dispatch/ports.ts';

/** Lets one in after the other. */
export interface Turns {
  /** Runs `run` when all that came before are done. When `ms` pass or the signal is aborted before its turn, it is left out and `late` or `cancelled` answers. */
  take<T>(run: () => Promise<T>, wait: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly late: (note: string) => T; readonly cancelled: (note: string) => T }): Promise<T>;
  /** A turn for whoever can wait for it: at once where nobody is before it. The next comes when it is ended. */
  enter(): Turn | Promise<Turn>;
  /** Whether this is the turn now. */
  isNow(turn: Turn | undefined): boolean;
  waiting(): number;
}

export function createTurns(): Turns {
  const queue = new Set<() => void>();
  let busy = false;
  let present: Turn | undefined;

  const next = (): void => {
    const [first] = queue;
    busy = first !== undefined;
    if (first === undefined) return;
    queue.delete(first);
    first();
  };

  const begin = (): Turn => {
    const turn: Turn = {
      end() {
        if (present !== turn) return;
        present = undefined;
        next();
      },
    };
    present = turn;
    return turn;
  };

  return {
    enter() {
      if (busy) return new Promise((resolve) => queue.add(() => resolve(begin())));
      busy = true;
      return begin();
    },
    isNow: (turn) => turn !== undefined && turn === present,
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
