import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import type { ClientId, HandleId } from '../../../shared/vocabulary/ids.ts';
import { deadlineAt, isFinal, type Handle } from '../../approvals/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import { outcomeOf } from '../handle-outcome.ts';
import { handleText, shapedText, type Asked } from '../mcp/told.ts';
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
export const createdTask = (asked: Asked, handle: Handle): string => shapedText(asked, { resultType: 'task', ...taskOf(handle) });

function taskOf(handle: Handle): Record<string, unknown> {
  const { state, parkedAt } = handle;
  const createdAt = new Date(parkedAt.wall).toISOString();
  const last = 'settledAt' in state ? new Date(state.settledAt).toISOString() : createdAt;
  return { taskId: handle.id, status: statusOf(handle), createdAt, lastUpdatedAt: last, ttlMs: Math.max(1, deadlineAt(handle) - parkedAt.wall) + KEPT_MS, pollIntervalMs: POLL_MS };
}

function statusOf(handle: Handle): 'working' | 'completed' | 'failed' | 'cancelled' {
  const outcome = outcomeOf(handle);
  switch (outcome.kind) {
    case 'waiting':
    case 'running':
      return 'working';
    case 'result':
      return 'completed';
    case 'error':
      return 'failed';
    case 'refused':
      // A refusal is told as the result of the tool, so that the agent reads it.
      return outcome.code === 'withdrawn' ? 'cancelled' : 'completed';
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
