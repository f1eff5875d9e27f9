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
      let settle: (end: Promise<Submitted>) => void = () => undefined;
      const end = new Promise<Submitted>((resolve) => (settle = resolve));
      settle(start(() => {
        const key = name();
        if (calls.has(key)) return;
        calls.set(key, end);
        const over = (): void => void calls.delete(key);
        end.then(over, over);
      }));
      return end;
    },
  };
}
