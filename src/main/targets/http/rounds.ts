import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { canonicalText } from '../../canonical/index.ts';
import { isRpcError } from '../rpc/messages.ts';
import { nobodyToAsk } from '../rpc/questions.ts';
import type { PeerRequest } from '../rpc/peer.ts';

/** A target that asks on and on is stopped. */
const MOST_ROUNDS = 10;
/** Before a request goes again that the target gave back without a question, only with a state: it is not ready yet. */
const PAUSE_MS = 250;

/**
 * Asks a target of the stateless revision on behalf of a client of an older one: each time it wants input first (MCP 2026-07-28, multi round-trip
 * requests), its questions are put to the client as such, and the request goes again with the answers. Results of other kinds are faults to an older
 * client; `kept` hands them on, for one of this revision whose questions are answered here. A target that asks nothing and is not ready yet is asked
 * again every quarter of a second, as long as the request may take.
 */
export async function answerRounds(request: PeerRequest, ask: (request: PeerRequest) => Promise<Answer>, { others = 'refused', pause = paused }: { readonly others?: 'refused' | 'kept'; readonly pause?: typeof paused } = {}): Promise<Answer> {
  /** What of the request's time the target had; what a question takes is not its. */
  let spent = 0;
  let asked = request;
  /** What somebody said no to. */
  const declined = new Set<string>();
  let rounds = 0;
  while (rounds < MOST_ROUNDS) {
    const began = performance.now();
    const answer = await ask(asked);
    spent += performance.now() - began;
    // A round that did not leave undoes none that left before it.
    if (asked !== request && answer.kind === 'fault' && !answer.sent) return { kind: 'lost', note: answer.note };
    if (answer.kind !== 'result') return answer;
    const { resultType, inputRequests, requestState } = answer.result as JsonObject;
    if (resultType === undefined || resultType === 'complete') return { kind: 'result', result: plain(answer.result) };
    // Any other kind (a task, say) is none an older client could tell from a result.
    if (resultType !== 'input_required' && others === 'kept') return answer;
    if (resultType !== 'input_required') return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target answered with a kind of result that was not declared' };
    let responses: JsonObject = {};
    if (isJsonObject(inputRequests) && Object.keys(inputRequests).length > 0) {
      rounds += 1;
      const given = await put(request, inputRequests, declined);
      if ('ends' in given) return given.ends;
      ({ responses } = given);
    } else {
      spent += PAUSE_MS;
      if (spent > request.deadlineMs) return { kind: 'lost', note: 'the deadline passed before the target was ready' };
      await pause(PAUSE_MS, request.signal);
    }
    // It was sent before: what came of that nobody knows now.
    if (request.signal?.aborted === true) return { kind: 'lost', note: 'cancelled by the caller' };
    asked = { ...request, paramsText: withInput(request.paramsText, responses, requestState) };
  }
  return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target asked for input too often' };
}

/** Puts the questions to the client, one after another. Its refusal of one ends the call with that error; a no is a no, and who asks the very same again is stopped. */
async function put({ relay, signal }: PeerRequest, inputRequests: JsonObject, declined: Set<string>): Promise<{ readonly responses: JsonObject } | { readonly ends: Answer }> {
  const responses: [string, JsonValue][] = [];
  for (const [key, question] of Object.entries(inputRequests)) {
    const { method, params } = isJsonObject(question) ? question : {};
    if (typeof method !== 'string' || relay === undefined) return { ends: { kind: 'error', error: nobodyToAsk(typeof method === 'string' ? method : '') } };
    // What a target says need have no canonical text.
    const text = JSON.stringify(question);
    if (declined.has(text)) return { ends: { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target asked again what was declined' } };
    try {
      const response = (await relay.ask(method, isJsonObject(params) ? params : undefined, signal)) as JsonObject;
      if (response['action'] === 'decline' || response['action'] === 'cancel') declined.add(text);
      responses.push([key, response]);
    } catch (fault) {
      if (!isRpcError(fault)) throw fault;
      return { ends: { kind: 'error', error: { code: fault.code, message: fault.message, ...(fault.data !== undefined && { data: fault.data }) } } };
    }
  }
  return { responses: Object.fromEntries(responses) };
}

/** The params, their own members to the byte, with what the target wants to see again. Its state and its keys are its word, and need have no canonical text. */
function withInput(paramsText: string, inputResponses: JsonObject, requestState: JsonValue | undefined): string {
  const members = new Map(Object.entries(JSON.parse(paramsText) as JsonObject).map(([name, value]) => [name, canonicalText(value)]));
  members.set('inputResponses', JSON.stringify(inputResponses));
  if (requestState !== undefined) members.set('requestState', JSON.stringify(requestState));
  const sorted = [...members].sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Older revisions know no kinds of results. */
const plain = (result: Record<string, unknown>): Record<string, unknown> => Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'resultType'));

/** A cancelled request is waited for no longer. */
const paused = (ms: number, signal: AbortSignal | undefined): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined);
