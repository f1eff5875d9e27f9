import { describe, expect, it } from 'vitest';
import { createConductor, OUTCOME_MS } from '../../../src/renderer/approval/conduct.ts';
import type { Desk } from '../../../src/renderer/approval/desk.ts';
import type { ApprovalClient, ApprovalItem } from '../../../src/shared/contract/approval.ts';
import type { Reply } from '../../../src/shared/contract/define.ts';
import type { RefusalCode } from '../../../src/shared/refusals.ts';
import { aHandle, aHash, anItem, aRow, text } from '../../support/approval-items.ts';

/** A main process in memory: a queue, and what became of its items. */
function setUp(...items: ApprovalItem[]) {
  const queue = [...items];
  const statuses = new Map<string, string>();
  const asked: string[] = [];
  const state: { refuse: RefusalCode | null; approve: Reply<{ status: string }> | null; broken: boolean; held: (() => void)[] | null } = { refuse: null, approve: null, broken: false, held: null };
  const settle = (handle: string, status: string): void => {
    statuses.set(handle, status);
    const at = queue.findIndex((item) => item.handle === handle);
    if (at >= 0) queue.splice(at, 1);
  };
  const answer = async <T>(name: string, value: () => Reply<T>): Promise<Reply<T>> => {
    asked.push(name);
    if (state.held !== null) await new Promise<void>((go) => state.held?.push(go));
    if (state.broken) throw new Error('the bridge is gone');
    return state.refuse === null ? value() : { ok: false, code: state.refuse };
  };
  const client: ApprovalClient = {
    look: ({ handle }) => answer('look', () => {
      const item = handle === null ? queue[0] : queue.find((one) => one.handle === handle);
      return { ok: true, value: { item: item ?? null, position: item === undefined ? 0 : queue.indexOf(item) + 1, waiting: queue.length, totpEnrolled: true, paused: false } };
    }),
    value: () => answer('value', () => ({ ok: true, value: { pieces: [], next: null } })),
    approve: ({ handle }) => answer(`approve ${handle}`, () => {
      if (state.approve !== null) return state.approve;
      settle(handle, 'executing');
      return { ok: true, value: { status: 'executing' } };
    }),
    cancel: ({ handle }) => answer(`cancel ${handle}`, () => {
      settle(handle, 'answered');
      return { ok: true, value: { status: 'executing' } };
    }),
    decline: ({ handle, reason }) => answer(`decline ${handle} ${reason ?? '-'}`, () => {
      settle(handle, 'declined');
      return { ok: true, value: { status: 'declined' } };
    }),
    outcome: ({ handle }) => answer('outcome', () => ({ ok: true, value: { handle, status: statuses.get(handle) ?? 'parked', sentence: 's' } })),
    setUp: () => answer('set up', () => ({ ok: true, value: {} })),
    importServers: () => answer('import', () => ({ ok: true, value: {} })),
    on: () => () => undefined,
  };

  let now = 0;
  let timer: { at: number; then: () => void } | null = null;
  let desk: Desk | undefined;
  let isSeen = true;
  const conductor = createConductor({
    client,
    isSeen: () => isSeen,
    show: (next) => (desk = next),
    time: {
      now: () => now,
      after(ms, then) {
        const mine = { at: now + ms, then };
        timer = mine;
        return () => {
          if (timer === mine) timer = null;
        };
      },
    },
  });
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
  };
  return {
    conductor, queue, state, statuses, asked, settle, rest,
    desk: () => desk!,
    refresh: () => (conductor.refresh(), rest()),
    wait: async (ms: number) => {
      now += ms;
      const due = timer;
      if (due !== null && due.at <= now) {
        timer = null;
        due.then();
      }
      await rest();
    },
    shownHandle: () => desk?.shown?.item.handle,
    progress: () => desk?.shown?.progress,
    see: (seen: boolean) => void (isSeen = seen),
  };
}

const first = anItem();
const second = anItem({ handle: aHandle(2), payloadHash: aHash('b') });

