import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import { isJsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';

/**
 * What serving a visit comes to: it was answered, or whoever was handed it will answer. A route that forgets one of its cases does not compile.
 */
export interface Answered {
  readonly answered: true;
}
export const ANSWERED: Answered = { answered: true };

/** The id of the JSON-RPC request an answer belongs to; null when there is none, or it could not be read. */
export type RpcId = string | number | null;

/** The id of a request, as far as it can be told, so that its sender can match the refusal. */
export function idOf(body: JsonValue | undefined): RpcId {
  const id = isJsonObject(body) && Object.hasOwn(body, 'method') ? body['id'] : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** What a refusal may say beside its code: references and counts, never a value of the request. */
export interface RefusalFacts {
  /** A position in the input. */
  readonly at?: string;
  readonly handle?: string;
  readonly state?: 'PENDING' | 'RESOLVED' | 'FAULTED';
  /** Why a human said no, as the approvals room cleaned it. */
  readonly reason?: string;
  /** Numbers by their names on the wire, such as `attempts_left` and `retry_after_s`. */
  readonly details?: Readonly<Record<string, number>>;
  /** The error of the target, whole. */
  readonly upstream?: unknown;
  readonly served?: readonly string[];
  /** Members that the protocol itself wants in the data of this error. */
  readonly protocol?: Readonly<Record<string, unknown>>;
}

/** The members of `error.data` (contract, end of 3.1). */
export function refusalData(code: RefusalCode, { at, handle, state, reason, details, upstream, served, protocol }: RefusalFacts = {}): Record<string, unknown> {
  return {
    code,
    ...(handle !== undefined && { handle }),
    ...(state !== undefined && { state }),
    next: refusals[code].next,
    ...(at !== undefined && { at }),
    ...(reason !== undefined && { reason }),
    ...details,
    ...(served !== undefined && { served }),
    ...(upstream !== undefined && { upstream }),
    ...protocol,
  };
}

/** A refusal as a JSON-RPC error response. */
export function refusalText(id: RpcId, code: RefusalCode, facts?: RefusalFacts): string {
  const { number, sentence } = refusals[code];
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: number, message: sentence, data: refusalData(code, facts) } });
}

export const resultText = (id: RpcId, result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });

export const errorText = (id: RpcId, error: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, error });

/** An answer from the stored text of its `{"result":…}` or `{"error":…}`; the text itself is not touched. */
export const storedText = (id: RpcId, stored: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${stored.trimStart().slice(1)}`;

/** Sends a whole JSON answer. `sent` is called once the last byte was handed to the system, and not when the client was gone before. */
export function sendJson(response: ServerResponse, status: number, text: string, headers?: OutgoingHttpHeaders, sent?: () => void): Answered {
  if (response.headersSent || response.destroyed) return ANSWERED;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store', ...headers });
  response.end(text, sent);
  return ANSWERED;
}

/** Sends a refusal with the status of the catalogue and the headers its status asks for. */
export function sendRefusal(response: ServerResponse, id: RpcId, code: RefusalCode, facts?: RefusalFacts, headers?: OutgoingHttpHeaders): Answered {
  return sendJson(response, refusals[code].http, refusalText(id, code, facts), { ...refusalHeaders(code, facts?.details), ...headers });
}

/** The headers the status of a refusal asks for. */
export function refusalHeaders(code: RefusalCode, details: RefusalFacts['details']): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  const retryS = details?.['retry_after_s'] ?? RETRY_AFTER_S[refusals[code].http];
  if (retryS !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryS)));
  // RFC 9110, 15.5.2: a 401 names what would be accepted. A human's proof is no bearer token, and a client must not take it for one.
  if (refusals[code].http === 401) headers['www-authenticate'] = `${code === 'unauthorized' ? 'Bearer' : 'Countersign-Proof'} realm="countersign"`;
  return headers;
}

/** What a client waits when the refusal itself does not say how long, by status. */
const RETRY_AFTER_S: Readonly<Record<number, number>> = { 429: 10, 503: 5 };
