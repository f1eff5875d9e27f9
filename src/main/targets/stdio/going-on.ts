import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';
import type { Sandbox } from './sandbox.ts';
import { OF_ONE_TASK } from './task-owners.ts';

/** Calls that go on as tasks after their answer (MCP 2025-11-25, tasks): each resolves, and lets go of its sandbox, when its result was given or it was cancelled. */
export interface GoingOn {
  /** Notes the task that an answer of the sandbox begins, where the call asked for one. */
  begun(sandbox: Sandbox, outgoing: Outgoing, answer: Answer): void;
  /** Whether a task goes on in the sandbox. */
  in(sandbox: Sandbox): boolean;
  /** The sandbox that a request about such a task of its own client goes to. */
  of(outgoing: Outgoing): Sandbox | undefined;
  /** To be called with what the sandbox answered. */
  answered(outgoing: Outgoing, answer: Answer): void;
  close(): void;
}

/** How long a task may go on that nobody asks for. */
const LONGEST_MS = 3_600_000;
/** How many tasks may go on; the oldest is let go. */
const KNOWN = 10_000;

interface Kept {
  readonly sandbox: Sandbox;
  readonly timer: NodeJS.Timeout;
}

/** `free` is called when the last task of a sandbox is over. */
export function createGoingOn(free: (sandbox: Sandbox) => void): GoingOn {
  /** By client and task: each process counts its tasks for itself. */
  const kept = new Map<string, Kept>();

  const goesOnIn = (sandbox: Sandbox): boolean => [...kept.values()].some((one) => one.sandbox === sandbox);

  const over = ({ sandbox, timer }: Kept): void => {
    clearTimeout(timer);
    if (!goesOnIn(sandbox)) free(sandbox);
  };

  const letGo = (key: string): void => {
    const one = kept.get(key);
    if (one === undefined) return;
    kept.delete(key);
    over(one);
  };

  return {
    begun(sandbox, outgoing, answer) {
      const task = answer.kind === 'result' ? answer.result['task'] : undefined;
      if (!isJsonObject(task) || typeof task['taskId'] !== 'string' || !isJsonObject(paramsOf(outgoing).task)) return;
      const key = keyOf(outgoing, task['taskId']);
      const earlier = kept.get(key);
      kept.delete(key);
      kept.set(key, { sandbox, timer: setTimeout(() => letGo(key), LONGEST_MS).unref() });
      // Where another process of the target gave the same id, nobody could ask for the earlier task any more.
      if (earlier !== undefined) over(earlier);
      const [oldest] = kept.keys();
      if (kept.size > KNOWN && oldest !== undefined) letGo(oldest);
    },
    in: goesOnIn,
    of(outgoing) {
      const key = OF_ONE_TASK.has(outgoing.method) ? keyOf(outgoing) : undefined;
      const one = key === undefined ? undefined : kept.get(key);
      if (key === undefined || one === undefined) return undefined;
      one.timer.refresh();
      if (one.sandbox.usable()) return one.sandbox;
      letGo(key);
      return undefined;
    },
    answered(outgoing, { kind }) {
      // A task that is already over cannot be cancelled any more, and its result is still to be given.
      const isOver = outgoing.method === 'tasks/result' ? kind === 'result' || kind === 'error' : outgoing.method === 'tasks/cancel' && kind === 'result';
      if (isOver) letGo(keyOf(outgoing));
    },
    close() {
      for (const { timer } of kept.values()) clearTimeout(timer);
      kept.clear();
    },
  };
}

const paramsOf = ({ paramsText }: Outgoing): { readonly task?: unknown; readonly taskId?: unknown } => JSON.parse(paramsText) as object;
const keyOf = (outgoing: Outgoing, taskId: unknown = paramsOf(outgoing).taskId): string => JSON.stringify([outgoing.client, taskId]);
