import { describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../../src/main/audit/index.ts';
import { createSentinel } from '../../../src/main/sentinel/index.ts';
import type { Timers } from '../../../src/shared/vocabulary/time.ts';
import { aClick, anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aParking } from '../../support/builders.ts';

/** Timers that run when the clock is moved on; `armed` are those that wait. */
function aSentinel(room = anApprovalsRoom()) {
  const armed: { at: number; run: () => void }[] = [];
  let count = 0;
  const timers: Timers = {
    after(ms, run) {
      const timer = { at: room.clock.now().mono + ms, run };
      armed.push(timer);
      count += 1;
      return () => void armed.splice(armed.indexOf(timer), armed.includes(timer) ? 1 : 0);
    },
  };
  const reports: string[] = [];
  const sentinel = createSentinel({ watched: room.approvals, timers, report: (what, { code }) => reports.push(`${what}: ${code}`) });
  return {
    ...room, sentinel, armed, reports,
    armings: () => count,
    /** Lets time pass and runs what is due. */
    pass(ms: number): void {
      room.clock.pass(ms);
      for (const timer of armed.filter(({ at }) => at <= room.clock.now().mono)) {
        armed.splice(armed.indexOf(timer), 1);
        timer.run();
      }
    },
  };
}

describe('the sentinel', () => {
  test('arms no timer while nothing waits', () => {
    const { sentinel, armed } = aSentinel();
    good(sentinel.start());
    expect(armed).toEqual([]);
  });

  test('has one timer, to the next deadline, whatever else waits', () => {
    const { sentinel, armed, approvals, clock } = aSentinel();
    good(sentinel.start());
    good(approvals.park(aParking({ ttlMs: 600_000 })));
    good(approvals.park(aParking({ ttlMs: 30_000 })));
    good(approvals.park(aParking({ ttlMs: 90_000 })));
    expect(armed.map(({ at }) => at - clock.now().mono)).toEqual([30_000]);
  });

  test('expires each call when its time is over, and rests after the last', () => {
    const { sentinel, armed, approvals, pass, store } = aSentinel();
    good(sentinel.start());
    const [a, b] = [30_000, 90_000].map((ttlMs) => good(approvals.park(aParking({ ttlMs }))));
    pass(29_999);
    expect(store.get(a!.id)?.state.status).toBe('parked');
    pass(1);
    expect([store.get(a!.id)?.state.status, store.get(b!.id)?.state.status]).toEqual(['expired', 'parked']);
    pass(60_000);
    expect(store.get(b!.id)?.state.status).toBe('expired');
    expect(armed).toEqual([]);
  });

  test('calls its timer off when the last waiting call is decided', () => {
    const { sentinel, armed, approvals } = aSentinel();
    good(sentinel.start());
    const { id } = good(approvals.park(aParking()));
    good(approvals.decline({ id, hash: null, reason: null, actor: 'window' }));
    expect(armed).toEqual([]);
  });

  test('looks again at once after a suspension, in which its timer stood still', () => {
    const { sentinel, approvals, clock, store } = aSentinel();
    good(sentinel.start());
    const { id } = good(approvals.park(aParking()));
    clock.turn(3_600_000);
    sentinel.reconsider();
    expect(store.get(id)?.state.status).toBe('expired');
  });

  test('waits on when its timer comes before the wall clock, which was set back, says over', () => {
    const { sentinel, approvals, clock, pass, store, armed } = aSentinel();
    good(sentinel.start());
    clock.restart();
    const { id } = good(approvals.park(aParking()));
    clock.restart();
    clock.turn(-50_000);
    sentinel.reconsider();
    pass(600_000);
    expect(store.get(id)?.state.status).toBe('parked');
    expect(armed).toHaveLength(1);
    pass(50_000);
    expect(store.get(id)?.state.status).toBe('expired');
  });

  test('sleeps through a pause and wakes for the moved deadline', () => {
    const { sentinel, approvals, armed, clock, pass, store } = aSentinel();
    good(sentinel.start());
    const { id } = good(approvals.park(aParking()));
    pass(100_000);
    good(approvals.pause('control:me'));
    sentinel.reconsider();
    expect(armed).toEqual([]);
    pass(10_000_000);
    good(approvals.resume('control:me'));
    expect(armed.map(({ at }) => at - clock.now().mono)).toEqual([500_000]);
    pass(500_000);
    expect(store.get(id)?.state.status).toBe('expired');
  });

  test('settles first what an earlier run left open', () => {
    const { sentinel, approvals, store } = aSentinel();
    const handle = good(approvals.park(aParking()));
    good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(handle.id));
    expect(good(sentinel.start())).toHaveLength(1);
    expect(store.get(handle.id)?.state.status).toBe('unknown');
  });

  test('does not start on a store that cannot commit', () => {
    const { sentinel, approvals, store, armed } = aSentinel();
    good(approvals.park(aParking()));
    store.fail = true;
    expect(sentinel.start()).toEqual({ ok: false, code: 'store-unavailable' });
    expect(armed).toEqual([]);
  });

  test('tries a round that failed again after a while, and says so', () => {
    const { sentinel, approvals, store, armed, clock, pass, reports } = aSentinel();
    good(sentinel.start());
    const { id } = good(approvals.park(aParking()));
    store.fail = true;
    pass(600_000);
    expect(reports).toEqual(['what is over could not be expired: store-unavailable']);
    expect(armed.map(({ at }) => at - clock.now().mono)).toEqual([5_000]);
    store.fail = false;
    pass(5_000);
    expect(store.get(id)?.state.status).toBe('expired');
  });

  test('looks again after a while when the deadlines cannot be read, and says so', () => {
    const room = anApprovalsRoom();
    const { nextDeadlineMs } = room.approvals;
    let fails = true;
    const unreadable = { ...room.approvals, nextDeadlineMs: () => (fails ? ((): never => { throw new StoreUnavailable('the disk is full'); })() : nextDeadlineMs()) };
    const { sentinel, armed, reports, pass } = aSentinel({ ...room, approvals: unreadable });
    good(sentinel.start());
    expect(reports).toEqual(['deadlines could not be read: store-unavailable']);
    fails = false;
    pass(5_000);
    expect([reports.length, armed]).toEqual([1, []]);
  });

  test('commits an outcome that its room could not', () => {
    const { sentinel, approvals, store, pass, armed } = aSentinel();
    good(sentinel.start());
    const handle = good(approvals.park(aParking()));
    good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(handle.id));
    store.fail = true;
    approvals.settle(handle.id, { kind: 'result', result: {} });
    store.fail = false;
    pass(5_000);
    expect(store.get(handle.id)?.state.status).toBe('executed');
    expect(armed).toEqual([]);
  });

  test('does nothing any more once stopped', () => {
    const { sentinel, approvals, armed, pass, store } = aSentinel();
    good(sentinel.start());
    const { id } = good(approvals.park(aParking()));
    sentinel.stop();
    expect(armed).toEqual([]);
    pass(600_000);
    sentinel.reconsider();
    expect(store.get(id)?.state.status).toBe('parked');
  });

  test('that never ran lets nothing late through', () => {
    const { approvals, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    clock.pass(600_000);
    expect(approvals.approve(aClick(handle))).toEqual({ ok: false, code: 'expired' });
  });
});
