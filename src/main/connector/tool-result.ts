import type { Answer } from '../../shared/vocabulary/request.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { FaultKind, Revision, ToolOutcome } from '../registry/index.ts';
import { DIGEST_META } from '../registry/index.ts';

/** What each kind of failure tells the agent, in our words: what the called system said beside its status may hold anything. */
const sentences: Readonly<Record<FaultKind, string>> = {
  INVALID_INPUT: 'The called system did not accept these values.',
  NOT_FOUND: 'The called system has nothing of this kind under this name.',
  PERMISSION_DENIED: 'The called system does not allow this.',
  RATE_LIMITED: 'The called system takes no more calls now.',
  CONFLICT: 'The called system has something that conflicts with this.',
  DEPENDENCY_TIMEOUT: 'The called system was too slow.',
  DEPENDENCY_UNAVAILABLE: 'The called system refused the call.',
  INTERNAL: 'The answer did not match what the tool promises.',
};

/**
 * How a sent call is told: its value as an MCP tool result that names the revision, a refusal of the called system as one with `isError` and its kind;
 * what failed on the way by the codes of the gateway (contract, 3.1). Of what the called system said in a failure nothing but the status is told.
 */
export function answerOf(revision: Revision, outcome: ToolOutcome): Answer {
  if (outcome.kind === 'result') return { kind: 'result', result: resultOf(revision, outcome.value) };
  const { fault, status, executed } = outcome;
  if (status === null || fault === 'DEPENDENCY_TIMEOUT') {
    return executed === 'unknown' ? { kind: 'lost', note: 'no answer came' } : { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'not reached' };
  }
  if (fault === 'INTERNAL') return { kind: 'fault', code: 'result-misfit', sent: true, note: 'the answer does not fit the output schema' };
  if (status === 401) return { kind: 'fault', code: 'upstream-unauthorized', sent: true, note: 'status 401' };
  if (status < 400 || status > 499) return { kind: 'fault', code: 'upstream-fault', sent: true, note: `status ${status}` };
  const text = `${fault}: ${sentences[fault]} It answered with status ${status}.`;
  return { kind: 'result', result: { content: [{ type: 'text', text }], isError: true, _meta: { ...metaOf(revision), 'io.erpbridge/fault': { kind: fault, status } } } };
}

function resultOf(revision: Revision, value: JsonValue): Record<string, unknown> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { content: [{ type: 'text', text }], ...(isJsonObject(value) && { structuredContent: value }), _meta: metaOf(revision) };
}

const metaOf = ({ digest, resource }: Revision): Readonly<Record<string, string>> => ({ [DIGEST_META]: digest, 'toolplane.resourceVersion': resource.metadata.version });
