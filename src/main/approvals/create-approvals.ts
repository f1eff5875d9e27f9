import { ok, refused, type Result } from '../../shared/result.ts';
import type { ClientId, HandleId } from '../../shared/vocabulary/ids.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { AuditEvent } from '../audit/index.ts';
import { defaultLimits, type Approvals, type ApprovalsDeps, type StillServed } from './approvals.ts';
import { judge, remainsMs } from './deadline.ts';
import { createAnswering } from './answering.ts';
import { isAsked, isFinal, refusalOf, type Handle } from './handle.ts';
import { destination, type HandleEvent } from './machine.ts';
import { createPausing } from './pausing.ts';
import { cleanReason } from './reason.ts';
import { createProving } from './proving.ts';
import { recordOfParking } from './records.ts';
import { attempt, createSteps } from './steps.ts';

/** What outlasts a call's end when nobody fetched it (contract, 3.2). */
const KEPT_MS = 24 * 3_600_000;

/** What is kept of the texts of requests that ended: long enough to be asked about them, and no more than a disk bears. */
const REQUESTS = { ms: 90 * KEPT_MS, bytes: 256 * 1024 * 1024 };

/** How soon a step that could not be committed is tried again. */
const RETRY_MS = 1_000;

/** Builds the room on its store, clock and attestor. */
export function createApprovals({ store, clock, newHandleId, attestor, limits = defaultLimits, listenerFailed }: ApprovalsDeps): Approvals {
  const pausing = createPausing({ store, clock });
  const { since } = pausing;
  const steps = createSteps({ store, clock, pausedSince: since, listenerFailed });
  const prove = createProving({ store, clock, attestor, pausedSince: since });
  const answering = createAnswering({ steps, prove });
  /** Handles of this run that something will be owed of: approved, sent, or asking. */
  const underWay = new Map<HandleId, Handle>();
  /** Steps that happened and could not be committed, the last of each handle. They are tried again before the handle is looked at, and by `expireDue`. */
  const owed = new Map<HandleId, () => Result<Handle>>();

  const isOver = (handle: Handle): boolean => !isFinal(handle) && handle.state.status !== 'executing' && judge(handle, clock.now(), since()) === 'over';
  const expire = (handle: Handle): Result<Handle> => steps.take(handle, { kind: 'expire' }, { actor: 'sentinel' });
  const byGateway = { actor: 'gateway' };
  steps.subscribe((handle, change) => {
    if (change === 'approve' || (change === 'park' && isAsked(handle))) underWay.set(handle.id, handle);
    else if (change === 'giveBack' || isFinal(handle)) underWay.delete(handle.id);
  });

  function tryOwed(id: HandleId, work: () => Result<Handle>): Result<Handle> {
    owed.delete(id);
    const done = attempt(work);
    if (!done.ok && done.code === 'store-unavailable') owed.set(id, work);
    return done;
  }

  /** For what has happened already: it is committed now, or as soon as the store can. */
  function owe(id: HandleId, work: () => Result<Handle>): Result<Handle> {
    const done = tryOwed(id, work);
    const known = underWay.get(id);
    if (owed.has(id) && known !== undefined) steps.tell(known, 'unsettled');
    return done;
  }

  /** As stored, but expired when its time is over; unchanged when that cannot be committed now (every step judges the time again). */
  function current(id: HandleId): Handle | undefined {
    const work = owed.get(id);
    if (work !== undefined) tryOwed(id, work);
    const handle = store.get(id);
    if (handle === undefined || !isOver(handle)) return handle;
    const expired = attempt(() => expire(handle));
    return expired.ok ? expired.value : handle;
  }

  const withHandle = (id: HandleId, work: (handle: Handle) => Result<Handle>): Result<Handle> =>
    attempt(() => {
      const handle = current(id);
      if (owed.has(id)) return refused('store-unavailable'); // it is not where the store says it is
      return handle === undefined ? refused('handle-not-found') : work(handle);
    });

  const plain = (event: HandleEvent) => (id: HandleId) => withHandle(id, (handle) => steps.take(handle, event, byGateway));

  function expireAll(): Result<readonly Handle[]> {
    const expired: Handle[] = [];
    for (const { id } of store.waiting().filter((dated) => judge(dated, clock.now(), since()) === 'over')) {
      const handle = store.get(id);
      const done = handle && expire(handle);
      if (done?.ok) expired.push(done.value);
    }
    return ok(expired);
  }

  /** After an answer the call goes on, so its outcome is owed. */
  function goesOn(step: Result<Handle>): Result<Handle> {
    if (step.ok) underWay.set(step.value.id, step.value);
    return step;
  }

  const isFull = (client: ClientId): boolean => store.openCount(client) >= limits.perClient || store.openCount() >= limits.total;

  function settleWith(id: HandleId, event: HandleEvent): Result<Handle> {
    const found = store.get(id);
    // A call that ended with its question open: whatever its time says, nobody waits for an answer, and its end is the end of the handle.
    const lapsed = found !== undefined && isAsked(found) && found.state.status === 'parked' ? goesOn(answering.lapse(found)) : undefined;
    if (lapsed?.ok === false) return lapsed;
    const handle = lapsed?.value ?? current(id);
    const settled = handle === undefined ? refused('handle-not-found') : steps.take(handle, event, { ...byGateway, ...(event.kind === 'fault' && { detail: { code: event.code } }) });
    underWay.delete(id);
    return settled;
  }

  return {
    park: ({ kind, client, request, trap, door, ttlMs, question, actor = `client:${client}`, within }) =>
      attempt(() => {
        if (isFull(client)) {
          expireAll(); // what is over must not keep others out
          if (isFull(client)) return refused('too-many-pending');
        }
        const parkedAt = clock.now();
        const id = newHandleId(parkedAt.wall);
        const handle: Handle = {
          id, kind, client, request, trap, door, parkedAt, ttlMs: Math.max(1, Math.round(ttlMs)), version: 1, frozen: { wall: 0, mono: 0 }, fetched: false, state: { status: 'parked', returned: false },
        };
        if (!store.insert(handle, recordOfParking(handle, actor), within && (() => within(id)))) return refused('idempotency-key-reused');
        if (question !== undefined) answering.keep(id, question);
        steps.tell(handle, 'park');
        return ok(handle);
      }),

    get: current,

    own(id, client) {
      const handle = current(id);
      return handle === undefined || handle.client !== client ? refused('handle-not-found') : ok(handle);
    },

    queue: () => store.open().filter((handle) => handle.state.status === 'parked' && !owed.has(handle.id) && !isOver(handle)),

    pending: (client) => store.open().filter((handle) => handle.client === client && !isOver(handle)),

    recent: (limit) => store.recent(limit),

    approve: ({ id, also, ...proven }) =>
      withHandle(id, (handle) => {
        if (isAsked(handle)) return goesOn(answering.answer(handle, { id, action: 'accept', ...proven }));
        if (destination(handle.state.status, 'approve', handle.kind) === undefined) return refused(refusalOf(handle));
        const proof = prove(handle, 'approve', proven);
        if (!proof.ok) return proof;
        return steps.take(handle, { kind: 'approve' }, { actor: proven.actor, detail: { way: proven.way, proof: proven.proof.kind }, within: () => proof.value() ?? also?.(handle) });
      }),

    decline: ({ id, hash, reason, actor }) =>
      withHandle(id, (handle) => {
        if (isAsked(handle)) return goesOn(answering.answer(handle, { id, action: 'decline', hash, actor }));
        if (destination(handle.state.status, 'decline', handle.kind) === undefined) return refused(refusalOf(handle));
        if (hash !== null && hash !== handle.request.hash) return refused('hash-mismatch');
        const cleaned = cleanReason(reason);
        return steps.take(handle, { kind: 'decline', reason: cleaned }, { actor, detail: { reason: cleaned !== null } });
      }),

    question: answering.question,
    answer: (given) => withHandle(given.id, (handle) => goesOn(answering.answer(handle, given))),
    lapse: (id, apart = false) =>
      owe(id, () => {
        const handle = apart ? current(id) : store.get(id);
        if (handle === undefined) return refused('handle-not-found');
        return apart ? steps.take(handle, { kind: 'withdraw' }, { actor: `client:${handle.client}` }) : goesOn(answering.lapse(handle));
      }),

    withdraw: ({ id, client }) =>
      withHandle(id, (handle) => (handle.client === client ? steps.take(handle, { kind: 'withdraw' }, { actor: `client:${client}` }) : refused('handle-not-found'))),

    revoke: plain({ kind: 'revoke' }),
    outdate: plain({ kind: 'outdate' }),
    giveBack: (id) =>
      owe(id, () => {
        const handle = current(id);
        return handle === undefined ? refused('handle-not-found') : steps.take(handle, { kind: 'giveBack' }, byGateway);
      }),

    beginDispatch: (id, stillServed) =>
      withHandle(id, (handle) => {
        const seen: { served: ReturnType<StillServed> } = { served: 'served' };
        const begun = steps.take(handle, { kind: 'dispatch' }, {
          ...byGateway,
          within: () => {
            seen.served = stillServed?.() ?? 'served';
            return seen.served === 'served' ? undefined : seen.served;
          },
        });
        // The tool is not the one that was approved: the handle ends here, after the refused transaction is undone.
        if (begun.ok) underWay.set(id, begun.value);
        else if (seen.served !== 'served') steps.take(handle, { kind: seen.served === 'stale' ? 'outdate' : 'revoke' }, byGateway);
        return begun;
      }),

    settle(id, answer) {
      const event = outcomeOf(answer);
      return owe(id, () => settleWith(id, event));
    },

    expireDue() {
      for (const [id, work] of [...owed]) tryOwed(id, work);
      return attempt(expireAll);
    },

    settleInterrupted: (left) =>
      attempt(() => {
        const changed: Handle[] = [];
        for (const handle of store.open()) {
          const done =
            handle.state.status === 'executing' || isCutShort(handle) ? steps.take(handle, { kind: 'lose' }, byGateway)
            : isOver(handle) ? expire(handle)
            : left?.restored === true || isAsked(handle) ? steps.take(handle, { kind: 'withdraw' }, { ...byGateway, detail: { restored: left?.restored === true } })
            : handle.state.status === 'approved' ? steps.take(handle, { kind: 'giveBack' }, byGateway)
            : undefined;
          if (done !== undefined && !done.ok) return done;
          if (done !== undefined) changed.push(done.value);
        }
        return ok(changed);
      }),

    joinable(client, target, hash, revision) {
      const settledAfter = clock.now().wall - KEPT_MS;
      const found = store.joinable(client, target, hash, settledAfter, revision);
      if (found === undefined || !isOver(found)) return found;
      const expired = attempt(() => expire(found));
      return expired.ok ? store.joinable(client, target, hash, settledAfter, revision) : undefined;
    },

    lastExecutedAt: (target, hash) => store.lastExecutedAt(target, hash),
    markFetched: (id) => attempt(() => ok(store.markFetched(id))),
    forgetAnswers: () =>
      attempt(() => {
        const { wall } = clock.now();
        return ok(untilNone(() => store.forgetAnswers(wall - KEPT_MS, forgetting('answers.forgotten', wall))));
      }),
    forgetRequests: () =>
      attempt(() => {
        const { wall } = clock.now();
        return ok(untilNone(() => store.forgetRequests({ settledBefore: wall - REQUESTS.ms, bytes: REQUESTS.bytes }, forgetting('requests.forgotten', wall))));
      }),
    subscribe: (listener) => steps.subscribe(listener),

    pause: (actor) =>
      attempt(() => {
        if (since() !== null) return ok(undefined);
        pausing.begin(actor);
        for (const handle of store.open()) if (handle.state.status === 'approved') steps.take(handle, { kind: 'giveBack' }, byGateway);
        return ok(undefined);
      }),

    resume: (actor) =>
      attempt(() => {
        if (since() === null) return ok(undefined);
        for (const handle of pausing.end(actor)) steps.tell(handle, 'move');
        return ok(undefined);
      }),

    isPaused: () => since() !== null,

    nextDeadlineMs() {
      if (owed.size > 0) return RETRY_MS;
      const pausedSince = since();
      const running = store.waiting().filter(({ kind }) => pausedSince === null || kind === 'proposal');
      const left = running.map((dated) => remainsMs(dated, clock.now()));
      return left.length === 0 ? null : Math.max(0, Math.min(...left));
    },

    remainsMs: (handle) => Math.max(0, remainsMs(handle, clock.now(), since())),
  };
}

const forgetting = (type: AuditEvent['type'], at: number) => (count: number): AuditEvent => ({ type, at, actor: 'sentinel', detail: { count } });

/** Does a part at a time until there is none left; gives how many there were. */
function untilNone(part: () => number): number {
  let all = 0;
  for (let count = part(); count !== 0; count = part()) all += count;
  return all;
}

/** A call whose bytes had left, with its target's question open: what the target did before and after is not known. */
const isCutShort = ({ kind, state }: Handle): boolean => kind === 'elicitation' && state.status === 'parked';

/** How an answer of a target ends a call. A target's own error and a failure to reach it are faults; only an answer that never came is doubt. */
function outcomeOf(answer: Answer): HandleEvent {
  switch (answer.kind) {
    case 'result':
      return { kind: 'succeed', answer: JSON.stringify({ result: answer.result }) };
    case 'error':
      return { kind: 'fault', code: 'upstream-fault', answer: JSON.stringify({ error: answer.error }) };
    case 'fault':
      return { kind: 'fault', code: answer.code, answer: null };
    case 'lost':
      return { kind: 'lose' };
  }
}
