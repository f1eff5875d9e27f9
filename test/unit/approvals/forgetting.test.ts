import { describe, expect, it } from 'vitest';
import { aClick, anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aParking } from '../../support/builders.ts';

const DAY = 24 * 3_600_000;
const SECRET = { kind: 'result', result: { text: 'the secret answer' } } as const;

function settled(fetched = false) {
  const room = anApprovalsRoom();
  const { approvals } = room;
  const { id } = good(approvals.park(aParking()));
  good(approvals.approve(aClick(good(approvals.own(id, aParking().client)))));
  good(approvals.beginDispatch(id));
  good(approvals.settle(id, SECRET));
  if (fetched) good(approvals.markFetched(id));
  return { ...room, id };
}

describe('the request of a call that ended', () => {
  it('is kept for 90 days and then taken out; who asked, its hash and how it ended stay', () => {
    const { approvals, clock, store, id } = settled();
    const before = approvals.get(id)!;
    clock.pass(90 * DAY);
    expect(approvals.forgetRequests()).toEqual({ ok: true, value: 0 });
    expect(approvals.get(id)).toEqual(before);
    clock.pass(1);
    expect(approvals.forgetRequests()).toEqual({ ok: true, value: 1 });
    expect(approvals.get(id)).toEqual({ ...before, forgotten: true, request: { ...before.request, text: '', paramsText: '' } });
    expect(store.events.at(-1)).toMatchObject({ type: 'requests.forgotten', actor: 'sentinel', detail: { count: 1 } });
    expect(approvals.forgetRequests()).toEqual({ ok: true, value: 0 });
  });

  it('is not taken from one that waits, however old', () => {
    const { approvals, clock } = anApprovalsRoom();
    const handle = good(approvals.park(aParking({ ttlMs: 1_000 * DAY })));
    clock.pass(200 * DAY);
    expect(approvals.forgetRequests()).toEqual({ ok: true, value: 0 });
    expect(approvals.get(handle.id)).toEqual(handle);
  });
});

describe('the answer of a call that ran', () => {
  it.each([false, true])('is kept for 24 hours and then taken out; that it ran stays (fetched: %s)', (fetched) => {
    const { approvals, clock, store, id } = settled(fetched);
    clock.pass(DAY);
    expect(approvals.forgetAnswers()).toEqual({ ok: true, value: 0 });
    expect(JSON.stringify(store.get(id))).toContain('the secret answer');
    clock.pass(1);
    expect(approvals.forgetAnswers()).toEqual({ ok: true, value: 1 });
    expect(JSON.stringify([...store.handles.values()])).not.toContain('the secret answer');
    expect(approvals.get(id)?.state).toMatchObject({ status: 'executed', answer: null });
    expect(store.events.at(-1)).toMatchObject({ type: 'answers.forgotten', actor: 'sentinel', detail: { count: 1 } });
  });

  it('is forgotten once, and nothing is written where there is nothing to forget', () => {
    const { approvals, clock, store } = settled();
    clock.pass(DAY + 1);
    good(approvals.forgetAnswers());
    const { length } = store.events;
    expect(approvals.forgetAnswers()).toEqual({ ok: true, value: 0 });
    expect(store.events).toHaveLength(length);
  });

  it('is not taken from a call that waits or runs, however old', () => {
    const { approvals, clock, store } = anApprovalsRoom();
    const { id } = good(approvals.park(aParking({ ttlMs: 10 * DAY })));
    clock.pass(2 * DAY);
    good(approvals.forgetAnswers());
    expect(store.get(id)?.state.status).toBe('parked');
  });
});
