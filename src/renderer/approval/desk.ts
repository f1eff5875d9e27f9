/**
 * What lies on the desk: the item in front of the human, what is being done with it, and how many wait behind it. Pure; times are milliseconds
 * of the page's clock.
 */
import type { ApprovalItem, Outcome } from '../../shared/contract/approval.ts';
import type { RefusalDetail } from '../../shared/contract/define.ts';
import type { RefusalCode } from '../../shared/refusals.ts';

export type Decision = 'approve' | 'decline' | 'cancel';

export type Progress =
  | { readonly name: 'deciding' }
  /** The decision is on its way to main. */
  | { readonly name: 'asking'; readonly what: Decision }
  /** Decided, by us or elsewhere, or run out. The outcome may still be `approved` or `executing`. */
  | { readonly name: 'over'; readonly outcome: Outcome; readonly since: number };

export interface Shown {
  readonly item: ApprovalItem;
  /** When it expires. */
  readonly deadline: number;
  readonly position: number;
  readonly progress: Progress;
  /** Why the last try was refused; gone with the next change. */
  readonly refusal: RefusalCode | null;
  /** Wrong codes that are still allowed; null when none was wrong yet. */
  readonly attemptsLeft: number | null;
  /** No code is taken before this time. */
  readonly lockedUntil: number | null;
}

/** The item before this one, and what became of it. */
export interface Before {
  readonly item: ApprovalItem;
  readonly outcome: Outcome;
}

export interface Desk {
  /** `offline`: main cannot read the queue (the code says why); what is shown may be old. */
  readonly link: 'connecting' | 'ready' | 'offline';
  readonly offline: RefusalCode | null;
  readonly waiting: number;
  readonly totpEnrolled: boolean;
  readonly paused: boolean;
  readonly shown: Shown | null;
  readonly before: Before | null;
  /** Counts what must arm Approve anew: another item or content, an arrival, a refused try. */
  readonly changes: number;
}

export interface Looked {
  readonly item: ApprovalItem | null;
  readonly position: number;
  readonly waiting: number;
  readonly totpEnrolled: boolean;
  readonly paused: boolean;
}

export type DeskEvent =
  /** Main's answer about the queue. `item` is taken onto the desk unless a decision is under way there. */
  | { readonly type: 'looked'; readonly at: number; readonly value: Looked }
  /** Only the numbers of the queue are new. */
  | { readonly type: 'counted'; readonly value: Omit<Looked, 'item' | 'position'> }
  | { readonly type: 'went-offline'; readonly code: RefusalCode }
  | { readonly type: 'asked'; readonly handle: string; readonly what: Decision }
  | { readonly type: 'refused'; readonly at: number; readonly handle: string; readonly code: RefusalCode; readonly detail: RefusalDetail | undefined }
  | { readonly type: 'ended'; readonly at: number; readonly outcome: Outcome }
  /** The human came back to the window: what is over and told makes room. */
  | { readonly type: 'cleared' };

export const emptyDesk: Desk = { link: 'connecting', offline: null, waiting: 0, totpEnrolled: true, paused: false, shown: null, before: null, changes: 0 };

const FINAL = new Set(['executed', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale', 'upstream-fault', 'unknown']);
export const isFinal = (outcome: Outcome): boolean => FINAL.has(outcome.status);

export function nextDesk(desk: Desk, event: DeskEvent): Desk {
  switch (event.type) {
    case 'looked':
      return look(desk, event.value, event.at);
    case 'counted':
      return count(desk, event.value);
    case 'went-offline':
      return { ...desk, link: 'offline', offline: event.code, changes: desk.changes + 1 };
    case 'asked':
      return onShown(desk, event.handle, (shown) => ({ ...shown, progress: { name: 'asking', what: event.what }, refusal: null }));
    case 'refused':
      return again(onShown(desk, event.handle, (shown) => ({
        ...shown,
        progress: { name: 'deciding' },
        refusal: event.code,
        attemptsLeft: event.detail?.attemptsLeft ?? shown.attemptsLeft,
        lockedUntil: event.detail?.retryAfterMs === undefined ? shown.lockedUntil : event.at + event.detail.retryAfterMs,
      })));
    case 'ended':
      return end(desk, event.outcome, event.at);
    case 'cleared':
      return clear(desk);
  }
}

const again = (desk: Desk): Desk => ({ ...desk, changes: desk.changes + 1 });
const onShown = (desk: Desk, handle: string, change: (shown: Shown) => Shown): Desk =>
  desk.shown?.item.handle === handle ? { ...desk, shown: change(desk.shown) } : desk;

function count(desk: Desk, { waiting, totpEnrolled, paused }: Omit<Looked, 'item' | 'position'>): Desk {
  const counted: Desk = { ...desk, link: 'ready', offline: null, waiting, totpEnrolled, paused };
  return waiting > desk.waiting || desk.link !== 'ready' ? again(counted) : counted;
}

function look(desk: Desk, value: Looked, at: number): Desk {
  const counted = count(desk, value);
  const { item, position } = value;
  const now = desk.shown;
  if (item === null || now?.progress.name === 'asking') return counted;
  const known = now?.item.handle === item.handle ? { attemptsLeft: now.attemptsLeft, lockedUntil: now.lockedUntil } : { attemptsLeft: null, lockedUntil: null };
  const codes = item.codes === undefined
    ? known
    : { attemptsLeft: item.codes.attemptsLeft, lockedUntil: item.codes.lockedMs === 0 ? null : at + item.codes.lockedMs };
  const deadline = at + item.remainsMs;
  if (now !== null && now.progress.name === 'deciding' && isSameContent(now.item, item)) return { ...counted, shown: { ...now, position, deadline, ...codes } };
  const before = now?.progress.name === 'over' ? { item: now.item, outcome: now.progress.outcome } : desk.before;
  const refusal = now?.item.handle === item.handle ? now.refusal : null;
  return again({ ...counted, before, shown: { item, position, deadline, progress: { name: 'deciding' }, refusal, ...codes } });
}

function clear(desk: Desk): Desk {
  const { shown } = desk;
  if (shown?.progress.name !== 'over' || !isFinal(shown.progress.outcome)) return desk;
  return again({ ...desk, before: { item: shown.item, outcome: shown.progress.outcome }, shown: null });
}

function end(desk: Desk, outcome: Outcome, at: number): Desk {
  const before = desk.before?.outcome.handle === outcome.handle ? { ...desk.before, outcome } : desk.before;
  return onShown({ ...desk, before }, outcome.handle, (shown) => ({
    ...shown,
    refusal: null,
    progress: { name: 'over', outcome, since: shown.progress.name === 'over' ? shown.progress.since : at },
  }));
}

/** Whether two answers show the same thing; the time that remains and the count of wrong codes are not part of it. */
export function isSameContent(a: ApprovalItem, b: ApprovalItem): boolean {
  const content = ({ remainsMs: _remains, codes: _codes, ...rest }: ApprovalItem): string => JSON.stringify(rest);
  return a.handle === b.handle && a.payloadHash === b.payloadHash && content(a) === content(b);
}