describe('the desk', () => {
  it('shows the first of the queue, with its place and its deadline', async () => {
    const page = setUp(first, second);
    await page.refresh();
    expect(page.desk()).toMatchObject({ link: 'ready', waiting: 2, shown: { item: first, position: 1, deadline: 600_000, progress: { name: 'deciding' } } });
  });

  it('only counts a new arrival, and arms anew for it', async () => {
    const page = setUp(first);
    await page.refresh();
    const { changes, shown } = page.desk();
    page.queue.push(second);
    await page.refresh();
    expect(page.desk()).toMatchObject({ waiting: 2, changes: changes + 1 });
    expect(page.desk().shown?.item).toBe(shown?.item);
  });

  it('does not arm anew when nothing but the time changed', async () => {
    const page = setUp(first, second);
    await page.refresh();
    const { changes } = page.desk();
    page.queue[0] = { ...first, remainsMs: 300_000 };
    await page.refresh();
    expect(page.desk()).toMatchObject({ changes, shown: { deadline: 300_000 } });
  });

  it('arms anew when the content of the same item changed', async () => {
    const page = setUp(first);
    await page.refresh();
    const { changes } = page.desk();
    page.queue[0] = { ...first, rows: [aRow({ head: [text('other')] })] };
    await page.refresh();
    expect(page.desk().changes).toBe(changes + 1);
    expect(page.desk().shown?.item.rows[0]?.head[0]?.text).toBe('other');
  });
});

describe('a decision', () => {
  it('is sent once, for the item and the hash that are shown, and its outcome is shown', async () => {
    const page = setUp(first);
    await page.refresh();
    page.conductor.approve({ kind: 'button' });
    page.conductor.approve({ kind: 'button' });
    page.conductor.decline('no');
    expect(page.progress()).toEqual({ name: 'asking', what: 'approve' });
    await page.rest();
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { status: 'executing' } });
    expect(page.asked.filter((name) => /approve|decline/.test(name))).toEqual([`approve ${first.handle}`]);
    page.settle(first.handle, 'executed');
    await page.refresh();
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { status: 'executed' } });
    expect(page.desk().waiting).toBe(0);
  });

  it('hands the reason of a decline on', async () => {
    const page = setUp(first);
    await page.refresh();
    page.conductor.decline('not on a Friday');
    await page.rest();
    expect(page.asked).toContain(`decline ${first.handle} not on a Friday`);
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { status: 'declined' } });
  });

  it('leaves its outcome on the desk for a while before the next item comes, which arms anew', async () => {
    const page = setUp(first, second);
    await page.refresh();
    page.conductor.approve({ kind: 'button' });
    await page.rest();
    const { changes } = page.desk();
    await page.wait(OUTCOME_MS - 1);
    expect(page.shownHandle()).toBe(first.handle);
    await page.wait(1);
    expect(page.desk()).toMatchObject({ changes: changes + 1, before: { outcome: { status: 'executing' } }, shown: { item: { handle: second.handle }, progress: { name: 'deciding' } } });
    page.settle(first.handle, 'upstream-fault');
    await page.refresh();
    expect(page.desk().before?.outcome.status).toBe('upstream-fault');
  });

  it('whose outcome nobody sees gives its place to the next one at once', async () => {
    const page = setUp(first);
    page.see(false);
    await page.refresh();
    page.settle(first.handle, 'withdrawn');
    await page.refresh();
    page.queue.push(second);
    await page.refresh();
    expect(page.desk()).toMatchObject({ before: { outcome: { status: 'withdrawn' } }, shown: { item: { handle: second.handle }, progress: { name: 'deciding' } } });
  });

  it('whose outcome was told makes room when the human comes back and nothing waits', async () => {
    const page = setUp(first);
    await page.refresh();
    page.conductor.approve({ kind: 'button' });
    await page.rest();
    page.settle(first.handle, 'executed');
    await page.refresh();
    page.conductor.open(null);
    await page.rest();
    expect(page.progress()).toMatchObject({ name: 'over' });
    await page.wait(60_000);
    page.conductor.open(null);
    await page.rest();
    expect(page.desk()).toMatchObject({ shown: null, before: { outcome: { status: 'executed' } } });
  });

  it('that is refused stays on the desk with the reason and the tries that are left', async () => {
    const page = setUp(first);
    await page.refresh();
    const { changes } = page.desk();
    page.state.approve = { ok: false, code: 'wrong-code', detail: { attemptsLeft: 4 } };
    page.conductor.approve({ kind: 'totp', code: '111111' });
    await page.rest();
    expect(page.desk()).toMatchObject({ changes: changes + 1, shown: { refusal: 'wrong-code', attemptsLeft: 4, progress: { name: 'deciding' } } });
    page.state.approve = { ok: false, code: 'totp-locked', detail: { retryAfterMs: 28_000 } };
    page.conductor.approve({ kind: 'totp', code: '222222' });
    await page.rest();
    expect(page.desk().shown).toMatchObject({ refusal: 'totp-locked', lockedUntil: 28_000 });
  });

  it.each(['already-decided', 'expired', 'withdrawn', 'handle-not-found'] as const)('that comes too late (%s) shows what became of the item', async (code) => {
    const page = setUp(first);
    await page.refresh();
    page.settle(first.handle, 'expired');
    page.state.approve = { ok: false, code };
    page.conductor.approve({ kind: 'button' });
    await page.rest();
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { status: 'expired' } });
  });

  it('whose answer never came is asked for again, not sent again', async () => {
    const page = setUp(first);
    await page.refresh();
    page.state.broken = true;
    page.conductor.approve({ kind: 'button' });
    await page.rest();
    expect(page.desk()).toMatchObject({ link: 'offline', shown: { progress: { name: 'deciding' } } });
    page.state.broken = false;
    page.settle(first.handle, 'executing');
    await page.wait(2_000);
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { status: 'executing' } });
    expect(page.asked.filter((name) => name.startsWith('approve'))).toHaveLength(1);
  });
});

