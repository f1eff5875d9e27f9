import type { Timers } from '../../shared/vocabulary/time.ts';
import type { Elicit, ElicitAnswer, Question } from './ports.ts';

/** How the human's word came out (document 000, capability table). */
export type ConfirmationStatus = 'accepted' | 'declined' | 'cancelled' | 'timed_out' | 'failed' | 'call_cancelled' | 'unsupported_by_client';

export interface HumanConfirmation {
  readonly status: ConfirmationStatus;
  readonly detail: string;
}

const DETAILS: Readonly<Record<ConfirmationStatus, string>> = {
  accepted: 'The client reported that the user accepted, with confirm = true. That is its word; it does not prove that a person read the prompt.',
  declined: 'The user declined, or accepted without confirm = true.',
  cancelled: 'The user dismissed the question.',
  timed_out: 'No answer came in time.',
  failed: 'The question could not be put to the user, or its answer was none.',
  call_cancelled: 'The client cancelled the call before anything was sent.',
  unsupported_by_client: 'The client does not declare form elicitation, so nobody was asked.',
};

export const confirmationOf = (status: ConfirmationStatus): HumanConfirmation => ({ status, detail: DETAILS[status] });

/**
 * Asks the human, and waits no longer than `timeoutMs` or than the call is wanted. Whatever comes first counts; a late or second answer changes
 * nothing. Only an acceptance with `confirm` being the boolean `true` is one.
 */
export function askHuman(elicit: Elicit, question: Question, { timers, timeoutMs, signal }: { readonly timers: Timers; readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<ConfirmationStatus> {
  const waiting = new AbortController();
  return new Promise((resolve) => {
    const settle = (status: ConfirmationStatus): void => {
      stopTimer();
      signal.removeEventListener('abort', cancelled);
      resolve(status);
    };
    /** Nobody waits for the answer any more; who asks is told, so that the question can be taken back. */
    const giveUp = (status: ConfirmationStatus): void => {
      settle(status);
      waiting.abort();
    };
    const cancelled = (): void => giveUp('call_cancelled');
    const stopTimer = timers.after(timeoutMs, () => giveUp('timed_out'));
    if (signal.aborted) {
      cancelled();
      return;
    }
    signal.addEventListener('abort', cancelled, { once: true });
    // A round trip that throws is an outcome of document 000, `failed`; the cause belongs to whoever speaks to the client.
    Promise.resolve().then(() => elicit(question, waiting.signal)).then((answer) => settle(statusOf(answer)), () => settle('failed'));
  });
}

function statusOf(answer: ElicitAnswer): ConfirmationStatus {
  switch (answer.action) {
    case 'decline': return 'declined';
    case 'cancel': return 'cancelled';
    case 'lapse': return 'timed_out';
    case 'accept': return typeof answer.content === 'object' && answer.content !== null && 'confirm' in answer.content && answer.content.confirm === true ? 'accepted' : 'declined';
    default: return 'failed';
  }
}
