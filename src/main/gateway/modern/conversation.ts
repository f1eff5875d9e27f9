import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import { ANSWERED, type RpcId } from '../http/answer.ts';
import { LEFT } from '../mcp/calls.ts';
import type { Exchange } from '../mcp/exchange.ts';
import { shapedText, type Asked } from '../mcp/told.ts';
import { statelessShape } from './shape.ts';

/**
 * One call of a client of the stateless revision, over as many requests as it takes: where the target asks in mid-call, the request under way is
 * answered with that question, and the next request that brings the answer goes on with the same call (MCP 2026-07-28, multi round-trip requests).
 * To the rest of the gateway it is one exchange.
 */
export interface Conversation {
  readonly exchange: Exchange;
  /** The call ends with it: aborted when the client closes a request that was not answered. */
  readonly cancel: AbortController;
  /** Puts a question of the target; resolves with the client's answer, and rejects when the call ends first. A client that has not come back with it `withinMs` later has left. */
  ask(method: string, params: Record<string, unknown> | undefined, signal: AbortSignal | undefined, withinMs?: number): Promise<Record<string, unknown>>;
  /** The client was told what its user is asked, and has not come back yet. */
  waitsForUser(): boolean;
  /** Goes on with a further request, which may bring answers; without one it is told again what is asked. Progress is told under its token from then on. */
  resume(next: Exchange, responses: JsonObject, progressToken: ProgressToken): void;
  /** The token under which the request under way hears of progress. */
  progressToken(): ProgressToken;
}

type ProgressToken = string | number | undefined;

interface Needs {
  readonly asked: Asked;
  readonly first: Exchange;
  readonly progressToken: ProgressToken;
  /** Makes the state that the next request has to bring, and keeps the conversation findable by it until it is used. */
  readonly stateFor: (conversation: Conversation) => string;
  /** How long the client may take between two requests. */
  readonly askMs: number;
  readonly unanswered: () => Error;
}

export function createConversation({ asked, first, progressToken, stateFor, askMs, unanswered }: Needs): Conversation {
  const cancel = new AbortController();
  const questions = new Map<string, { readonly question: JsonObject; readonly until: number; readonly resolve: (answer: Record<string, unknown>) => void; readonly reject: (fault: Error) => void }>();
  const listeners: (() => void)[] = [];
  let current: Exchange | undefined;
  let token = progressToken;
  let id: RpcId = first.id;
  let final: { readonly text: string; readonly sent: (() => void) | undefined } | undefined;
  let beat: (() => void) | undefined;
  let count = 0;
  let over = false;
  let timer: NodeJS.Timeout | undefined;

  const end = (): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    for (const { reject } of questions.values()) reject(unanswered());
    questions.clear();
    for (const listener of listeners) listener();
  };

  const attach = (exchange: Exchange): void => {
    current = exchange;
    id = exchange.id;
    clearTimeout(timer);
    exchange.onOver(() => {
      if (current !== exchange || over) return;
      current = undefined;
      if (final === undefined) cancel.abort(LEFT);
      end();
    });
    if (beat !== undefined) exchange.hold(beat);
  };

  /** Answers the request under way with what the target wants to know. */
  const put = (): void => {
    const exchange = current;
    if (exchange === undefined || questions.size === 0) return;
    current = undefined;
    const first = Math.min(...[...questions.values()].map(({ until }) => until));
    timer = setTimeout(() => {
      cancel.abort(LEFT);
      end();
    }, Math.max(1, first - performance.now()));
    const inputRequests = Object.fromEntries([...questions].map(([key, { question }]) => [key, question]));
    exchange.answer(shapedText({ ...asked, id, shape: statelessShape }, { resultType: 'input_required', inputRequests, requestState: stateFor(conversation) }));
  };

  const deliver = (): void => {
    if (current === undefined || final === undefined) return;
    const exchange = current;
    exchange.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}${final.text}`, final.sent);
    end();
  };

  const conversation: Conversation = {
    cancel,
    exchange: {
      get id() {
        return first.id;
      },
      answer(text, sent) {
        // The text begins with the id of the first request; each further one has its own.
        const prefix = `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)}`;
        if (!text.startsWith(prefix)) throw new Error('an answer to another request');
        final ??= { text: text.slice(prefix.length), sent };
        deliver();
        return ANSWERED;
      },
      notify: (text) => current?.notify(text) ?? false,
      hold(each) {
        beat = each;
        current?.hold(each);
      },
      drop() {
        current?.drop();
        end();
        return ANSWERED;
      },
      onOver(listener) {
        if (over) listener();
        else listeners.push(listener);
      },
      isOver: () => over,
    },
    ask(method, params, signal, withinMs = askMs) {
      if (over) return Promise.reject(unanswered());
      count += 1;
      const key = `${method.replaceAll('/', '-')}-${count}`;
      return new Promise((resolve, reject) => {
        questions.set(key, { question: { method, ...(params !== undefined && { params: params as JsonObject }) }, until: performance.now() + Math.min(askMs, withinMs), resolve, reject });
        signal?.addEventListener('abort', () => {
          if (questions.delete(key)) reject(unanswered());
        }, { once: true });
        put();
      });
    },
    waitsForUser: () => !over && current === undefined && [...questions.values()].some(({ question }) => question['method'] === 'elicitation/create'),
    progressToken: () => token,
    resume(next, responses, ownToken) {
      token = ownToken;
      attach(next);
      for (const [key, answer] of Object.entries(responses)) {
        const question = questions.get(key);
        if (question === undefined || !isJsonObject(answer)) continue;
        questions.delete(key);
        question.resolve(answer);
      }
      deliver();
      put();
    },
  };
  attach(first);
  return conversation;
}
