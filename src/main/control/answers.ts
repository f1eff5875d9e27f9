import { refusals } from '../../shared/refusals.ts';
import { ok, refused, type Refused, type Result } from '../../shared/result.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import { StoreUnavailable } from '../audit/index.ts';

/** Runs what commits to a store; one that cannot becomes a refusal with nothing done. */
export async function committed<T>(work: () => Promise<T> | T): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof StoreUnavailable) return refused('store-unavailable');
    throw error;
  }
}

/** As `committed`, for work that ends at once. */
export function committedNow<T>(work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    if (error instanceof StoreUnavailable) return refused('store-unavailable');
    throw error;
  }
}

/** A refusal as the answer a dispatched change settles with: nothing was changed, and `data.code` says why. */
export function answerOf({ code, at }: Refused): Answer {
  const { number, sentence, next } = refusals[code];
  return { kind: 'error', error: { code: number, message: sentence, data: { code, next, ...(at !== undefined && { at }) } } };
}
