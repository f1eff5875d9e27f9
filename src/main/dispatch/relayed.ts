import type { Submitted } from './dispatch.ts';

/**
 * Calls in whose middle their own client is asked something. As with a question at the window, a repeat of such a call joins it and never reaches the
 * target (contract, 3.2); there is no handle, so it lives as long as the call. It is cancelled when the last of those who hold it
 * has left.
 */
export interface Relayed {
  /** What an identical call under way will come to. `signal`: who asks has left. */
  find(name: () => string, signal: AbortSignal | undefined): Promise<Submitted> | undefined;
  /** Starts a call, which is joined from the moment it says that its client is asked, and has to end when its own signal is aborted. */
  run(name: () => string, signal: AbortSignal | undefined, start: (asked: () => void, signal: AbortSignal) => Promise<Submitted>): Promise<Submitted>;
}

interface Held {
  readonly signal: AbortSignal;
  /** One more holds it, until their signal is aborted. */
  by(signal: AbortSignal | undefined): void;
}

export function createRelayed(): Relayed {
  const calls = new Map<string, { readonly end: Promise<Submitted>; readonly held: Held }>();
  return {
    find(name, signal) {
      const call = calls.size === 0 ? undefined : calls.get(name());
      call?.held.by(signal);
      return call?.end;
    },
    run(name, signal, start) {
      const held = createHeld();
      held.by(signal);
      let settle: (end: Promise<Submitted>) => void = () => undefined;
      const end = new Promise<Submitted>((resolve) => (settle = resolve));
      const asked = (): void => {
        const key = name();
        if (calls.has(key)) return;
        calls.set(key, { end, held });
        const over = (): void => void calls.delete(key);
        end.then(over, over);
      };
      settle(start(asked, held.signal));
      return end;
    },
  };
}

function createHeld(): Held {
  const end = new AbortController();
  let holders = 0;
  return {
    signal: end.signal,
    by(signal) {
      holders += 1;
      const left = (): void => {
        holders -= 1;
        if (holders === 0) end.abort(signal?.reason);
      };
      if (signal?.aborted === true) left();
      else signal?.addEventListener('abort', left, { once: true });
    },
  };
}
