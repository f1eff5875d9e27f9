import type { Answer } from '../../../shared/vocabulary/request.ts';
import { isRpcError } from '../rpc/messages.ts';
import type { Failure } from '../rpc/wire.ts';
import type { Head } from './http-client.ts';

/** What the answers of an HTTP server mean for the request they answer. */

const fault = (note: string, code: Extract<Failure, { kind: 'fault' }>['code'] = 'upstream-fault'): Failure => ({ kind: 'fault', code, sent: true, note });

/** The server does not know our session any more, so it has not looked at the request. Compared by identity. */
export const FORGOTTEN: Failure = { kind: 'fault', code: 'upstream-fault', sent: false, note: 'the target does not know the session any more' };

export const tooLarge = (): Failure => fault('the answer is larger than the limit', 'upstream-too-large');

/** The most of an error's body that is looked at. */
export const ERROR_BYTES = 64 * 1024;

/** Whether a status says that our session is unknown: 404 (MCP 2025-11-25, transports), or 400 with words to that effect, as older servers have it. */
export function isForgotten(status: number, body: unknown): boolean {
  if (status === 404) return true;
  const error = errorIn(body);
  return status === 400 && error !== undefined && /\b(no valid|invalid|unknown|expired)\b.*\bsession\b|\bsession\b.*\b(not found|unknown|invalid|expired)\b/i.test(error.message);
}

/** The answer that a status outside of 2xx gives, with the JSON-RPC error in its body when there is one. */
export function answerToStatus({ status }: Pick<Head, 'status'>, body: unknown): Answer {
  if (status === 401 || status === 403) return fault(`the target answered HTTP ${status}`, 'upstream-unauthorized');
  const error = errorIn(body);
  if (error !== undefined) return { kind: 'error', error };
  if (status >= 300 && status < 400) return fault(`the target answered HTTP ${status}; redirects are not followed`);
  return fault(`the target answered HTTP ${status}`);
}

/** A 2xx that answers nothing: no content, or content of another kind. */
export const answerToContent = ({ status, type }: Head): Failure =>
  status === 202 || status === 204 || type === '' ? fault(`the target answered HTTP ${status} without an answer`) : fault('the target answered with another content type');

function errorIn(body: unknown): ReturnType<typeof asError> {
  return typeof body === 'object' && body !== null && 'error' in body ? asError(body.error) : undefined;
}

const asError = (value: unknown) => (isRpcError(value) ? value : undefined);
