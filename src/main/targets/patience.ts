import type { Unready } from './rpc/handshake.ts';

/** A failure before anything of the call has left. */
export const unreachable = (note: string): Extract<Unready, { kind: 'fault' }> => ({ kind: 'fault', code: 'upstream-unreachable', sent: false, note });

/** The call's time was over before anything of it had left. */
export const tooLate = (note: string): Extract<Unready, { kind: 'fault' }> => ({ kind: 'fault', code: 'upstream-timeout', sent: false, note });

/** What a call has left of its time. Questions to a human do not count; see `rpc/deadline.ts`. */
export interface Patience {
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

export const patience = (call: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined }): Patience => ({ until: performance.now() + call.deadlineMs, signal: call.signal });

/** The milliseconds left, at least 0. */
export const left = ({ until }: Patience): number => Math.max(until - performance.now(), 0);

/** Waits for what must be ready before a call can be sent, no longer than the call itself may take. What is waited for goes on. */
export function waitFor<T>(what: Promise<T>, call: Patience): Promise<T | Unready> {
  return new Promise((resolve, reject) => {
    const giveUp = (failure: Unready): void => {
      clear();
      resolve(failure);
    };
    const cancelled = (): void => giveUp(unreachable('cancelled by the caller'));
    const timer = setTimeout(() => giveUp(tooLate('the deadline passed before the target was ready')), left(call));
    const clear = (): void => {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', cancelled);
    };
    if (call.signal?.aborted === true) cancelled();
    else call.signal?.addEventListener('abort', cancelled, { once: true });
    what.then(resolve, reject).finally(clear);
  });
}

/** Waits for something to be over, however it ends, and at most `ms`. */
export function within(ms: number, what: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    what.then(done, done);
  });
}
