import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ToolErrorBody } from '../../../shared/contract/tools.ts';
import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import { refusalHeaders, sendJson, type Answered, type RefusalFacts } from '../http/answer.ts';

/** The addresses whose refusals have document 002's shape. */
export const isToolPath = (path: string): boolean => path.startsWith('/apis/') || path.startsWith('/api/');

/** The names document 002 has for refusals; every other one has the name of our catalogue, in its spelling. */
const names: Readonly<Partial<Record<RefusalCode, string>>> = {
  unauthorized: 'AUTHENTICATION_FAILED',
  'host-not-allowed': 'AUTHORIZATION_DENIED',
  'origin-not-allowed': 'AUTHORIZATION_DENIED',
  'role-not-allowed': 'AUTHORIZATION_DENIED',
  'origin-not-approved': 'PERMISSION_DENIED',
  'credential-in-clear': 'PERMISSION_DENIED',
  'not-found': 'RESOURCE_NOT_FOUND',
  'revision-not-found': 'RESOURCE_NOT_FOUND',
  'revision-unavailable': 'RESOURCE_NOT_FOUND',
  'invalid-json': 'VALIDATION_FAILED',
  'invalid-request': 'VALIDATION_FAILED',
  'invalid-params': 'VALIDATION_FAILED',
  'arguments-misfit': 'VALIDATION_FAILED',
  'tool-rate-limited': 'RATE_LIMITED',
  'tool-busy': 'CONCURRENCY_LIMITED',
  'store-unavailable': 'HEALTH_CHECK_FAILED',
  internal: 'HEALTH_CHECK_FAILED',
  'upstream-unreachable': 'UPSTREAM_UNREACHABLE',
};

export const nameOf = (code: RefusalCode): string => names[code] ?? code.toUpperCase().replaceAll('-', '_');

/** Sends a refusal as `{error,message,suggestion,code}`, with the status and the headers of the catalogue. The place it speaks of is in the message. */
export function sendToolRefusal(response: ServerResponse, code: RefusalCode, facts: RefusalFacts = {}, headers: OutgoingHttpHeaders = {}): Answered {
  const { http: status, sentence, next } = refusals[code];
  const { at, reason, handle, state, details } = facts;
  const message = [sentence, ...(at === undefined ? [] : [`Place: ${at}.`]), ...(reason === undefined ? [] : [`Reason given: ${JSON.stringify(reason)}.`])].join(' ');
  const more = { ...(handle !== undefined && { handle }), ...(state !== undefined && { state }), ...details };
  return sendToolError(response, { error: nameOf(code), message, suggestion: next, code: status }, { ...refusalHeaders(code, details), ...headers }, more);
}

export const sendToolError = (response: ServerResponse, body: ToolErrorBody, headers: OutgoingHttpHeaders = {}, more: Readonly<Record<string, unknown>> = {}): Answered =>
  sendJson(response, body.code, JSON.stringify({ ...body, ...more }), headers);
