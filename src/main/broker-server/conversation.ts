import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { ElicitAnswer, Question } from '../broker/ports.ts';
import { CARD } from './server.ts';
import type { BrokerServer } from './server.ts';

/** Asks through the approval window, or whoever else answers for this call. Throws when the round trip failed. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<ElicitAnswer>;

export interface Conversation {
  readonly face: { readonly protocolVersion: string; readonly capabilities: JsonObject; readonly serverInfo: JsonObject; readonly instructions: string | null };
  /** One request. An aborted signal is told as a cancellation, and the answer is still waited for: it says whether anything was executed. */
  request(method: string, params: JsonObject, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Talks to a broker server inside this process over the SDK's in-memory transport, as a client that declares form elicitation when there is somebody to
 * ask. Each call has a conversation of its own, so that a question belongs to one call beyond doubt.
 */
export async function converse({ server }: BrokerServer, { self, ask, report }: { readonly self: JsonObject; readonly ask: Ask | undefined; readonly report: (error: unknown) => void }): Promise<Conversation> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<number, (answer: Answer) => void>();
  const questions = new Map<string | number, AbortController>();
  let ids = 0;

  const send = (message: object): Promise<void> => near.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const answerQuestion = async (id: string | number, params: unknown): Promise<void> => {
    const call = new AbortController();
    questions.set(id, call);
    try {
      if (ask === undefined) throw new Error('nobody to ask');
      await send({ id, result: await ask(questionIn(params), call.signal) });
    } catch (error) {
      // The broker is told that the round trip failed. A question taken back has no answer to be told of.
      if (!call.signal.aborted) report(error);
      await send({ id, error: { code: -32603, message: 'the question could not be asked' } }).catch(report);
    } finally {
      questions.delete(id);
    }
  };
  near.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) void (message.method === 'elicitation/create' ? answerQuestion(message.id, message.params) : send({ id: message.id, error: { code: -32601, message: 'not served here' } }));
    else if ('method' in message) {
      const asked = message.params?.['requestId'];
      if (message.method === 'notifications/cancelled' && (typeof asked === 'string' || typeof asked === 'number')) questions.get(asked)?.abort();
    } else {
      const settle = waiting.get(message.id as number);
      waiting.delete(message.id as number);
      settle?.('error' in message ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result });
    }
  };
  near.onclose = () => {
    for (const settle of waiting.values()) settle({ kind: 'lost', note: 'the broker was stopped' });
    waiting.clear();
  };

  const request: Conversation['request'] = async (method, params, signal) => {
    const id = (ids += 1);
    const cancel = (): void => void send({ method: 'notifications/cancelled', params: { requestId: id } }).catch(report);
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    await send({ id, method, params });
    if (signal?.aborted === true) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    return answer.finally(() => signal?.removeEventListener('abort', cancel));
  };

  await server.connect(far);
  await near.start();
  const hello = await request('initialize', { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: ask === undefined ? {} : { elicitation: { form: {} } }, clientInfo: self });
  if (hello.kind !== 'result') throw new Error('our own broker does not initialize');
  await send({ method: 'notifications/initialized' });
  const { protocolVersion, capabilities, serverInfo, instructions } = hello.result as { readonly protocolVersion: string; readonly capabilities: JsonObject; readonly serverInfo: JsonObject; readonly instructions?: string };
  return { face: { protocolVersion, capabilities, serverInfo, instructions: instructions ?? null }, request, close: () => near.close() };
}

function questionIn(params: unknown): Question {
  const { message, requestedSchema, _meta: meta } = params as { readonly message: string; readonly requestedSchema: JsonObject; readonly _meta?: unknown };
  const card = isJsonObject(meta) ? meta[CARD] : undefined;
  if (!isJsonObject(card)) throw new Error('a question without its card');
  return { message, requestedSchema, card: card as unknown as Question['card'] };
}