describe('what happens elsewhere', () => {
  it.each(['expired', 'withdrawn', 'executed'])('an item that ended (%s) while it was open says so', async (status) => {
    const page = setUp(first, second);
    await page.refresh();
    page.settle(first.handle, status);
    await page.refresh();
    expect(page.desk()).toMatchObject({ waiting: 1, shown: { item: { handle: first.handle }, progress: { name: 'over', outcome: { status } } } });
  });

  it('an unreadable store is said, and asked again until it can be read', async () => {
    const page = setUp(first);
    await page.refresh();
    page.state.refuse = 'store-unavailable';
    await page.refresh();
    expect(page.desk()).toMatchObject({ link: 'offline', offline: 'store-unavailable', shown: { item: { handle: first.handle } } });
    page.state.refuse = null;
    await page.wait(2_000);
    expect(page.desk()).toMatchObject({ link: 'ready', offline: null });
  });

  it('a human who asks for an item gets it, unless a decision is under way', async () => {
    const page = setUp(first, second);
    await page.refresh();
    page.conductor.open(second.handle);
    await page.rest();
    expect(page.desk().shown).toMatchObject({ item: { handle: second.handle }, position: 2 });
    page.state.held = [];
    page.conductor.approve({ kind: 'button' });
    page.conductor.open(first.handle);
    await page.rest();
    expect(page.shownHandle()).toBe(second.handle);
  });

  it('an answer that comes late is not taken for the item that is shown now', async () => {
    const page = setUp(first, second);
    await page.refresh();
    page.state.held = [];
    page.conductor.refresh();
    await page.rest();
    page.conductor.approve({ kind: 'button' });
    const held = page.state.held;
    page.state.held = null;
    for (const go of held) go();
    await page.rest();
    expect(page.progress()).toMatchObject({ name: 'over', outcome: { handle: first.handle, status: 'executing' } });
  });
});
