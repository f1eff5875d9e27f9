/**
 * The life of a parked call. One table says which step leads where; nothing else in the product changes a handle's status.
 *
 *                 approve                 dispatch                succeed
 *     ┌────────┐ ─────────▶ ┌──────────┐ ─────────▶ ┌───────────┐ ───────▶  executed
 *     │ parked │            │ approved │            │ executing │ ───────▶  upstream-fault   (fault)
 *     └────────┘ ◀───────── └──────────┘            └───────────┘ ───────▶  unknown          (lose)
 *         │       giveBack       │
 *         └──────────┬───────────┘
 *                    ▼
 *     declined · expired · withdrawn · revision-withdrawn (revoke) · stale (outdate)
 *
 * What asks in the middle of a call (`isAsked`) has a shorter life, for its bytes have left: any answer lets the call go on, and how the call ends
 * is how the handle ends, so that nobody is told "declined" of something the target may have done. Nothing approves or declines it.
 *
 *     ┌────────┐ adopt (yes), dismiss (no, or nobody) ┌───────────┐
 *     │ parked │ ───────────────────────────────────▶ │ executing │ ───────▶  as above
 *     └────────┘ ───▶ expired · withdrawn · unknown (lose)
 *
 * Bytes may leave only after `dispatch` is committed, and `executing` has no way back: what was sent is never sent again. `giveBack` is for what
 * was approved and not sent when the app stopped, was paused or could not commit; it needs a new proof. The right-hand and the lower ones are final.
 *
 * Every step out of `parked` and `approved` judges the deadline itself (deadline.ts), so that a late approval or dispatch fails even if the sentinel
 * never ran: once the time is over, only `expire` is left (and, for what asks, what gives nothing away).
 */
import { ok, refused, type Result } from '../../shared/result.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import { judge } from './deadline.ts';
import { isAsked, refusalOf, type Handle, type HandleKind, type HandleState, type Status } from './handle.ts';

/** What can happen to a handle. */
export type HandleEvent =
  | { readonly kind: 'approve' }
  | { readonly kind: 'decline'; readonly reason: string | null }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'expire' }
  | { readonly kind: 'revoke' }
  | { readonly kind: 'outdate' }
  | { readonly kind: 'dispatch' }
  | { readonly kind: 'succeed'; readonly answer: string }
  | { readonly kind: 'fault'; readonly code: string; readonly answer: string | null }
  | { readonly kind: 'lose' }
  | { readonly kind: 'giveBack' }
  | { readonly kind: 'adopt' }
  | { readonly kind: 'dismiss' };

export type EventKind = HandleEvent['kind'];

type Moves = Readonly<Record<Status, Readonly<Partial<Record<EventKind, Status>>>>>;

const endings = { decline: 'declined', withdraw: 'withdrawn', expire: 'expired', revoke: 'revision-withdrawn', outdate: 'stale' } as const;

/** The machine: `status × event → status`. What is not here is refused. */
export const moves = {
  parked: { approve: 'approved', adopt: 'executing', dismiss: 'executing', lose: 'unknown', ...endings },
  approved: { dispatch: 'executing', giveBack: 'parked', ...endings },
  executing: { succeed: 'executed', fault: 'upstream-fault', lose: 'unknown' },
  executed: {},
  declined: {},
  expired: {},
  withdrawn: {},
  'revision-withdrawn': {},
  stale: {},
  'upstream-fault': {},
  unknown: {},
} as const satisfies Moves;

/** The steps out of `parked` that are for one half of the kinds only: for what asks, and for what was not sent. */
const ofAsked: ReadonlySet<EventKind> = new Set(['adopt', 'dismiss', 'lose']);
const ofUnsent: ReadonlySet<EventKind> = new Set(['approve', 'decline', 'revoke', 'outdate']);

/** Where an event would lead a handle of this kind from a status, or undefined when the table has no such step. */
export function destination(from: Status, event: EventKind, kind: HandleKind = 'call'): Status | undefined {
  if (from === 'parked' && (isAsked({ kind }) ? ofUnsent : ofAsked).has(event)) return undefined;
  return (moves as Moves)[from][event];
}

/**
 * One step. Gives the next handle, its version counted up, or the refusal: how the handle ended or that it is already decided; `expired` when its
 * time is over; `clock-moved` and `paused`, under which nothing is approved or dispatched; `pending-approval` for an expiry before its time.
 */
export function step(handle: Handle, event: HandleEvent, now: Moment, pausedSince: Moment | null = null): Result<Handle> {
  if (destination(handle.state.status, event.kind, handle.kind) === undefined) return refused(refusalOf(handle));
  const barred = barredByTime(handle, event.kind, now, pausedSince);
  if (barred !== undefined) return refused(barred);
  return ok({ ...handle, version: handle.version + 1, state: stateAfter(handle.state, event, now.wall) });
}

/**
 * Why the clocks or a pause forbid this event now; undefined when they do not. What is executing is past its deadline's reach, and neither a no to a
 * question nor the loss of its call is ever too late.
 */
export function barredByTime(handle: Handle, event: EventKind, now: Moment, pausedSince: Moment | null): RefusalCode | undefined {
  if (handle.state.status === 'executing' || event === 'dismiss' || event === 'lose') return undefined;
  const judgement = judge(handle, now, pausedSince);
  if (event === 'expire') return judgement === 'over' ? undefined : 'pending-approval';
  if (judgement === 'over') return 'expired';
  if (event !== 'approve' && event !== 'dispatch' && event !== 'adopt') return undefined;
  return pausedSince !== null ? 'paused' : judgement === 'clock-moved' ? 'clock-moved' : undefined;
}

function stateAfter(from: HandleState, event: HandleEvent, at: number): HandleState {
  switch (event.kind) {
    case 'approve':
      return { status: 'approved', approvedAt: at };
    case 'giveBack':
      return { status: 'parked', returned: true };
    case 'dispatch':
      if (from.status !== 'approved') throw new Error(`${from.status} has no time of approval`);
      return { status: 'executing', approvedAt: from.approvedAt, dispatchedAt: at };
    case 'adopt':
    case 'dismiss':
      return { status: 'executing', approvedAt: at, dispatchedAt: at };
    case 'decline':
      return { status: 'declined', settledAt: at, reason: event.reason };
    case 'succeed':
      return { status: 'executed', settledAt: at, answer: event.answer };
    case 'fault':
      return { status: 'upstream-fault', settledAt: at, code: event.code, answer: event.answer };
    case 'lose':
      return { status: 'unknown', settledAt: at };
    case 'withdraw':
    case 'expire':
    case 'revoke':
    case 'outdate':
      return { status: endings[event.kind], settledAt: at };
  }
}
