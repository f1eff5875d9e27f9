import { refusals } from '../../../shared/refusals.ts';
import type { RpcError } from '../../../shared/vocabulary/request.ts';
import { judgeQuestion } from '../../preflight/index.ts';
import type { Relay } from '../../dispatch/ports.ts';
import type { Log } from '../../platform/log.ts';
import { errorText, isRpcError, resultText } from './messages.ts';
import type { Params, QuestionId } from './messages.ts';

/** The call a question of the target belongs to. */
export interface Asker {
  readonly relay: Relay | undefined;
  /** The target waits for us, not we for it. */
  pause(): void;
  resume(): void;
}

export interface Questions {
  /** Answers a request of the target, through the relay of the call it belongs to. A request whose id was seen before is dropped: in the same call, and where the transport may deliver it again in a later one, too. `isGuess`: other calls are in flight that it may belong to as well. */
  ask(id: QuestionId, method: string, params: Params | undefined, asker: Asker | undefined, isGuess?: boolean): void;
  /** The target took its question back. */
  withdraw(id: unknown): void;
  /** The call ended: what it still asks is answered with a cancel, so that the target can let go. */
  close(asker: Asker): void;
  /** The transport is gone: nobody waits for answers. */
  end(): void;
}

/** How many ids of answered questions are remembered, against a transport that delivers one twice. */
const REMEMBERED = 4_096;

/** What a target is told whose question nobody behind the call can be asked; of requests that are no questions to a human, that there is no such method. */
export function nobodyToAsk(method: string): RpcError {
  if (!method.startsWith('elicitation/')) return { code: -32601, message: 'There is no client to put this question to.' };
  const { number, sentence } = refusals['unsupported-by-client'];
  return { code: number, message: sentence, data: { code: 'unsupported-by-client' } };
}

/** Requests that a target makes of the client, in the middle of a call (MCP 2025-11-25: elicitation, sampling, roots; document 003: elicitation/createMessage). */
export function createQuestions({ reply, log, redelivers }: { readonly reply: (text: string) => void; readonly log: Log; readonly redelivers: boolean }): Questions {
  const open = new Map<QuestionId, { readonly asker: Asker; readonly method: string; readonly abort: AbortController }>();
  const seen = new Map<QuestionId, Asker | undefined>();

  const finish = (id: QuestionId, text: string | undefined): void => {
    const question = open.get(id);
    if (question === undefined) return;
    open.delete(id);
    question.asker.resume();
    if (text !== undefined) reply(text);
  };

  const relayed = async (id: QuestionId, method: string, params: Params | undefined, relay: Relay, signal: AbortSignal): Promise<void> => {
    try {
      const result = await relay.ask(method, params, signal);
      finish(id, resultText(id, result));
    } catch (error) {
      if (isRpcError(error)) {
        finish(id, errorText(id, error));
        return;
      }
      log.error('target.question-failed', {}, error);
      finish(id, errorText(id, { code: -32603, message: 'The question could not be put.' }));
    }
  };

  return {
    ask(id, method, params, asker, isGuess = false) {
      if (seen.has(id)) return;
      remember(seen, id, asker);
      if (method === 'ping') {
        reply(resultText(id, {}));
        return;
      }
      if (asker?.relay === undefined) {
        reply(errorText(id, nobodyToAsk(method)));
        return;
      }
      // A human must not be shown one call's fields for the question of another.
      if (isGuess && asker.relay.attests === true && method.startsWith('elicitation/')) {
        reply(errorText(id, { code: refusals['question-unclear'].number, message: refusals['question-unclear'].sentence, data: { code: 'question-unclear' } }));
        return;
      }
      const judged = judgeQuestion({ method, params }, { attests: asker.relay.attests === true });
      if (!judged.ok) {
        const { number, sentence } = refusals[judged.code];
        reply(errorText(id, { code: number, message: sentence, data: { code: judged.code } }));
        return;
      }
      const abort = new AbortController();
      open.set(id, { asker, method, abort });
      asker.pause();
      void relayed(id, judged.value.method, judged.value.params, asker.relay, abort.signal);
    },
    withdraw(id) {
      const question = typeof id === 'string' || typeof id === 'number' ? open.get(id) : undefined;
      if (question === undefined) return;
      finish(id as QuestionId, undefined);
      question.abort.abort();
    },
    close(asker) {
      for (const [id, question] of open) {
        if (question.asker !== asker) continue;
        finish(id, question.method.startsWith('elicitation/') ? resultText(id, { action: 'cancel' }) : errorText(id, { code: -32000, message: 'The call this question belongs to has ended.' }));
        question.abort.abort();
      }
      // Over a pipe nothing comes twice, and daemons exist that count from one again in each call: their next question is another one.
      if (!redelivers) for (const [id, whose] of seen) if (whose === asker || whose === undefined) seen.delete(id);
    },
    end() {
      for (const [id, question] of open) {
        finish(id, undefined);
        question.abort.abort();
      }
    },
  };
}

function remember(seen: Map<QuestionId, Asker | undefined>, id: QuestionId, asker: Asker | undefined): void {
  if (seen.size >= REMEMBERED) {
    const [oldest] = seen.keys();
    if (oldest !== undefined) seen.delete(oldest);
  }
  seen.set(id, asker);
}
