import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import type { HandleId } from '../../../shared/vocabulary/ids.ts';
import type { Answer, RpcError } from '../../../shared/vocabulary/request.ts';
import { wireState, type Handle } from '../../approvals/index.ts';
import { outcomeOf } from '../handle-outcome.ts';
import { errorText, refusalData, resultText, sendJson, sendRefusal, storedText, type RpcId } from '../http/answer.ts';
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
export function tellAnswer({ response, id, headers }: Reply, answer: Answer, replay: boolean): void {
  const all = replay ? { ...headers, ...REPLAY } : headers;
  switch (answer.kind) {
    case 'result':
      { sendJson(response, 200, resultText(id, answer.result), all); return; }
    case 'error':
      { sendJson(response, refusals['upstream-fault'].http, upstreamError(id, answer.error), all); return; }
    case 'fault':
      { sendRefusal(response, id, answer.code, {}, all); return; }
    case 'lost':
      { sendRefusal(response, id, 'unknown', {}, all); return; }
  }
}

/**
 * Tells where a parked call stands. `replay` marks a result that was run for an earlier request. `told` is called when how it ended has reached
 * the client.
 */
export function tellHandle({ response, id, headers }: Reply, handle: Handle, { replay, told }: { readonly replay: boolean; readonly told: () => void }): void {
  const outcome = outcomeOf(handle);
  const facts = { handle: handle.id, state: wireState(handle) };
  switch (outcome.kind) {
    case 'waiting':
    case 'running':
      { sendJson(response, 202, yieldFrame(handle), { ...headers, location: handlePath(handle.id), 'retry-after': '2' }); return; }
    case 'result':
      { sendJson(response, 200, storedText(id, outcome.stored), replay ? { ...headers, ...REPLAY } : headers, told); return; }
    case 'error':
      { sendJson(response, refusals['upstream-fault'].http, upstreamError(id, storedError(outcome.stored), facts), headers, told); return; }
    case 'refused':
      response.once('finish', told);
      { sendRefusal(response, id, outcome.code, { ...facts, ...(outcome.reason !== undefined && { reason: outcome.reason }) }, headers); return; }
  }
}

/** The target's own error: its number and words, with ours beside it and the whole of it inside (contract, 502). */
function upstreamError(id: RpcId, error: RpcError, facts: { readonly handle?: string; readonly state?: 'FAULTED' | 'PENDING' | 'RESOLVED' } = {}): string {
  const code: RefusalCode = 'upstream-fault';
  return errorText(id, { code: error.code, message: error.message, data: refusalData(code, { ...facts, upstream: error }) });
}

const storedError = (stored: string): RpcError => (JSON.parse(stored) as { readonly error: RpcError }).error;
