import { isJsonObject, type JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer, CompiledRequest, IncomingCall } from '../../shared/vocabulary/request.ts';

type Whose = Pick<IncomingCall, 'client' | 'target'>;

/** The calls that were answered with a task, as long as this runs: what a human is shown beside a question the task asks later (contract, 3.2). */
export interface TaskOrigins {
  /** A call ended; if with a task, the call is kept for it. */
  note(whose: Whose, request: CompiledRequest, answer: Answer): void;
  /** The call a request about a task goes back to; the request itself where that is not known, or it is about none. */
  of(whose: Whose, request: CompiledRequest): CompiledRequest;
}

/** What is kept at most, in characters of text; the oldest go first. */
const KEPT = 16 * 1024 * 1024;

export function createTaskOrigins(): TaskOrigins {
  const origins = new Map<string, CompiledRequest>();
  let kept = 0;
  const nameOf = ({ client, target }: Whose, taskId: string): string => JSON.stringify([client, target, taskId]);
  const drop = (name: string): void => {
    kept -= origins.get(name)?.text.length ?? 0;
    origins.delete(name);
  };

  return {
    note(whose, request, answer) {
      const taskId = answer.kind === 'result' ? taskIn(answer.result as JsonObject) : undefined;
      if (taskId === undefined) return;
      const name = nameOf(whose, taskId);
      drop(name);
      origins.set(name, request);
      kept += request.text.length;
      for (const oldest of origins.keys()) {
        if (kept <= KEPT) return;
        drop(oldest);
      }
    },
    of(whose, request) {
      if (!request.method.startsWith('tasks/')) return request;
      const { taskId } = JSON.parse(request.paramsText) as JsonObject;
      return (typeof taskId === 'string' ? origins.get(nameOf(whose, taskId)) : undefined) ?? request;
    },
  };
}

/** The id of the task a result is (MCP, extension io.modelcontextprotocol/tasks), or holds (MCP 2025-11-25). */
function taskIn({ resultType, taskId, task }: JsonObject): string | undefined {
  const id = resultType === 'task' ? taskId : isJsonObject(task) ? task['taskId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
