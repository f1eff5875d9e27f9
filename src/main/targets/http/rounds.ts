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
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const answer = await ask(asked);
    if (answer.kind !== 'result') return answer;
    const { resultType, inputRequests, requestState } = answer.result as JsonObject;
    if (resultType === undefined || resultType === 'complete') return { kind: 'result', result: plain(answer.result) };
    // Any other kind (a task, say) is none an older client could tell from a result.
    if (resultType !== 'input_required' && others === 'kept') return answer;
    if (resultType !== 'input_required') return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target answered with a kind of result that was not declared' };
    const inputResponses = await put(request, isJsonObject(inputRequests) ? inputRequests : {});
    if ('kind' in inputResponses) return inputResponses as Answer;
    const params = { ...(JSON.parse(request.paramsText) as JsonObject), inputResponses, ...(requestState !== undefined && { requestState }) };
    asked = { ...request, paramsText: canonicalText(params) };
  }
  return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target asked for input too often' };
}

/** Puts the questions to the client, one after another. Its refusal of one ends the call with that error. */
async function put({ relay, signal }: PeerRequest, inputRequests: JsonObject): Promise<JsonObject | Extract<Answer, { kind: 'error' }>> {
  const responses: Record<string, JsonValue> = {};
  for (const [key, question] of Object.entries(inputRequests)) {
    const { method, params } = isJsonObject(question) ? question : {};
    if (typeof method !== 'string' || relay === undefined) return { kind: 'error', error: nobodyToAsk(typeof method === 'string' ? method : '') };
    try {
      responses[key] = (await relay.ask(method, isJsonObject(params) ? params : undefined, signal)) as JsonObject;
    } catch (fault) {
      if (!isRpcError(fault)) throw fault;
      return { kind: 'error', error: { code: fault.code, message: fault.message, ...(fault.data !== undefined && { data: fault.data }) } };
    }
  }
  return responses;
}

/** Older revisions know no kinds of results. */
const plain = (result: Record<string, unknown>): Record<string, unknown> => Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'resultType'));
