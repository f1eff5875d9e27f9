import { describe, expect, test, vi } from 'vitest';
import { refused } from '../../../src/shared/result.ts';
import { aClick, anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aClient, aParking, aRequest, aTarget } from '../../support/builders.ts';

describe('joining', () => {
  const key = { client: aClient(), target: aTarget(), hash: aRequest().hash };
  const join = (approvals: ReturnType<typeof anApprovalsRoom>['approvals'], over: Partial<typeof key> = {}) => {
    const { client, target, hash } = { ...key, ...over };
    return approvals.joinable(client, target, hash);
  };

  test('finds the same call of the same client, and no other', () => {
    const { approvals } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    expect(join(approvals)?.id).toBe(handle.id);
    expect(join(approvals, { client: aClient('cursor') })).toBeUndefined();
    expect(join(approvals, { target: aTarget('other') })).toBeUndefined();
    expect(join(approvals, { hash: aRequest({ args: {} }).hash })).toBeUndefined();
  });

  test('does not join what is over', () => {
    const { approvals, clock } = anApprovalsRoom();
    good(approvals.park(aParking()));
    clock.pass(600_000);
    expect(join(approvals)).toBeUndefined();
  });

  test.each(['executed', 'declined', 'unknown', 'upstream-fault'] as const)('tells %s to the first identical call, for 24 hours', (status) => {
    const { approvals, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    if (status === 'declined') good(approvals.decline({ id: handle.id, hash: null, reason: null, actor: 'window' }));
    else {
      good(approvals.approve(aClick(handle)));
      good(approvals.beginDispatch(handle.id));
      good(approvals.settle(handle.id, status === 'executed' ? { kind: 'result', result: {} } : status === 'unknown' ? { kind: 'lost', note: '' } : { kind: 'error', error: { code: 1, message: '' } }));
    }
    clock.pass(24 * 3_600_000 - 1);
    expect(join(approvals)?.state.status).toBe(status);
    expect(good(approvals.markFetched(handle.id))).toBe(true);
    expect(good(approvals.markFetched(handle.id))).toBe(false);
    expect(join(approvals)).toBeUndefined();
  });

  test('keeps an unfetched end no longer than 24 hours', () => {
    const { approvals, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    good(approvals.decline({ id: handle.id, hash: null, reason: null, actor: 'window' }));
    clock.pass(24 * 3_600_000);
    expect(join(approvals)).toBeUndefined();
  });

  test('knows when the same request last ran', () => {
    const { approvals, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    expect(approvals.lastExecutedAt(key.target, key.hash)).toBeUndefined();
    good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(handle.id));
    clock.pass(250);
    good(approvals.settle(handle.id, { kind: 'result', result: {} }));
    expect(approvals.lastExecutedAt(key.target, key.hash)).toBe(clock.now().wall);
  });
});

describe('the queue', () => {
  test('holds what waits, first parked first', () => {
    const { approvals, clock } = anApprovalsRoom();
    const [a, b, c] = [1, 2, 3].map(() => (clock.pass(10), good(approvals.park(aParking()))));
    good(approvals.decline({ id: b!.id, hash: null, reason: null, actor: 'window' }));
    expect(approvals.queue().map(({ id }) => id)).toEqual([a!.id, c!.id]);
    good(approvals.approve(aClick(a!)));
    expect(approvals.queue().map(({ id }) => id)).toEqual([c!.id]);
    expect(approvals.recent(2).map(({ id }) => id)).toEqual([c!.id, b!.id]);
  });

  test('shows nothing that is over, even when that cannot be committed', () => {
    const { approvals, clock, store } = anApprovalsRoom();
    good(approvals.park(aParking()));
    clock.pass(600_000);
    expect(approvals.queue()).toEqual([]);
    expect(approvals.pending(aClient())).toEqual([]);
    expect(store.handles.size).toBe(1);
  });

  test('a look at what is over expires it', () => {
    const { approvals, clock } = anApprovalsRoom();
    const { id } = good(approvals.park(aParking()));
    clock.pass(600_000);
    expect(approvals.get(id)).toMatchObject({ state: { status: 'expired' } });
  });
});

describe('the start', () => {
  test('finds doubt, gives back, expires, and leaves alone', () => {
    const { approvals, clock, store } = anApprovalsRoom();
    const overdue = good(approvals.park(aParking()));
    clock.pass(300_000);
    const [sent, yes, waiting] = [1, 2, 3].map(() => good(approvals.park(aParking())));
    for (const handle of [sent!, yes!]) good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(sent!.id));
    clock.restart();
    clock.pass(300_000);
    const restarted = anApprovalsRoom({ store, clock }).approvals;
    expect(good(restarted.settleInterrupted()).map(({ id }) => id)).toEqual([overdue.id, sent!.id, yes!.id]);
    expect(store.get(overdue.id)?.state.status).toBe('expired');
    expect(store.get(sent!.id)?.state.status).toBe('unknown');
    expect(store.get(yes!.id)?.state).toEqual({ status: 'parked', returned: true });
    expect(store.get(waiting!.id)).toEqual(waiting);
  });

  test('in an older copy withdraws what waits: it may have been decided and sent since', () => {
    const { approvals, store, clock } = anApprovalsRoom();
    const [waiting, yes, sent] = [1, 2, 3].map(() => good(approvals.park(aParking())));
    for (const handle of [yes!, sent!]) good(approvals.approve(aClick(handle)));
    good(approvals.beginDispatch(sent!.id));
    good(anApprovalsRoom({ store, clock }).approvals.settleInterrupted({ restored: true }));
    expect([waiting!, yes!, sent!].map(({ id }) => store.get(id)?.state.status)).toEqual(['withdrawn', 'withdrawn', 'unknown']);
  });
});

describe('a pause', () => {
  test('stops approvals and dispatches, gives back what was approved, and lets declining go on', () => {
    const { approvals, store } = anApprovalsRoom();
    const [yes, waiting] = [1, 2].map(() => good(approvals.park(aParking())));
    good(approvals.approve(aClick(yes!)));
    good(approvals.pause('control:me'));
    expect(approvals.isPaused()).toBe(true);
    expect(approvals.get(yes!.id)?.state).toEqual({ status: 'parked', returned: true });
    expect(approvals.approve(aClick(waiting!))).toEqual(refused('paused'));
    good(approvals.decline({ id: waiting!.id, hash: null, reason: null, actor: 'window' }));
    expect(store.events.map(({ type }) => type).slice(-3)).toEqual(['gateway.paused', 'handle.returned', 'handle.declined']);
  });

  test('freezes deadlines over a restart and thaws them afterwards', () => {
    const { approvals, store, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    clock.pass(400_000);
    good(approvals.pause('control:me'));
    expect(approvals.nextDeadlineMs()).toBeNull();
    clock.restart();
    clock.pass(5_000_000);
    const again = anApprovalsRoom({ store, clock }).approvals;
    expect(again.isPaused()).toBe(true);
    good(again.expireDue());
    expect(again.remainsMs(again.get(handle.id)!)).toBe(200_000);
    good(again.resume('control:me'));
    expect(again.isPaused()).toBe(false);
    expect(again.nextDeadlineMs()).toBe(200_000);
    clock.pass(199_999);
    good(again.approve(aClick(handle)));
  });

  test('is begun and ended once', () => {
    const { approvals, store } = anApprovalsRoom();
    for (const verb of ['pause', 'pause', 'resume', 'resume'] as const) good(approvals[verb]('control:me'));
    expect(store.events.map(({ type }) => type)).toEqual(['gateway.paused', 'gateway.resumed']);
  });
});

describe('listeners', () => {
  test('hear of a step after its commit, in the order of the commits, although one of them takes the next step', () => {
    const { approvals, store } = anApprovalsRoom();
    const heard: string[] = [];
    approvals.subscribe((handle, change) => {
      heard.push(`first ${change}`);
      expect(store.get(handle.id)?.version).toBeGreaterThanOrEqual(handle.version);
      if (change === 'approve') good(approvals.beginDispatch(handle.id));
    });
    approvals.subscribe((_handle, change) => heard.push(`second ${change}`));
    good(approvals.approve(aClick(good(approvals.park(aParking())))));
    expect(heard).toEqual(['first park', 'second park', 'first approve', 'second approve', 'first dispatch', 'second dispatch']);
  });

  test('hear nothing of what was refused or could not be committed, and nothing after they left', () => {
    const { approvals, store } = anApprovalsRoom();
    const listener = vi.fn();
    const leave = approvals.subscribe(listener);
    store.fail = true;
    expect(approvals.park(aParking())).toEqual(refused('store-unavailable'));
    store.fail = false;
    const handle = good(approvals.park(aParking()));
    expect(listener).toHaveBeenCalledTimes(1);
    leave();
    good(approvals.approve(aClick(handle)));
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test('that throw keep nobody else from hearing, and undo nothing', () => {
    const failures: unknown[] = [];
    const { approvals, store } = anApprovalsRoom({ listenerFailed: (error) => failures.push(error) });
    const other = vi.fn();
    approvals.subscribe(() => {
      throw new Error('a bug');
    });
    approvals.subscribe(other);
    const handle = good(approvals.park(aParking()));
    expect([store.get(handle.id), other.mock.calls.length, failures.length]).toEqual([handle, 1, 1]);
  });
});

test('a store that cannot commit refuses every command and changes nothing', () => {
  const { approvals, store } = anApprovalsRoom();
  const handle = good(approvals.park(aParking()));
  const { id } = handle;
  store.fail = true;
  const commands = [
    approvals.park(aParking()), approvals.approve(aClick(handle)), approvals.decline({ id, hash: null, reason: null, actor: 'window' }), approvals.withdraw({ id, client: handle.client }),
    approvals.revoke(id), approvals.outdate(id), approvals.beginDispatch(id), approvals.giveBack(id), approvals.expireDue(), approvals.settleInterrupted(), approvals.markFetched(id), approvals.pause('control:me'),
  ];
  expect(commands).toEqual(commands.map(() => refused('store-unavailable')));
  store.fail = false;
  expect(approvals.get(id)).toEqual(handle);
});
