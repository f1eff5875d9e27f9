import { promptId } from '../../../shared/vocabulary/ids.ts';
import { deadlineAt, wireState, type Handle } from '../../approvals/index.ts';

/**
 * The answer to a call that is parked (document 003, 3.1, with the members the contract adds in its 3.1). The order of members is part of it. The
 * message quotes the operator's pattern and the target, and nothing of the payload. `executed` stays false until a result is known.
 */
export function yieldFrame(handle: Handle): string {
  const { id, request, trap, state } = handle;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: promptId(id),
    method: 'elicitation/createMessage',
    params: {
      message: `[Pre-flight Guard] High-risk pattern '${trap.pattern}' detected on '${request.target}'. ${askOf(state.status, trap.mode)}`,
      payload_hash: request.hash,
      require_totp: trap.mode === 'totp',
      handle: id,
      state: wireState(handle),
      executed: false,
      expires_at: new Date(deadlineAt(handle)).toISOString(),
    },
  });
}

function askOf(status: Handle['state']['status'], mode: Handle['trap']['mode']): string {
  if (status !== 'parked') return 'Approved; no result yet.';
  return mode === 'totp' ? 'Enter TOTP:' : 'Approve in Countersign.';
}
