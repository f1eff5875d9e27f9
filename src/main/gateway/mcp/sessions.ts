import type { ClientId, TargetId } from '../../../shared/vocabulary/ids.ts';
import type { GatewayLimits } from '../ports.ts';
import { sameScope, type Scope } from './scope.ts';
import type { Session } from './session.ts';

/** The open sessions. A session is found only by the client that opened it, on the endpoint it opened it on. */
export interface Sessions {
  /** Makes room for one more session of the client by ending its longest unused ones; false when all of them are in use. */
  room(client: ClientId): boolean;
  add(session: Session): void;
  /** Finds a session and counts this as use of it. */
  find(id: string, client: ClientId, scope: Scope): Session | undefined;
  end(session: Session): void;
  /** Ends every session of a client, as when its token is revoked; or all there are. */
  endAll(client?: ClientId): void;
  /** Ends the streams that belong to no request; requests under way go on. */
  endStreams(): void;
  /** What a target says to one session outside of any call. */
  heard(id: string, target: TargetId, method: string, params: Record<string, unknown> | undefined): void;
  changed(target: TargetId, what: 'tools' | 'prompts' | 'resources' | 'targets'): void;
}

interface Needs {
  readonly limits: Pick<GatewayLimits, 'sessionIdleMs' | 'sessionsPerClient'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly onEnd: (id: string) => void;
}

export function createSessions({ limits, now, onEnd }: Needs): Sessions {
  /** In the order of their last use. */
  const open = new Map<string, { readonly session: Session; usedAt: number }>();
  let timer: NodeJS.Timeout | undefined;

  function end(session: Session): void {
    if (!open.delete(session.id)) return;
    session.close();
    onEnd(session.id);
  }

  /** One timer for the session that would be the first to be too old; none while there is no session. */
  function arm(): void {
    const first = open.values().next();
    if (timer !== undefined || first.done === true) return;
    timer = setTimeout(reap, Math.max(1, first.value.usedAt + limits.sessionIdleMs - now())).unref();
  }

  function reap(): void {
    timer = undefined;
    for (const [id, entry] of [...open]) {
      if (entry.usedAt + limits.sessionIdleMs > now()) break;
      if (entry.session.isBusy()) use(id, entry);
      else end(entry.session);
    }
    arm();
  }

  function use(id: string, entry: { readonly session: Session; usedAt: number }): void {
    entry.usedAt = now();
    open.delete(id);
    open.set(id, entry);
  }

  return {
    room(client) {
      const own = [...open.values()].filter(({ session }) => session.client === client);
      if (own.length < limits.sessionsPerClient) return true;
      const oldest = own.find(({ session }) => !session.isBusy());
      if (oldest === undefined) return false;
      end(oldest.session);
      return true;
    },
    add(session) {
      open.set(session.id, { session, usedAt: now() });
      arm();
    },
    find(id, client, scope) {
      const entry = open.get(id);
      if (entry === undefined || entry.session.client !== client || !sameScope(entry.session.scope, scope)) return undefined;
      use(id, entry);
      return entry.session;
    },
    end,
    endAll(client) {
      for (const { session } of [...open.values()]) if (client === undefined || session.client === client) end(session);
      if (open.size > 0) return;
      clearTimeout(timer);
      timer = undefined;
    },
    endStreams() {
      for (const { session } of open.values()) session.endStream();
    },
    heard: (id, target, method, params) => open.get(id)?.session.heard(target, method, params),
    changed(target, what) {
      for (const { session } of open.values()) session.changed(target, what);
    },
  };
}
