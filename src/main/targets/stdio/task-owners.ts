import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { ClientId } from '../../../shared/vocabulary/ids.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';

/** Whose the tasks of a process are that several clients share (MCP 2025-11-25, tasks): it lists them to anybody, and gives anybody their results. */
export interface TaskOwners {
  /** Sends a request and notes the task it begins. A client is listed its own tasks, and another's is not there for it. */
  follow(outgoing: Outgoing, send: () => Promise<Answer>): Promise<Answer>;
  /** The session that began the task a notification is about. */
  for(method: string, params: Record<string, unknown> | undefined): readonly string[];
  forget(): void;
}

/** Requests about one task. */
export const OF_ONE_TASK: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/cancel']);
const NOT_THERE: Answer = { kind: 'error', error: { code: -32602, message: 'There is no such task.' } };
/** How many tasks are known at most; the oldest are forgotten, and then there for nobody. */
const KNOWN = 10_000;

export function createTaskOwners(): TaskOwners {
  const owners = new Map<unknown, { readonly client: ClientId; readonly session: string }>();

  const noted = ({ client, session }: Outgoing, answer: Answer): Answer => {
    const task = answer.kind === 'result' ? answer.result['task'] : undefined;
    if (!isJsonObject(task)) return answer;
    owners.set(task['taskId'], { client, session });
    if (owners.size > KNOWN) owners.delete(owners.keys().next().value);
    return answer;
  };

  const own = (client: ClientId, answer: Answer): Answer => {
    const tasks = answer.kind === 'result' ? answer.result['tasks'] : undefined;
    if (answer.kind !== 'result' || !Array.isArray(tasks)) return answer;
    return { kind: 'result', result: { ...answer.result, tasks: tasks.filter((task) => isJsonObject(task) && owners.get(task['taskId'])?.client === client) } };
  };

  return {
    follow(outgoing, send) {
      const { client, method, paramsText } = outgoing;
      if (method === 'tasks/list') return send().then((answer) => own(client, answer));
      if (OF_ONE_TASK.has(method)) return owners.get((JSON.parse(paramsText) as { readonly taskId?: unknown }).taskId)?.client === client ? send() : Promise.resolve(NOT_THERE);
      return paramsText.includes('"task":') ? send().then((answer) => noted(outgoing, answer)) : send();
    },
    for(method, params) {
      const owner = method === 'notifications/tasks/status' ? owners.get(params?.['taskId']) : undefined;
      return owner === undefined ? [] : [owner.session];
    },
    forget: () => owners.clear(),
  };
}
