import { createHmac, timingSafeEqual } from 'node:crypto';

/** A challenge: 32 to 128 lower-case hex digits, made anew for each question. */
export const isChallenge = (text: string): boolean => /^[0-9a-f]{32,128}$/.test(text);

/**
 * The proof that a listener knows the key of `endpoint.json`: lower-case hex HMAC-SHA256 of `<challenge>:<port>` under the key's bytes.
 * `GET /healthz?challenge=…` answers it as `proof`. The port is part of it, so that nobody can pass the question on to the true listener
 * from another port. `key` is hex, as in `endpoint.json`.
 */
export const listenerProof = (key: string, challenge: string, port: number): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${challenge}:${port}`).digest('hex');

/** Compares in constant time. Anything that is not a proof's shape is false. */
export function isListenerProof(given: unknown, key: string, challenge: string, port: number): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(listenerProof(key, challenge, port), 'hex'));
}
