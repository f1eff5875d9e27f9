import { promptId } from '../../../shared/vocabulary/ids.ts';
import { deadlineAt, isAsked, wireState, type Handle } from '../../approvals/index.ts';

/**
 * The answer to a call that is parked (document 003, 3.1, with the members the contract adds in its 3.1). The order of members is part of it. The
 * message quotes the operator's pattern and the target, and nothing of the payload or of a target's question. `executed` stays false until a result is known.
 */
export function yieldFrame(handle: Handle): string {
  const { id, request, trap } = handle;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: promptId(id),
    method: 'elicitation/createMessage',
    params: {
      message: `${whyOf(handle)} ${askOf(handle)}`,
      payload_hash: request.hash,
      require_totp: trap.mode === 'totp',
      handle: id,
      state: wireState(handle),
      executed: false,
      expires_at: new Date(deadlineAt(handle)).toISOString(),
    },
  });
}

function whyOf({ kind, request, trap }: Handle): string {
  switch (kind) {
    case 'elicitation':
    case 'question':
      return `[Elicitation] '${request.target}' asks in the middle of this call.`;
    case 'proposal':
      return `[Proposal] '${request.target}' needs a human's word on this change.`;
    default:
      return `[Pre-flight Guard] High-risk pattern '${trap.pattern}' detected on '${request.target}'.`;
  }
}

function askOf(handle: Handle): string {
  const { state, trap } = handle;
  if (state.status !== 'parked') return isAsked(handle) ? 'Answered; no result yet.' : 'Approved; no result yet.';
  return trap.mode === 'totp' ? 'Enter TOTP:' : 'Approve in Countersign.';
}
