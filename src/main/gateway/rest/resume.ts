import { z } from 'zod';
import { isFinal, reasonOf, wireState, type Handle } from '../../approvals/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import { executedOf } from '../handle-outcome.ts';
import { resultText, sendJson, sendRefusal, type Answered } from '../http/answer.ts';
import type { Route, Visit } from '../http/route.ts';
import type { IntentTaker } from '../ports.ts';

interface Needs {
  readonly dispatch: Pick<Dispatch, 'settled'>;
  readonly intents: IntentTaker;
}

const body = z.strictObject({ intent: z.string() });

/** How long an approved call is waited for, so that a quick one is told as done. Bridges are impatient. */
const WAIT_MS = 2_000;

/**
 * `POST /v1/mcp-gateway/handles/{handle}/resume` (document 003, path B): the signature in the body is what opens the door. A bridge is told where the
 * call stands, never what the target answered: that is for the client alone.
 */
export function resumeRoute({ dispatch, intents }: Needs): Route {
  async function serve({ response, captured, body: given }: Visit): Promise<Answered> {
    const input = body.safeParse(given);
    if (!input.success) return sendRefusal(response, null, 'invalid-params', { at: 'intent' });
    const taken = intents.take(captured, input.data.intent);
    if (!taken.ok) return sendRefusal(response, null, taken.code, { ...taken, ...(taken.code.startsWith('intent-') ? {} : { handle: captured }) });
    const handle = isFinal(taken.value) ? taken.value : await settledSoon(taken.value);
    return sendJson(response, 200, resultText(null, { handle: handle.id, state: wireState(handle), reason: reasonOf(handle), executed: executedOf(handle) }));
  }

  /** The handle when it is final, or as it is after a moment. */
  async function settledSoon(handle: Handle): Promise<Handle> {
    const late = AbortSignal.timeout(WAIT_MS);
    try {
      return await dispatch.settled(handle.id, late);
    } catch (fault) {
      if (late.aborted && fault === late.reason) return handle;
      throw fault;
    }
  }

  return { path: '/v1/mcp-gateway/handles/{handle}/resume', door: 'open', uses: { POST: { body: 'json', serve } } };
}
