import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import type { HandleId } from '../../../shared/vocabulary/ids.ts';
import type { Answer, RpcError } from '../../../shared/vocabulary/request.ts';
import { wireState, type Handle } from '../../approvals/index.ts';
import { outcomeOf } from '../handle-outcome.ts';
import { errorText, refusalData, resultText, sendJson, sendRefusal, storedText, type Answered, type RpcId } from '../http/answer.ts';
import { yieldFrame } from './yield-frame.ts';

export const handlePath = (id: HandleId): string => `/v1/mcp-gateway/handles/${id}`;

const REPLAY: OutgoingHttpHeaders = { 'x-idempotent-replay': 'true' };

/** One answer under way: whom it goes to, under which id, with which headers of the route. */
export interface Reply {
  readonly response: ServerResponse;
  readonly id: RpcId;
  readonly headers: OutgoingHttpHeaders;
}

/** Tells what a target said to a call that passed (contract, table of 3.1). */
export function tellAnswer({ response, id, headers }: Reply, answer: Answer, replay: boolean): Answered {
  const all = replay ? { ...headers, ...REPLAY } : headers;
  switch (answer.kind) {
    case 'result':
      return sendJson(response, 200, resultText(id, answer.result), all);
    case 'error':
      return sendJson(response, refusals['upstream-fault'].http, upstreamError(id, answer.error), all);
    case 'fault':
      return sendRefusal(response, id, answer.code, {}, all);
    case 'lost':
      return sendRefusal(response, id, 'unknown', {}, all);
  }
}

/**
 * Tells where a parked call stands. `replay` marks what the target answered to an earlier request. `told` is called when how it ended has reached
 * the client.
 */
export function tellHandle({ response, id, headers }: Reply, handle: Handle, { replay, told }: { readonly replay: boolean; readonly told: () => void }): Answered {
  const outcome = outcomeOf(handle);
  const facts = { handle: handle.id, state: wireState(handle) };
  const stored = replay ? { ...headers, ...REPLAY } : headers;
  switch (outcome.kind) {
    case 'waiting':
    case 'approved':
    case 'running':
      return sendJson(response, 202, yieldFrame(handle), { ...headers, location: handlePath(handle.id), 'retry-after': '2' });
    case 'result':
      return sendJson(response, 200, storedText(id, outcome.stored), stored, told);
    case 'error':
      return sendJson(response, refusals['upstream-fault'].http, upstreamError(id, storedError(outcome.stored), facts), stored, told);
    case 'refused':
      response.once('finish', told);
      return sendRefusal(response, id, outcome.code, { ...facts, ...(outcome.reason !== undefined && { reason: outcome.reason }) }, headers);
  }
}

/** The target's own error: its number and words, with ours beside it and the whole of it inside (contract, 502). */
function upstreamError(id: RpcId, error: RpcError, facts: { readonly handle?: string; readonly state?: 'FAULTED' | 'PENDING' | 'RESOLVED' } = {}): string {
  const code: RefusalCode = 'upstream-fault';
  return errorText(id, { code: error.code, message: error.message, data: refusalData(code, { ...facts, upstream: error }) });
}

const storedError = (stored: string): RpcError => (JSON.parse(stored) as { readonly error: RpcError }).error;
