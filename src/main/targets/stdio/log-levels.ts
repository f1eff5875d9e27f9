import { LOG_LEVELS } from '../../../shared/vocabulary/log-levels.ts';
import type { ClientId } from '../../../shared/vocabulary/ids.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Outgoing } from '../../dispatch/ports.ts';

/** Which log messages each session of a process wants that all of them share: the process itself knows one level only (MCP 2025-11-25, logging). */
export interface LogLevels {
  /**
   * Sends a request and notes the level it sets. The process is told the lowest that any session wants, and each session hears only what it wants. A new
   * process is told that level right before the first request; what a human approved is sent once only, and not told again.
   */
  follow(outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): Promise<Answer>;
  /** The sessions that a message outside of any call is for: those of the one client there was so far. Of several nobody can tell whose it is, and none gets it. */
  for(method: string, params: Record<string, unknown> | undefined): readonly string[];
  end(session: string): void;
  /** The process is gone, and with it the level it was told. */
  forget(): void;
}

interface Wanted {
  readonly level: number;
  readonly approved: boolean;
}

/** How many sessions are told of what belongs to no call: those that called last. */
const SESSIONS = 100;
/** How many sessions are known to want a level: not all of them are said to have ended. */
const WANTED = 1_000;
const MESSAGE = 'notifications/message';

export function createLogLevels(): LogLevels {
  const wanted = new Map<string, Wanted>();
  const clients = new Set<ClientId>();
  const sessions = new Set<string>();
  /** The process does not know yet what its predecessor was told. */
  let isNew = false;

  const known = (session: string): void => {
    sessions.delete(session);
    sessions.add(session);
    for (const oldest of sessions) if (sessions.size > SESSIONS) sessions.delete(oldest);
      else break;
  };

  /** Whether a session hears messages of a level; one that nobody knows is heard always. */
  const hears = (session: string, level: unknown): boolean => !LOG_LEVELS.includes(level) || LOG_LEVELS.indexOf(level) >= (wanted.get(session)?.level ?? 0);

  const want = (session: string, one: Wanted): void => {
    wanted.delete(session);
    wanted.set(session, one);
    const [oldest] = wanted.keys();
    if (wanted.size > WANTED && oldest !== undefined) wanted.delete(oldest);
  };

  /** Not waited for: what is sent after it is read after it. */
  const tellAgain = ({ client, target, session, deadlineMs }: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): void => {
    const lowest = LOG_LEVELS[Math.min(...[...wanted.values()].map(({ level }) => level))];
    isNew = false;
    if (lowest === undefined) return;
    const again = (): void => void (isNew = true);
    // What keeps it from being sent keeps the request behind it as well, and is told there.
    send({ client, target, session, method: 'logging/setLevel', paramsText: JSON.stringify({ level: lowest }), approved: false, deadlineMs }).then((answer) => {
      if (answer.kind === 'fault' && !answer.sent) again();
    }, again);
  };

  const set = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Answer>): Promise<Answer> => {
    const { session, paramsText, approved } = outgoing;
    const params = JSON.parse(paramsText) as { readonly level?: unknown };
    const own = LOG_LEVELS.indexOf(params.level);
    const others = [...wanted].flatMap(([other, { level }]) => (other === session ? [] : [level]));
    const lowest = Math.min(own, ...others);
    // A level nobody knows is the target's to refuse; and what a human approved goes out as it is.
    const answer = await send(lowest === own || own === -1 || approved ? outgoing : { ...outgoing, paramsText: JSON.stringify({ ...params, level: LOG_LEVELS[lowest] }) });
    if (answer.kind !== 'result' || own === -1) return answer;
    want(session, { level: own, approved });
    if (!approved) isNew = false;
    return answer;
  };

  return {
    follow(outgoing, send) {
      const { client, method, session, relay, approved } = outgoing;
      clients.add(client);
      known(session);
      if (isNew && (method !== 'logging/setLevel' || approved)) tellAgain(outgoing, send);
      if (method === 'logging/setLevel') return set(outgoing, send);
      const notify = relay?.notify;
      if (!wanted.has(session) || relay === undefined || notify === undefined) return send(outgoing);
      return send({
        ...outgoing,
        relay: {
          ...relay,
          notify(said, params) {
            if (said !== MESSAGE || hears(session, params?.['level'])) notify(said, params);
          },
        },
      });
    },
    for: (method, params) => (method === MESSAGE && clients.size === 1 ? [...sessions].filter((session) => hears(session, params?.['level'])) : []),
    end(session) {
      wanted.delete(session);
      sessions.delete(session);
    },
    forget() {
      clients.clear();
      sessions.clear();
      for (const [session, { approved }] of wanted) if (approved) wanted.delete(session);
      isNew = true;
    },
  };
}
