import type { Reply } from '../../shared/contract/define.ts';
import type { Refused, Result } from '../../shared/result.ts';

/** A result as a window is answered: its value as `told`, or the code with the numbers the window knows. */
export function reply<T, U>(result: Result<T>, told: (value: T) => U): Reply<U> {
  return result.ok ? { ok: true, value: told(result.value) } : refusedReply(result);
}

function refusedReply({ code, details }: Refused): Reply<never> {
  const left = details?.['attempts_left'];
  const wait = details?.['retry_after_s'];
  if (left === undefined && wait === undefined) return { ok: false, code };
  return { ok: false, code, detail: { ...(left !== undefined && { attemptsLeft: left }), ...(wait !== undefined && { retryAfterMs: wait * 1000 }) } };
}
