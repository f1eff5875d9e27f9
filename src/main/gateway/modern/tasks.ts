import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import type { ClientId, HandleId, TargetId } from '../../../shared/vocabulary/ids.ts';
import { deadlineAt, isFinal, isMidCall, type Handle } from '../../approvals/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import { outcomeOf } from '../handle-outcome.ts';
import { handleText, shapedText, type Asked, type Shape } from '../mcp/told.ts';
import { statelessShape } from './shape.ts';
import type { OwnHandles } from '../ports.ts';

/** The extension by which a parked call is a task (MCP, extension io.modelcontextprotocol/tasks). */
export const TASKS = 'io.modelcontextprotocol/tasks';

const POLL_MS = 2_000;
/** How long a result nobody fetched is kept (contract, 3.2). */
const KEPT_MS = 24 * 60 * 60 * 1_000;

export const takesTasks = (capabilities: JsonObject): boolean => isJsonObject(capabilities['extensions']) && isJsonObject(capabilities['extensions'][TASKS]);

/** Our task ids are handles; anything else is a target's own. */
export const isHandle = (taskId: unknown): taskId is HandleId => typeof taskId === 'string' && /^txn_\d+_[0-9a-f]{12}$/.test(taskId);

/** A parked call as the answer to the call that was parked. */
export const createdTask = ({ id, method }: Asked, handle: Handle): string => shapedText({ id, method, shape: statelessShape }, { resultType: 'task', ...taskOf(handle) });

/** A task of a target that an approved call was answered with; the client goes on knowing it by our handle. */
export interface TaskBehind {
  readonly target: TargetId;
  readonly taskId: string;
}

/** The target's task behind one of the client's own handles, where there is one. */
export function ownTask(handles: Pick<OwnHandles, 'own'>, id: HandleId, client: ClientId): TaskBehind | undefined {
  const found = handles.own(id, client);
  const taskId = found.ok ? idBehind(found.value) : undefined;
  return found.ok && taskId !== undefined ? { target: found.value.request.target, taskId } : undefined;
}

/** Whether a call was answered with a task of its target, so that only who takes tasks can be given the answer. */
export const endsInTask = (handle: Handle): boolean => idBehind(handle) !== undefined;

function idBehind(handle: Handle): string | undefined {
  const outcome = outcomeOf(handle);
  if (outcome.kind !== 'result' || !outcome.stored.includes('"task"')) return undefined;
  const { result } = JSON.parse(outcome.stored) as { readonly result: JsonObject };
  return result['resultType'] === 'task' && typeof result['taskId'] === 'string' ? result['taskId'] : undefined;
}

/** The shape of answers that hold a target's task, under the name the client knows it by. */
export const renamedTask = (nameOf: (taskId: string) => string): Shape => (method, result) => {
  const isTask = result['resultType'] === 'task' || method === 'tasks/get';
  return statelessShape(method, isTask && typeof result['taskId'] === 'string' ? { ...result, taskId: nameOf(result['taskId']) } : result);
};

function taskOf(handle: Handle): Record<string, unknown> {
  const { state, parkedAt } = handle;
  const createdAt = new Date(parkedAt.wall).toISOString();
  const last = 'settledAt' in state ? new Date(state.settledAt).toISOString() : createdAt;
  const message = messageOf(handle);
  return { taskId: handle.id, status: statusOf(handle), ...(message !== undefined && { statusMessage: message }), createdAt, lastUpdatedAt: last, ttlMs: Math.max(1, deadlineAt(handle) - parkedAt.wall) + KEPT_MS, pollIntervalMs: POLL_MS };
}

/** Where the call stands, for whoever reads no further than this. */
function messageOf(handle: Handle): string | undefined {
  switch (outcomeOf(handle).kind) {
    case 'waiting':
      return isMidCall(handle) ? 'Not executed to its end: the target asks a question, and a human must answer it in Countersign.' : 'NOT EXECUTED: a human must decide this call in Countersign first.';
    case 'approved':
      return 'NOT EXECUTED: it was approved in Countersign and waits for its turn at the target; it was not sent yet.';
    case 'running':
      return 'It was let go on in Countersign and is running; there is no result yet.';
    default:
      return undefined;
  }
}

function statusOf(handle: Handle): 'working' | 'completed' | 'failed' | 'cancelled' {
  const outcome = outcomeOf(handle);
  switch (outcome.kind) {
    case 'waiting':
    case 'approved':
    case 'running':
      return 'working';
    case 'result':
      return idBehind(handle) === undefined ? 'completed' : 'working';
    case 'error':
      return 'failed';
    case 'refused':
      // A refusal is told as the result of the tool, so that the agent reads it.
      return outcome.code === 'withdrawn' || outcome.code === 'question-withdrawn' ? 'cancelled' : 'completed';
  }
}

interface Needs {
  readonly dispatch: Pick<Dispatch, 'withdraw'>;
  readonly handles: Pick<OwnHandles, 'own'>;
  readonly client: ClientId;
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel` for one of the client's own handles; undefined when it has no such handle. `ends` tells that the outcome was handed over. */
export function answerTask(asked: Asked, id: HandleId, { dispatch, handles, client }: Needs): { readonly text: string; readonly ends: boolean } | undefined {
  const found = handles.own(id, client);
  if (!found.ok) return undefined;
  const handle = found.value;
  const empty = { text: shapedText(asked, {}), ends: false };
  switch (asked.method) {
    case 'tasks/cancel':
      dispatch.withdraw(handle.id, client);
      return empty;
    case 'tasks/update':
      // Nothing is ever asked of the client here: an answer it makes up decides nothing.
      return empty;
    default: {
      if (!isFinal(handle)) return { text: shapedText(asked, taskOf(handle)), ends: false };
      const told = JSON.parse(handleText({ id: asked.id, method: 'tools/call', shape: statelessShape }, handle)) as { readonly result?: JsonObject; readonly error?: JsonObject };
      const outcome = told.error === undefined ? { result: told.result } : { error: told.error };
      return { text: shapedText(asked, { ...taskOf(handle), ...(statusOf(handle) === 'cancelled' ? {} : outcome) }), ends: true };
    }
  }
}
