import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';
import { createLogLevels } from './log-levels.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createTaskOwners } from './task-owners.ts';

/** Keeps apart what the sessions that share a process would otherwise have in common: subscriptions, log levels and tasks. */
export interface Sharing {
  /** Sends a request as its session means it, and notes what it begins or ends. */
  follow(outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): Promise<Answer>;
  /** The sessions that a notification outside of any call is for. */
  for(method: string, params: Record<string, unknown> | undefined): readonly string[];
  end(session: string): void;
  /** The process is gone, and with it what it knew. */
  forget(): void;
}

export function createSharing(): Sharing {
  const subscriptions = createSubscriptions();
  const levels = createLogLevels();
  const tasks = createTaskOwners();
  return {
    follow: (outgoing, send) => tasks.follow(outgoing, () => subscriptions.follow(outgoing, () => levels.follow(outgoing, send))),
    for: (method, params) => [...subscriptions.for(method, params), ...tasks.for(method, params), ...levels.for(method, params)],
    end(session) {
      subscriptions.end(session);
      levels.end(session);
    },
    forget() {
      subscriptions.forget();
      tasks.forget();
      levels.forget();
    },
  };
}
