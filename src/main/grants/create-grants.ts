import type { RefusalCode } from '../../shared/refusals.ts';
import type { ClientId, HandleId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import type { Grant, GrantStore } from './ports.ts';

/** How long a grant can hold, in seconds: a quarter of an hour, an hour, a working day. */
export const GRANT_SECONDS: readonly number[] = [900, 3_600, 28_800];

/** How far the clock may read before the giving of a grant and still count as right. */
const CLOCK_SLACK_MS = 60_000;

/** What of a parked call a grant is made of. */
export interface Granted {
  readonly id: HandleId;
  readonly kind: string;
  readonly client: ClientId;
  readonly request: CompiledRequest;
  readonly trap: Trap;
}

export interface GrantsDeps {
  readonly store: GrantStore;
  readonly clock: Clock;
  readonly newGrantId: () => string;
}

export interface Grants {
  /** Whether a grant can be given with the approval of this call: a plain call to a target that a click approves. Never where a code is asked for. */
  mayBeGiven(call: Granted): boolean;
  /** Gives one, within the transaction that approves the call. `grant-not-possible`. */
  give(call: Granted, forS: number, actor: string): RefusalCode | undefined;
  /** The id of the grant this call may be made under now, its use recorded; undefined when there is none. */
  use(client: ClientId, request: CompiledRequest, trap: Trap): string | undefined;
  /** Those that hold now, the newest first. */
  list(): readonly Grant[];
  /** False when there is none. */
  revoke(id: string, actor: string): boolean;
  /** Ends all that are of a client or a target, of some of its tools only where those are named; with nothing named, all. */
  end(of: { readonly client?: ClientId; readonly target?: TargetId; readonly tools?: ReadonlySet<string> | null }, actor: string): void;
  /** Removes those whose time is over. */
  forgetOver(): void;
}

/** Makes the room. A grant is for one client, one target and one payload hash, under the rule that had stopped the call, and always has an end. */
export function createGrants({ store, clock, newGrantId }: GrantsDeps): Grants {
  /** Judged by both clocks: the one that is over first ends it, and a clock that was turned back before it was given bars it. */
  function holds({ givenAt, forMs }: Grant): boolean {
    const now = clock.now();
    if (now.wall < givenAt.wall - CLOCK_SLACK_MS || now.wall >= givenAt.wall + forMs) return false;
    return now.boot !== givenAt.boot || now.mono < givenAt.mono + forMs;
  }

  const event = (type: AuditType, grant: Grant, actor: string, detail: AuditEvent['detail'] = {}): AuditEvent => ({
    type, at: clock.now().wall, actor, target: grant.target, handle: grant.handle, payloadHash: grant.hash, detail: { grant: grant.id, ...detail },
  });

  const mayBeGiven = ({ kind, request, trap }: Granted): boolean => kind === 'call' && trap.mode === 'button' && request.revision === undefined;

  return {
    mayBeGiven,
    give(call, forS, actor) {
      if (!mayBeGiven(call) || !GRANT_SECONDS.includes(forS)) return 'grant-not-possible';
      const { id: handle, client, request: { target, method, subject, hash }, trap: { pattern } } = call;
      const grant: Grant = { id: newGrantId(), client, target, method, subject, hash, pattern, handle, givenAt: clock.now(), forMs: forS * 1_000 };
      store.give(grant, event('grant.given', grant, actor, { for_s: forS }));
      return undefined;
    },
    use(client, request, trap) {
      if (trap.mode !== 'button' || request.revision !== undefined) return undefined;
      const grant = store.find(client, request.target, request.hash);
      if (grant === undefined || grant.pattern !== trap.pattern || !holds(grant)) return undefined;
      store.record(event('grant.used', grant, `client:${client}`));
      return grant.id;
    },
    list: () => store.list().filter(holds),
    revoke(id, actor) {
      const grant = store.list().find((one) => one.id === id && holds(one));
      return grant !== undefined && store.remove(id, event('grant.revoked', grant, actor));
    },
    end({ client, target, tools = null }, actor) {
      for (const grant of store.list()) {
        if ((client !== undefined && grant.client !== client) || (target !== undefined && grant.target !== target)) continue;
        if (tools !== null && (grant.method !== 'tools/call' || !tools.has(grant.subject ?? ''))) continue;
        store.remove(grant.id, event('grant.revoked', grant, actor));
      }
    },
    forgetOver() {
      for (const grant of store.list()) if (!holds(grant)) store.remove(grant.id);
    },
  };
}
