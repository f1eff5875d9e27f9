import type { RefusalCode } from '../../shared/refusals.ts';
import type { Desk, Shown } from './desk.ts';
import type { OpenedRows } from './use-opened.ts';
import { CODE_LENGTH } from './code-length.ts';

/** Why Approve cannot be armed; the first that holds, in the order a human would deal with them. */
export type Block =
  | { readonly kind: 'offline'; readonly code: RefusalCode }
  | { readonly kind: 'paused' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not-enrolled' }
  | { readonly kind: 'locked'; readonly until: number }
  | { readonly kind: 'form'; readonly fields: readonly number[] }
  | { readonly kind: 'unopened'; readonly rows: readonly number[] }
  | { readonly kind: 'unseen'; readonly rows: readonly number[] }
  | { readonly kind: 'code' }
  | { readonly kind: 'background' };

/** Everything but the time: what still stands between this item and an armed button. Null when nothing does. */
export function blockOf({ desk, shown, opened, seen, code, focused, now, misfits = [], fields = 0 }: {
  readonly desk: Desk;
  readonly shown: Shown;
  readonly opened: OpenedRows;
  readonly seen: ReadonlySet<number>;
  readonly code: string;
  readonly focused: boolean;
  readonly now: number;
  /** Fields of the item's form that do not fit yet. */
  readonly misfits?: readonly number[];
  /** How many fields its form has. They are seen as further rows, numbered after the last. */
  readonly fields?: number;
}): Block | null {
  const { item, lockedUntil, deadline } = shown;
  if (desk.link !== 'ready') return { kind: 'offline', code: desk.offline ?? 'internal' };
  if (desk.paused) return { kind: 'paused' };
  if (now >= deadline) return { kind: 'expired' };
  if (item.mode === 'totp' && !desk.totpEnrolled) return { kind: 'not-enrolled' };
  if (item.mode === 'totp' && lockedUntil !== null && now < lockedUntil) return { kind: 'locked', until: lockedUntil };
  if (misfits.length > 0) return { kind: 'form', fields: misfits };
  const isOpened = (row: number): boolean => opened.get(row)?.state === 'open';
  const unopened = item.rows.filter((row) => row.opens !== null && !isOpened(row.index)).map((row) => row.index);
  if (unopened.length > 0) return { kind: 'unopened', rows: unopened };
  const inForm = Array.from({ length: fields }, (_, index) => item.rows.length + index).filter((row) => !seen.has(row));
  const unseen = [...inForm, ...item.rows.filter((row) => !seen.has(row.index) && !isOpened(row.index)).map((row) => row.index)];
  if (unseen.length > 0) return { kind: 'unseen', rows: unseen };
  if (item.mode === 'totp' && code.length !== CODE_LENGTH) return { kind: 'code' };
  return focused ? null : { kind: 'background' };
}
