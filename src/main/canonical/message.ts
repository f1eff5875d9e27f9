import { ok, refused } from '../../shared/result.ts';
import type { Refused, Result } from '../../shared/result.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { cappedPathText } from './path.ts';

/** A JSON-RPC 2.0 request. `params` is `{}` when the client sent none. */
export interface RequestMessage {
  readonly kind: 'request';
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
}

export interface NotificationMessage {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

/** A client's answer to a request of ours. `id` is null where the client could not tell which request its error is about. */
export type ResponseMessage =
  | { readonly kind: 'response'; readonly id: string | number; readonly result: JsonObject }
  | { readonly kind: 'response'; readonly id: string | number | null; readonly error: { readonly code: number; readonly message: string; readonly data?: JsonValue } };

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

const CALL: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const RESULT: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'result']);
const ERROR: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'error']);
const ERROR_MEMBERS: ReadonlySet<string> = new Set(['code', 'message', 'data']);

/**
 * Tells which JSON-RPC 2.0 message a strictly read value is, or refuses it with `invalid-request` and the path: batches, unknown members and case
 * variants of known ones (readers disagree about them), `jsonrpc` other than `2.0`, ids that are neither text nor a safe integer, `params` or
 * `result` that are no objects.
 */
export function classifyMessage(value: JsonValue): Result<Message> {
  if (!isJsonObject(value)) return refused('invalid-request', Array.isArray(value) ? '[0]' : '$');
  if (own(value, 'jsonrpc') !== '2.0') return refused('invalid-request', 'jsonrpc');
  if (Object.hasOwn(value, 'method')) return classifyCall(value);
  if (Object.hasOwn(value, 'result')) return classifyResult(value);
  if (Object.hasOwn(value, 'error')) return classifyError(value);
  return strangerIn(value, CALL) ?? refused('invalid-request', 'method');
}

/** The same where only a request will do: a notification is refused at `id`, a response at `method`. */
export function envelope(value: JsonValue): Result<RequestMessage> {
  const message = classifyMessage(value);
  if (!message.ok) return message;
  if (message.value.kind === 'request') return ok(message.value);
  return refused('invalid-request', message.value.kind === 'notification' ? 'id' : 'method');
}

function classifyCall(value: JsonObject): Result<RequestMessage | NotificationMessage> {
  const stranger = strangerIn(value, CALL);
  if (stranger !== undefined) return stranger;
  const method = own(value, 'method');
  if (typeof method !== 'string' || method === '' || method.includes('\u0000')) return refused('invalid-request', 'method');
  const params = Object.hasOwn(value, 'params') ? value['params'] : {};
  if (!isJsonObject(params)) return refused('invalid-request', 'params');
  if (!Object.hasOwn(value, 'id')) return ok({ kind: 'notification', method, params });
  const id = own(value, 'id');
  return isId(id) ? ok({ kind: 'request', id, method, params }) : refused('invalid-request', 'id');
}

function classifyResult(value: JsonObject): Result<ResponseMessage> {
  const stranger = strangerIn(value, RESULT);
  if (stranger !== undefined) return stranger;
  const [id, result] = [own(value, 'id'), own(value, 'result')];
  if (!isId(id)) return refused('invalid-request', 'id');
  return isJsonObject(result) ? ok({ kind: 'response', id, result }) : refused('invalid-request', 'result');
}

function classifyError(value: JsonObject): Result<ResponseMessage> {
  const stranger = strangerIn(value, ERROR);
  if (stranger !== undefined) return stranger;
  const id = own(value, 'id') ?? null;
  if (id !== null && !isId(id)) return refused('invalid-request', 'id');
  const error = own(value, 'error');
  if (!isJsonObject(error)) return refused('invalid-request', 'error');
  const inside = strangerIn(error, ERROR_MEMBERS, 'error');
  if (inside !== undefined) return inside;
  const [code, message, data] = [own(error, 'code'), own(error, 'message'), own(error, 'data')];
  if (!Number.isSafeInteger(code)) return refused('invalid-request', 'error.code');
  if (typeof message !== 'string') return refused('invalid-request', 'error.message');
  return ok({ kind: 'response', id, error: { code: code as number, message, ...(data === undefined ? {} : { data }) } });
}

const own = (object: JsonObject, name: string): JsonValue | undefined => (Object.hasOwn(object, name) ? object[name] : undefined);

const isId = (id: JsonValue | undefined): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

function strangerIn(object: JsonObject, known: ReadonlySet<string>, ...inside: string[]): Refused | undefined {
  const stranger = Object.keys(object).find((name) => !known.has(name));
  return stranger === undefined ? undefined : refused('invalid-request', cappedPathText([...inside, stranger]));
}
