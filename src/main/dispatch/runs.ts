import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import { isFinal, type Handle } from '../approvals/index.ts';
import { withTimeToAnswer } from './asked.ts';
import type { AskingRoom } from './asking.ts';
import type { DispatchDeps } from './deps.ts';
import type { Relay, Turn } from './ports.ts';
import type { Submission } from './dispatch.ts';

/** Where an approved call's progress goes: to the caller that joined last and still waits. Lives in memory only; a restart loses no call by it. */
interface Door {
  readonly session: string;
  readonly relay?: Relay;
}

/**
 * Sends what was approved. The intent is committed before the first byte leaves (`executing`), so that a handle is sent at most once whatever
 * happens after; what cannot be told apart from sent ends as `unknown` and is never repeated.
 */
export function createRuns({ approvals, caller, targets, applyChange, deadlineMs, report }: DispatchDeps, asking?: AskingRoom) {
  const doors = new Map<HandleId, Door>();
  const flying = new Set<Promise<unknown>>();
  /** Calls under way whose target hears that the client cancelled. */
  const cancellable = new Map<HandleId, AbortController>();
  /** Nothing is sent any more: what is approved goes back to its human at the next start. */
  let stopped = false;

  function track<T>(work: Promise<T>): Promise<T> {
    flying.add(work);
    const land = (): void => void flying.delete(work);
    work.then(land, land);
    return work;
  }

  /** A call that has to wait for its turn stays approved and unsent meanwhile: it can be withdrawn, it can expire, and it outlives a crash. */
  function send(handle: Handle): Promise<void> {
    const turn = handle.kind === 'change' ? undefined : caller.turn?.(handle.request.target);
    return turn instanceof Promise ? turn.then((mine) => sendNow(handle, mine)) : sendNow(handle, turn);
  }

  async function sendNow(handle: Handle, turn: Turn | undefined): Promise<void> {
    try {
      if (!stopped) await dispatch(handle, turn);
    } finally {
      turn?.end();
    }
  }

  async function dispatch(handle: Handle, turn: Turn | undefined): Promise<void> {
    const begun = approvals.beginDispatch(handle.id, () => targets.stillServed?.(handle.request) ?? 'served');
    if (!begun.ok) {
      // Nothing was sent. Where the store or the clock stood in the way it waits for a human again; where another step came first, that one stands.
      approvals.giveBack(handle.id);
      return;
    }
    const answer = await carryOut(begun.value, turn);
    const settled = approvals.settle(handle.id, answer);
    if (!settled.ok) report('a dispatched call could not be settled', { handle: handle.id, code: settled.code });
  }

  async function carryOut(handle: Handle, turn: Turn | undefined): Promise<Answer> {
    const door = doors.get(handle.id);
    try {
      if (handle.kind === 'change') return await applyChange(handle);
      const { target, method, paramsText, revision } = handle.request;
      const client = door?.relay && { relay: withTimeToAnswer(door.relay, () => targets.rules(target)?.ttlMs) };
      const asks = asking?.beside({ call: { client: handle.client, target }, request: handle.request, door: handle.door, ...client }, handle.id);
      const through = asks === undefined ? client : { relay: asks.relay };
      const answer = await caller.call({ client: handle.client, target, method, paramsText, ...(revision && { revision }), session: door?.session ?? `handle:${handle.id}`, approved: true, deadlineMs, ...(turn && { turn }), ...through, ...(asks && { signal: asks.signal }), ...endOf(handle, asks?.signal) });
      asks?.ended(answer);
      return answer;
    } catch (error) {
      // A bug in an adapter: bytes may have left, so the doubt is kept and named.
      report('sending an approved call failed', { handle: handle.id, error: error instanceof Error ? error.name : 'unknown' });
      return { kind: 'lost', note: 'internal' };
    } finally {
      cancellable.delete(handle.id);
    }
  }

  /** What ends an approved call from outside: its client, where the target hears of it. */
  function endOf({ id, request }: Handle, other: AbortSignal | undefined): { readonly signal?: AbortSignal } {
    if (targets.rules(request.target)?.hearsCancel !== true) return {};
    const end = new AbortController();
    cancellable.set(id, end);
    return { signal: other === undefined ? end.signal : AbortSignal.any([end.signal, other]) };
  }

  approvals.subscribe((handle, change) => {
    if (change === 'approve') void track(send(handle));
    if (isFinal(handle)) doors.delete(handle.id);
  });

  return {
    track,
    /** The client wants a call no more that was approved. */
    cancel: (id: HandleId): void => cancellable.get(id)?.abort(new Error('cancelled by its client')),
    remember(id: HandleId, { session, relay }: Submission): void {
      doors.set(id, relay === undefined ? { session } : { session, relay });
    },
    /** From now on nothing more is sent, however many turns come; what was sent is waited for. */
    async drain(graceMs: number, delay: (ms: number) => Promise<void>): Promise<void> {
      stopped = true;
      await Promise.race([Promise.allSettled([...flying]), delay(graceMs)]);
    },
  };
}
