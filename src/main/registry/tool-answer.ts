import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { compileSchema } from './json-schema.ts';
import type { ConnectorAnswer } from './ports.ts';
import type { Revision } from './resource.ts';

/** Kinds of failure of the called system, by the words of document 002's safe error results. */
export type FaultKind = 'INVALID_INPUT' | 'NOT_FOUND' | 'PERMISSION_DENIED' | 'RATE_LIMITED' | 'DEPENDENCY_TIMEOUT' | 'DEPENDENCY_UNAVAILABLE' | 'CONFLICT' | 'INTERNAL';

/** How a sent call ended. A fault holds nothing of what the system answered but its status: error bodies carry traces and values of others. */
export type ToolOutcome =
  | { readonly kind: 'result'; readonly value: JsonValue }
  | { readonly kind: 'fault'; readonly fault: FaultKind; readonly status: number | null; readonly executed: 'no' | 'yes' | 'unknown' };

/** What a status means. 417 is how ERPNext refuses what does not validate. */
function faultOf(status: number): FaultKind {
  if ([400, 417, 422].includes(status)) return 'INVALID_INPUT';
  if (status === 401 || status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'NOT_FOUND';
  if (status === 409) return 'CONFLICT';
  if (status === 408 || status === 504) return 'DEPENDENCY_TIMEOUT';
  return status === 429 ? 'RATE_LIMITED' : 'DEPENDENCY_UNAVAILABLE';
}

/**
 * Reads an answer by the revision that made the call: its response path, then its output schema. A redirect is a fault, never followed. Whether the
 * call was executed is `unknown` when bytes had left and no answer, or one of a failing server, came back.
 */
export function readAnswer({ resource: { spec } }: Revision, answer: ConnectorAnswer): ToolOutcome {
  const fault = (kind: FaultKind, status: number | null, executed: 'no' | 'yes' | 'unknown'): ToolOutcome => ({ kind: 'fault', fault: kind, status, executed });
  if (answer.kind === 'timed-out') return fault('DEPENDENCY_TIMEOUT', null, answer.sent ? 'unknown' : 'no');
  if (answer.kind === 'broken') return fault('DEPENDENCY_UNAVAILABLE', null, answer.sent ? 'unknown' : 'no');
  const { status } = answer;
  if (status < 200 || status > 299) return fault(faultOf(status), status, status >= 500 || status === 408 ? 'unknown' : 'no');
  if (answer.body === undefined) return fault('DEPENDENCY_UNAVAILABLE', status, 'yes');
  const value = spec.execution.responsePath === null ? answer.body : follow(answer.body, spec.execution.responsePath);
  if (value === undefined) return fault('INTERNAL', status, 'yes');
  const fits = spec.outputSchema === undefined || compileSchema(spec.outputSchema)?.misfit(value) === undefined;
  return fits ? { kind: 'result', value } : fault('INTERNAL', status, 'yes');
}

/** The value at `a.b[0].c`; undefined when there is none. */
export function follow(value: JsonValue, path: string): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[([0-9]+)\]/g)) {
    if (name !== undefined) at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    else at = Array.isArray(at) ? (at as readonly JsonValue[])[Number(index)] : undefined;
  }
  return at;
}
