import type { RefusalCode } from '../../shared/refusals.ts';
import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import { sameRevision, type CompiledRequest, type Trap } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { isWithin } from '../canonical/index.ts';
import type { Grant, GrantStore } from './ports.ts';
import { MOST_VARYING, shapeOf, varyingFields } from './shape.ts';

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
  /** Where in the params of a call its target's rule matches now, in the notation of `pathText`; undefined where that cannot be told of single places. */
  readonly places: (request: CompiledRequest) => ReadonlySet<string> | undefined;
}

/** What is chosen beside a click: for how long, and the rows of the request whose values may differ then; the others stay as they are. */
export interface Choice {
  readonly forS: number;
  readonly vary?: readonly number[];
}

export interface Grants {
  /** Whether a grant can be given with the approval of this call: a plain call to a target that a click approves. Never where a code is asked for. */
  mayBeGiven(call: Granted): boolean;
  /** The rows of its request that may be left open with it. */
  mayVary(call: Granted): readonly number[];
  /** Gives one, within the transaction that approves the call. `grant-not-possible`. */
  give(call: Granted, choice: Choice, actor: string): RefusalCode | undefined;
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

/**
 * Makes the room. A grant is for one client, one target, one method and one tool, under the rule that had stopped the call, and always has an end. It covers
 * the very same request or, where fields were left open, those that differ in nothing else; what the rule matches may never come to stand in such a field.
 */
export function createGrants({ store, clock, newGrantId, places }: GrantsDeps): Grants {
  /** Judged by both clocks: the one that is over first ends it, and a clock that was turned back before it was given bars it. */
  function holds({ givenAt, forMs }: Grant): boolean {
    const now = clock.now();
    if (now.wall < givenAt.wall - CLOCK_SLACK_MS || now.wall >= givenAt.wall + forMs) return false;
    return now.boot !== givenAt.boot || now.mono < givenAt.mono + forMs;
  }

  function covers({ hash, varies, shape, revision }: Grant, request: CompiledRequest): boolean {
    if (!sameRevision(revision ?? undefined, request.revision)) return false;
    if (varies.length === 0) return hash === request.hash;
    if (shapeOf(request.text, varies) !== shape) return false;
    const matched = places(request);
    return matched !== undefined && ![...matched].some((place) => varies.some((name) => isWithin(name, place)));
  }

  const event = (type: AuditType, grant: Grant, actor: string, { hash = grant.hash, detail = {} }: { readonly hash?: PayloadHash; readonly detail?: AuditEvent['detail'] } = {}): AuditEvent => ({
    type, at: clock.now().wall, actor, target: grant.target, handle: grant.handle, payloadHash: hash, detail: { grant: grant.id, ...detail },
  });

  const mayBeGiven = ({ kind, trap }: Granted): boolean => kind === 'call' && trap.mode === 'button';
  const openTo = (call: Granted): ReturnType<typeof varyingFields> => (mayBeGiven(call) ? varyingFields(call.request, places(call.request)) : []);

  return {
    mayBeGiven,
    mayVary: (call) => openTo(call).map(({ row }) => row),
    give(call, { forS, vary = [] }, actor) {
      if (!mayBeGiven(call) || !GRANT_SECONDS.includes(forS) || vary.length > MOST_VARYING) return 'grant-not-possible';
      const fields = vary.length === 0 ? [] : openTo(call);
      const varies = [...new Set(vary)].map((row) => fields.find((field) => field.row === row)?.name);
      const { id: handle, client, request: { target, method, subject, hash, text, revision = null }, trap: { pattern } } = call;
      if (!varies.every((name) => name !== undefined)) return 'grant-not-possible';
      const shape = shapeOf(text, varies);
      if (shape === undefined) return 'grant-not-possible';
      const grant: Grant = { id: newGrantId(), client, target, method, subject, hash, varies, shape, revision, pattern, handle, givenAt: clock.now(), forMs: forS * 1_000 };
      store.give(grant, event('grant.given', grant, actor, { detail: { for_s: forS, ...(varies.length > 0 && { varies: varies.join(', ') }) } }));
      return undefined;
    },
    use(client, request, trap) {
      if (trap.mode !== 'button') return undefined;
      const grant = store.of(client, request.target).find((one) => one.pattern === trap.pattern && holds(one) && covers(one, request));
      if (grant === undefined) return undefined;
      store.record(event('grant.used', grant, `client:${client}`, { hash: request.hash }));
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
