import type { Submitted } from './dispatch.ts';

/**
 * Calls in whose middle their own client is asked something. As with a question at the window, a repeat of such a call joins it and never reaches the
 * target (contract, 3.2); there is no handle, so it lives as long as the call.
 */
export interface Relayed {
  /** What an identical call under way will come to. */
  find(name: () => string): Promise<Submitted> | undefined;
  /** Starts a call, which is joined from the moment it says that its client is asked. */
  run(name: () => string, start: (asked: () => void) => Promise<Submitted>): Promise<Submitted>;
}

export function createRelayed(): Relayed {
  const calls = new Map<string, Promise<Submitted>>();
  return {
    find: (name) => (calls.size === 0 ? undefined : calls.get(name())),
    run(name, start) {
      const under: { way?: Promise<Submitted>; join?: (way: Promise<Submitted>) => void } = {};
      under.way = start(() => {
        const key = name();
        if (calls.has(key)) return;
        const shared = new Promise<Submitted>((resolve) => (under.join = resolve));
        calls.set(key, shared);
        const over = (): void => void calls.delete(key);
        shared.then(over, over);
        if (under.way !== undefined) under.join?.(under.way);
      });
      under.join?.(under.way);
      return under.way;
    },
  };
}
