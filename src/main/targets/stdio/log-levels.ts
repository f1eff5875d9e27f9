import { LOG_LEVELS } from '../../../shared/vocabulary/log-levels.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';

/** Which log messages each session of a process wants that all of them share: the process itself knows one level only (MCP 2025-11-25, logging). */
export interface LogLevels {
  /** Sends a request and notes the level it sets. The process is told the lowest that any session wants, and each session hears only what it wants. */
  follow(outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): Promise<Answer>;
  end(session: string): void;
}

export function createLogLevels(): LogLevels {
  const wanted = new Map<string, number>();

  const set = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): Promise<Answer> => {
    const { session, paramsText, approved } = outgoing;
    const params = JSON.parse(paramsText) as { readonly level?: unknown };
    const own = LOG_LEVELS.indexOf(params.level);
    const others = [...wanted].flatMap(([other, level]) => (other === session ? [] : [level]));
    const lowest = Math.min(own, ...others);
    // A level nobody knows is the target's to refuse; and what a human approved goes out as it is.
    const answer = await send(lowest === own || own === -1 || approved ? outgoing : { ...outgoing, paramsText: JSON.stringify({ ...params, level: LOG_LEVELS[lowest] }) });
    if (answer.kind === 'result' && own !== -1) wanted.set(session, own);
    return answer;
  };

  return {
    follow(outgoing, send) {
      const { method, session, relay } = outgoing;
      if (method === 'logging/setLevel') return set(outgoing, send);
      const own = wanted.get(session);
      const notify = relay?.notify;
      if (own === undefined || relay === undefined || notify === undefined) return send(outgoing);
      const heard = (level: unknown): boolean => !LOG_LEVELS.includes(level) || LOG_LEVELS.indexOf(level) >= own;
      return send({
        ...outgoing,
        relay: {
          ...relay,
          notify(said, params) {
            if (said !== 'notifications/message' || heard(params?.['level'])) notify(said, params);
          },
        },
      });
    },
    end: (session) => void wanted.delete(session),
  };
}
