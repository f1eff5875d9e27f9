import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { ClientId } from '../../../shared/vocabulary/ids.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';
import type { Sandbox } from './sandbox.ts';
import { OF_ONE_TASK } from './task-owners.ts';

/** Approved calls that go on as tasks after their answer (MCP 2025-11-25, tasks): each resolves, and its sandbox ends, when its result was given or it was cancelled. */
export interface GoingOn {
  /** Whether the answer begins a task; if so its sandbox is kept. */
  keeps(sandbox: Sandbox, outgoing: Outgoing, answer: Answer): boolean;
  /** The sandbox that a request about such a task of its own client goes to. */
  of(outgoing: Outgoing): Sandbox | undefined;
  /** To be called with what the sandbox answered. */
  answered(outgoing: Outgoing, answer: Answer): void;
  close(): void;
}

/** How long a task may go on that nobody asks for. */
const LONGEST_MS = 3_600_000;
const taskOf = ({ paramsText }: Outgoing): unknown => (JSON.parse(paramsText) as { readonly taskId?: unknown }).taskId;

export function createGoingOn(): GoingOn {
  const kept = new Map<unknown, { readonly sandbox: Sandbox; readonly client: ClientId; readonly timer: NodeJS.Timeout }>();

  const letGo = (taskId: unknown): void => {
    const one = kept.get(taskId);
    kept.delete(taskId);
    clearTimeout(one?.timer);
    void one?.sandbox.end();
  };

  return {
    keeps(sandbox, { client }, answer) {
      const task = answer.kind === 'result' ? answer.result['task'] : undefined;
      if (!isJsonObject(task) || typeof task['taskId'] !== 'string') return false;
      const { taskId } = task;
      kept.set(taskId, { sandbox, client, timer: setTimeout(() => letGo(taskId), LONGEST_MS).unref() });
      return true;
    },
    of(outgoing) {
      const one = OF_ONE_TASK.has(outgoing.method) ? kept.get(taskOf(outgoing)) : undefined;
      return one?.client === outgoing.client ? one.sandbox : undefined;
    },
    answered(outgoing, { kind }) {
      if (outgoing.method !== 'tasks/get' && (kind === 'result' || kind === 'error')) letGo(taskOf(outgoing));
    },
    close() {
      for (const { timer } of kept.values()) clearTimeout(timer);
      kept.clear();
    },
  };
}
