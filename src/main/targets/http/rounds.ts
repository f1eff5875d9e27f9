import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { canonicalText } from '../../canonical/index.ts';
import { isRpcError } from '../rpc/messages.ts';
import { nobodyToAsk } from '../rpc/questions.ts';
import type { PeerRequest } from '../rpc/peer.ts';

/** A target that asks on and on is stopped. */
const MOST_ROUNDS = 10;

/**
 * Asks a target of the stateless revision on behalf of a client of an older one: each time it wants input first (MCP 2026-07-28, multi round-trip
 * requests), its questions are put to the client as such, and the request goes again with the answers. Results of other kinds are faults to an older
 * client; `kept` hands them on, for one of this revision whose questions are answered here.
 */
export async function answerRounds(request: PeerRequest, ask: (request: PeerRequest) => Promise<Answer>, { others = 'refused' }: { readonly others?: 'refused' | 'kept' } = {}): Promise<Answer> {
  let asked = request;
  /** What somebody said no to. */
  const declined = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const answer = await ask(asked);
    if (answer.kind !== 'result') return answer;
    const { resultType, inputRequests, requestState } = answer.result as JsonObject;
    if (resultType === undefined || resultType === 'complete') return { kind: 'result', result: plain(answer.result) };
    // Any other kind (a task, say) is none an older client could tell from a result.
    if (resultType !== 'input_required' && others === 'kept') return answer;
    if (resultType !== 'input_required') return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target answered with a kind of result that was not declared' };
    const given = await put(request, isJsonObject(inputRequests) ? inputRequests : {}, declined);
    if ('ends' in given) return given.ends;
    const params = { ...(JSON.parse(request.paramsText) as JsonObject), inputResponses: given.responses, ...(requestState !== undefined && { requestState }) };
    asked = { ...request, paramsText: canonicalText(params) };
  }
  return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target asked for input too often' };
}

/** Puts the questions to the client, one after another. Its refusal of one ends the call with that error; a no is a no, and who asks the very same again is stopped. */
async function put({ relay, signal }: PeerRequest, inputRequests: JsonObject, declined: Set<string>): Promise<{ readonly responses: JsonObject } | { readonly ends: Answer }> {
  const responses: [string, JsonValue][] = [];
  for (const [key, question] of Object.entries(inputRequests)) {
    const { method, params } = isJsonObject(question) ? question : {};
    if (typeof method !== 'string' || relay === undefined) return { ends: { kind: 'error', error: nobodyToAsk(typeof method === 'string' ? method : '') } };
    const text = canonicalText(question);
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

/** Older revisions know no kinds of results. */
const plain = (result: Record<string, unknown>): Record<string, unknown> => Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'resultType'));
