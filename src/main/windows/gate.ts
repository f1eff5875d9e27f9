import type { ApprovalItem } from '../../shared/contract/approval.ts';
import type { ApprovalHandlers } from './ports.ts';

/** An approval counts only this long after the window was shown or focused, or its content changed (contract, section 4). */
export const GATE_MS = 500;

/**
 * The window's second lock. The page arms its button by itself; but the page is the least trusted of our processes, so main keeps a record of
 * its own of what it handed out and when, and lets an approval through only when
 *
 * - the window has the focus and is visible, and has been so for 500 ms,
 * - nothing else arrived in the last 500 ms: a click on its way when something arrives may have been meant for what was there before,
 * - the item approved is the one last handed out, by handle and hash, at least 500 ms ago,
 * - every value of it that must be opened was asked for to its end.
 *
 * Otherwise the answer is `not-armed`, or `hash-mismatch`, and the handler behind is never called. Everything else passes unchanged.
 */
export function createGate({ handlers, now }: { readonly handlers: ApprovalHandlers; readonly now: () => number }) {
  let attentiveSince: number | null = null;
  let arrivedAt = -Infinity;
  let shown: { readonly handle: string; readonly hash: string; readonly since: number; readonly unopened: Set<number> } | null = null;

  const show = (item: ApprovalItem | null): void => {
    if (item === null || (shown?.handle === item.handle && shown.hash === item.payloadHash)) return;
    const unopened = new Set(item.rows.filter((row) => row.opens !== null).map((row) => row.index));
    shown = { handle: item.handle, hash: item.payloadHash, since: now(), unopened };
  };

  const verdict = (handle: string, hash: string): 'not-armed' | 'hash-mismatch' | undefined => {
    if (shown?.handle !== handle || attentiveSince === null) return 'not-armed';
    if (shown.hash !== hash) return 'hash-mismatch';
    if (now() - Math.max(attentiveSince, shown.since, arrivedAt) < GATE_MS || shown.unopened.size > 0) return 'not-armed';
    return undefined;
  };

  const guarded: ApprovalHandlers = {
    ...handlers,
    async look(input) {
      const reply = await handlers.look(input);
      if (reply.ok) show(reply.value.item);
      return reply;
    },
    async value(input) {
      const reply = await handlers.value(input);
      if (reply.ok && reply.value.next === null && shown?.handle === input.handle) shown.unopened.delete(input.row);
      return reply;
    },
    async approve(input) {
      const code = verdict(input.handle, input.payloadHash);
      return code === undefined ? handlers.approve(input) : { ok: false, code };
    },
  };

  return {
    handlers: guarded,
    /** The window's presence, as the window system tells it. */
    attend({ focused, visible }: { readonly focused: boolean; readonly visible: boolean }): void {
      if (!focused || !visible) attentiveSince = null;
      else attentiveSince ??= now();
    },
    /** A new item waits, shown or not. */
    arrive(): void {
      arrivedAt = now();
    },
    /** The page is gone: what it was shown counts no more. */
    forget(): void {
      shown = null;
    },
  };
}
