import { describe, expect, it } from 'vitest';
import { createGate, GATE_MS } from '../../../src/main/windows/gate.ts';
import type { ApprovalHandlers } from '../../../src/main/windows/ports.ts';
import type { ApprovalItem } from '../../../src/shared/contract/approval.ts';
import { aHandle, aHash, anItem, aRow } from '../../support/approval-items.ts';

function setUp(first: ApprovalItem = anItem()) {
  let at = 1_000;
  let item: ApprovalItem | null = first;
  const approved: string[] = [];
  const handlers: ApprovalHandlers = {
    look: () => ({ ok: true, value: { item, position: 1, waiting: 1, totpEnrolled: true, paused: false } }),
    value: ({ from }) => ({ ok: true, value: { pieces: [], next: from === 0 ? 65_536 : null } }),
    approve({ handle }) {
      approved.push(handle);
      return { ok: true, value: { status: 'executing' } };
    },
    cancel: () => ({ ok: true, value: { status: 'executing' } }),
    decline: () => ({ ok: true, value: { status: 'declined' } }),
    outcome: ({ handle }) => ({ ok: true, value: { handle, status: 'executed', sentence: '' } }),
  };
  const gate = createGate({ handlers, now: () => at });
  return {
    gate, approved,
    wait: (ms: number) => void (at += ms),
    attend: (focused = true, visible = true) => gate.attend({ focused, visible }),
    look: () => gate.handlers.look({ handle: null }),
    show: async (next: ApprovalItem | null) => {
      item = next;
      await gate.handlers.look({ handle: null });
    },
    approve: (handle = aHandle(), payloadHash = aHash()) => gate.handlers.approve({ handle, payloadHash, proof: { kind: 'button' } }),
  };
}

const refusal = (code: string) => ({ ok: false, code });

describe('main\'s own lock on approvals', () => {
  it('passes an approval once the window has had the focus, and the item been shown, for half a second', async () => {
    const { attend, look, wait, approve, approved } = setUp();
    attend();
    await look();
    wait(GATE_MS);
    expect(await approve()).toEqual({ ok: true, value: { status: 'executing' } });
    expect(approved).toEqual([aHandle()]);
  });

  it('refuses before that, counted from the later of focus and show', async () => {
    const { attend, look, wait, approve, approved } = setUp();
    await look();
    wait(5_000);
    attend();
    wait(GATE_MS - 1);
    expect(await approve()).toEqual(refusal('not-armed'));
    wait(1);
    expect(await approve()).toMatchObject({ ok: true });
    expect(approved).toHaveLength(1);
  });

  it('refuses a click that was on its way when another item arrived', async () => {
    const { gate, attend, look, wait, approve, approved } = setUp();
    attend();
    await look();
    wait(5_000);
    gate.arrive();
    wait(GATE_MS - 1);
    expect(await approve()).toEqual(refusal('not-armed'));
    wait(1);
    expect(await approve()).toMatchObject({ ok: true });
    expect(approved).toHaveLength(1);
  });

  it.each([[false, true], [true, false], [false, false]])('refuses while focused is %s and visible is %s', async (focused, visible) => {
    const { attend, look, wait, approve } = setUp();
    attend();
    await look();
    wait(5_000);
    attend(focused, visible);
    wait(5_000);
    expect(await approve()).toEqual(refusal('not-armed'));
  });

  it('counts anew after the focus was lost and came back', async () => {
    const { attend, look, wait, approve } = setUp();
    attend();
    await look();
    wait(5_000);
    attend(false);
    attend();
    expect(await approve()).toEqual(refusal('not-armed'));
  });

  it('refuses what was never shown, another item than the last shown, and another hash', async () => {
    const { attend, look, wait, approve, show } = setUp();
    attend();
    wait(5_000);
    expect(await approve()).toEqual(refusal('not-armed'));
    await look();
    wait(5_000);
    expect(await approve(aHandle(), aHash('b'))).toEqual(refusal('hash-mismatch'));
    await show(anItem({ handle: aHandle(2) }));
    wait(5_000);
    expect(await approve()).toEqual(refusal('not-armed'));
    expect(await approve(aHandle(2))).toMatchObject({ ok: true });
  });

  it('counts anew when another content is shown, and not when the same one is asked for again', async () => {
    const { attend, look, wait, approve, show } = setUp();
    attend();
    await look();
    wait(GATE_MS);
    await look();
    await show(null);
    expect(await approve()).toMatchObject({ ok: true });
    await show(anItem({ payloadHash: aHash('b') }));
    expect(await approve(aHandle(), aHash('b'))).toEqual(refusal('not-armed'));
  });

  it('refuses until every value that must be opened was asked for to its end', async () => {
    const { gate, attend, look, wait, approve } = setUp(anItem({ rows: [aRow(), aRow({ index: 1, opens: 'cut' }), aRow({ index: 2, opens: 'secret' })] }));
    attend();
    await look();
    wait(GATE_MS);
    const value = (row: number, from: number) => gate.handlers.value({ handle: aHandle(), row, from });
    await value(1, 0);
    await value(2, 65_536);
    expect(await approve()).toEqual(refusal('not-armed'));
    await value(1, 65_536);
    expect(await approve()).toMatchObject({ ok: true });
  });

  it('forgets what a page was shown when the page is gone', async () => {
    const { gate, attend, look, wait, approve } = setUp();
    attend();
    await look();
    wait(5_000);
    gate.forget();
    expect(await approve()).toEqual(refusal('not-armed'));
  });

  it('lets a human decline at any time', async () => {
    const { gate } = setUp();
    expect(await gate.handlers.decline({ handle: aHandle(), payloadHash: aHash(), reason: null })).toMatchObject({ ok: true });
  });
});
