import { isChallenge, listenerProof } from '../platform/listener-proof.ts';
import { sendJson, sendRefusal, type Answered } from './http/answer.ts';
import type { Visit } from './http/route.ts';

/**
 * `GET /healthz`: that we are alive, and to a `challenge` the proof that we are the listener `endpoint.json` speaks of, so that a caller can ask
 * before it sends a token (contract, section 3).
 */
export const createHealthz =
  ({ key, port }: { readonly key: string; readonly port: () => number }) =>
  ({ head, response }: Visit): Answered => {
    const challenge = new URLSearchParams(head.query).get('challenge');
    if (challenge === null) return sendJson(response, 200, JSON.stringify({ status: 'ok' }));
    if (!isChallenge(challenge)) return sendRefusal(response, null, 'invalid-params', { at: 'challenge' });
    return sendJson(response, 200, JSON.stringify({ status: 'ok', proof: listenerProof(key, challenge, port()) }));
  };
