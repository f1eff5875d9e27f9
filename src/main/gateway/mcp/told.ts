import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { deadlineAt, isAsked, isMidCall, type Handle } from '../../approvals/index.ts';
import { outcomeOf, type Outcome } from '../handle-outcome.ts';
import { errorText, refusalText, resultText, storedText, type RefusalFacts, type RpcId } from '../http/answer.ts';

/**
 * What an MCP client is told (contract, 3.2 and the table of 3.1). A tool call is answered with a tool result wherever its agent must read the
 * answer, because agents see results and not always errors; every other method with a JSON-RPC error.
 */
export interface Asked {
  readonly id: RpcId;
  readonly method: string;
  /** What the era of the client wants in every result. */
  readonly shape?: Shape;
}

export type Shape = (method: string, result: Record<string, unknown>) => Record<string, unknown>;

/** A result as the text of the response, in the shape the client's era wants. */
export const shapedText = ({ id, method, shape }: Asked, result: Record<string, unknown>): string => resultText(id, shape === undefined ? result : shape(method, result));

/** Where a held or finished call stands, as the text of the response. */
export function handleText(asked: Asked, handle: Handle): string {
  const outcome = outcomeOf(handle);
  switch (outcome.kind) {
    case 'waiting':
    case 'approved':
    case 'running':
      return isToolCall(asked) ? shapedText(asked, pendingResult(handle, outcome.kind)) : refusalText(asked.id, pendingCode(handle, outcome.kind), { handle: handle.id });
    case 'result':
      return asked.shape === undefined ? storedText(asked.id, outcome.stored) : shapedText(asked, (JSON.parse(outcome.stored) as { readonly result: Record<string, unknown> }).result);
    case 'error':
      return storedText(asked.id, outcome.stored);
    case 'refused': {
      const facts = { handle: handle.id, ...(outcome.reason !== undefined && { reason: outcome.reason }) };
      return refusedText(asked, outcome.code, facts);
    }
  }
}

/** What a target said to a call that passed. Its JSON-RPC errors go on unchanged. */
export function answerText(asked: Asked, answer: Answer): string {
  switch (answer.kind) {
    case 'result':
      return shapedText(asked, answer.result);
    case 'error':
      return errorText(asked.id, answer.error);
    case 'fault':
      return refusedText(asked, answer.code);
    case 'lost':
      return refusedText(asked, 'unknown');
  }
}

/** Faults of the request itself stay protocol errors on tool calls too, as the specification wants. */
const PROTOCOL: ReadonlySet<RefusalCode> = new Set(['unknown-tool', 'unknown-prompt', 'unknown-target', 'revision-unavailable', 'method-not-found', 'invalid-params', 'invalid-request', 'internal']);

export function refusedText(asked: Asked, code: RefusalCode, facts: RefusalFacts = {}): string {
  if (!isToolCall(asked) || PROTOCOL.has(code)) return refusalText(asked.id, code, facts);
  const { sentence, next } = refusals[code];
  const { handle, reason, at } = facts;
  const text = [
    sentence,
    ...(reason === undefined ? [] : [`Reason given: ${JSON.stringify(reason)}.`]),
    ...(at === undefined ? [] : [`Place: ${at}.`]),
    ...(handle === undefined ? [] : [`Handle: ${handle}.`]),
    next,
  ].join(' ');
  const meta = { code, ...(handle !== undefined && { handle }), ...(reason !== undefined && { reason }), next };
  return shapedText(asked, { content: [{ type: 'text', text }], isError: true, _meta: { 'countersign/refusal': meta } });
}

/** Where a call stands that has no outcome yet. */
type Pending = Exclude<Outcome['kind'], 'result' | 'error' | 'refused'>;

/** No `structuredContent`: clients check it against the tool's output schema, and this is no output of the tool. */
function pendingResult(handle: Handle, kind: Pending): Record<string, unknown> {
  const { id, request } = handle;
  const pending = { handle: id, payload_hash: request.hash, expires_at: new Date(deadlineAt(handle)).toISOString() };
  return { content: [{ type: 'text', text: pendingWords(handle, kind) }], isError: true, _meta: { 'countersign/pending': pending } };
}

function pendingWords(handle: Handle, kind: Pending): string {
  const notDone = `Handle: ${handle.id}. Do not report it as done.`;
  switch (kind) {
    case 'waiting': {
      const why = isMidCall(handle) ? 'NOT EXECUTED to its end. The target asks a question in the middle of this call, and it is pending approval: a human must answer in Countersign first.' : 'NOT EXECUTED. This call is pending approval: a human must decide it in Countersign first.';
      return `${why} ${notDone} To get its outcome, repeat the same call with the same arguments; it joins the waiting one and never runs twice.`;
    }
    case 'approved':
      return `NOT EXECUTED. This call was approved and waits for its turn at the target; it was not sent yet. ${notDone} To get its outcome, repeat the same call with the same arguments; it never runs twice.`;
    case 'running':
      return `This call was ${isAsked(handle) ? 'answered' : 'approved'} and is running; there is no result yet. ${notDone} To get its result, repeat the same call with the same arguments; it never runs twice.`;
  }
}

/** The same for the methods that are answered with an error. */
function pendingCode(handle: Handle, kind: Pending): RefusalCode {
  if (kind === 'waiting') return isMidCall(handle) ? 'question-pending' : 'pending-approval';
  return kind === 'approved' ? 'approved-unsent' : 'still-running';
}

const isToolCall = ({ method }: Asked): boolean => method === 'tools/call';
