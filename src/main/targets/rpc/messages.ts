import type { Answer, RpcError } from '../../../shared/vocabulary/request.ts';

/** The target's own id of a request it sends us. */
export type QuestionId = string | number;
export type Params = Record<string, unknown>;

/** One JSON-RPC message of a target. Everything in it is the target's word and trusted in nothing but its shape. */
export type Incoming =
  | { readonly kind: 'response'; readonly id: unknown; readonly answer: Answer }
  | { readonly kind: 'question'; readonly id: QuestionId; readonly method: string; readonly params: Params | undefined }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params | undefined }
  | { readonly kind: 'noise' };

const NOISE: Incoming = { kind: 'noise' };
const isRecord = (value: unknown): value is Params => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sorts a parsed message. A response of a broken shape is still a response, so that its call ends at once instead of at its deadline. */
export function readMessage(value: unknown): Incoming {
  if (!isRecord(value)) return NOISE;
  const { id, method, params } = value;
  if (typeof method === 'string') {
    if (value['jsonrpc'] !== '2.0' || (params !== undefined && !isRecord(params))) return NOISE;
    if (id === undefined) return { kind: 'notification', method, params };
    return typeof id === 'string' || typeof id === 'number' ? { kind: 'question', id, method, params } : NOISE;
  }
  if (id === undefined || id === null) return NOISE;
  return { kind: 'response', id, answer: answerIn(value) };
}

/** The answer a response object holds; a fault when it holds none, or both a result and an error. */
function answerIn(message: Params): Answer {
  const result = message['result'] ?? undefined;
  const error = message['error'] ?? undefined;
  if (message['jsonrpc'] !== '2.0') return broken('the response is not JSON-RPC 2.0');
  if (error !== undefined && result === undefined) return isRpcError(error) ? { kind: 'error', error } : broken('the error of the response has no code or message');
  if (isRecord(result) && error === undefined) return { kind: 'result', result };
  return broken('the response has no result object');
}

const broken = (note: string): Answer => ({ kind: 'fault', code: 'upstream-fault', sent: true, note });

/** Whether a value (a parsed one, or one that was thrown) has the shape of a JSON-RPC error. */
export function isRpcError(value: unknown): value is RpcError {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value && Number.isSafeInteger(value.code) && typeof value.message === 'string';
}

/** The text of a request whose `params` are given as text, and go out as that text. */
export const requestText = (id: number, method: string, paramsText: string): string => `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${paramsText}}`;

export const notificationText = (method: string, params?: Params): string => JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });

export const resultText = (id: QuestionId, result: Params): string => JSON.stringify({ jsonrpc: '2.0', id, result });

export const errorText = (id: QuestionId, error: RpcError): string => JSON.stringify({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) } });

/** The methods whose requests may be answered with questions, and come again with the answers (MCP 2026-07-28, multi round-trip requests). */
const IN_ROUNDS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Whether a request is one that comes again: with these of the members that say so. */
export function comesAgain({ method, paramsText }: { readonly method: string; readonly paramsText: string }, by: readonly ('inputResponses' | 'requestState')[]): boolean {
  if (!IN_ROUNDS.has(method) || !by.some((name) => paramsText.includes(`"${name}"`))) return false;
  const params = JSON.parse(paramsText) as Record<string, unknown>;
  return by.some((name) => Object.hasOwn(params, name));
}

/** Nobody was asked in the way of this request, so nothing it answers can count. */
export const NOT_ASKED: Answer = { kind: 'fault', code: 'request-state-invalid', sent: false, note: 'it comes again after a question that was not asked' };
