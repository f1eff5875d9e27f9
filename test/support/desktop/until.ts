import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits for a condition of the outside world that sends no event of its own (X11 windows, files, bus names).
 *
 * @param what  said in the error when it does not come true
 * @param probe undefined, null and false mean "not yet"; anything else is the answer
 * @throws when the deadline is over, with the last error of the probe as its cause
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 15_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== null && answer !== false) return answer as Exclude<T, undefined | null | false>;
      cause = undefined;
    } catch (error) {
      cause = error; // kept: it explains the time-out
    }
    if (Date.now() >= deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`, { cause });
    await pause(everyMs);
  }
}
