import { describe, expect, test } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import type { Attestor } from '../../../src/main/attestation/index.ts';
import { ok, refused } from '../../../src/shared/result.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aClick, anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aClient, aParking, aRequest, aTrap } from '../../support/builders.ts';

const nobody = 'txn_1_ffffffffffff' as HandleId;

describe('parking', () => {
  test('waits at least a millisecond, and whole ones', () => {
    const { approvals } = anApprovalsRoom();
    expect([0.2, 1.6, -5].map((ttlMs) => good(approvals.park(aParking({ ttlMs }))).ttlMs)).toEqual([1, 2, 1]);
  });

  test('keeps the request and says so in the audit, without any of its values', () => {
    const { approvals, store } = anApprovalsRoom();
    const request = aRequest({ args: { path: 'secret-plans.txt' } });
    const handle = good(approvals.park(aParking({ request })));
    expect(approvals.get(handle.id)).toEqual(handle);
    expect(handle).toMatchObject({ request, version: 1, state: { status: 'parked', returned: false }, fetched: false });
    expect(store.events).toMatchObject([{ type: 'handle.parked', actor: 'client:claude', handle: handle.id, target: 'files', payloadHash: request.hash, detail: { subject: 'write_file', mode: 'button', ttl_s: 600 } }]);
    expect(JSON.stringify(store.events)).not.toContain('secret-plans');
  });

  test.each([
    ['a resource', { method: 'resources/read', subject: 'file:///home/me/secret-plans' }],
    ['a name that is no name', { subject: 'write file; secret-plans' }],
  ])('does not name %s in the audit', (_what, over) => {
    const { approvals, store } = anApprovalsRoom();
    good(approvals.park(aParking({ request: { ...aRequest(), ...over } })));
    expect(JSON.stringify(store.events)).not.toContain('secret-plans');
  });

  test('stops at 20 calls of one client, and lets another one in', () => {
    const { approvals, store } = anApprovalsRoom();
    for (let n = 0; n < 20; n += 1) good(approvals.park(aParking()));
    expect(approvals.park(aParking())).toEqual(refused('too-many-pending'));
    expect(store.handles.size).toBe(20);
    good(approvals.park(aParking({ client: aClient('cursor') })));
  });

  test('stops at 1,000 calls in all', () => {
    const { approvals } = anApprovalsRoom();
    for (let n = 0; n < 1000; n += 1) good(approvals.park(aParking({ client: aClient(`c${Math.floor(n / 20)}`) })));
    expect(approvals.park(aParking({ client: aClient('late') }))).toEqual(refused('too-many-pending'));
  });

  test('is not kept out by calls whose time is over', () => {
    const { approvals, clock } = anApprovalsRoom();
    for (let n = 0; n < 20; n += 1) good(approvals.park(aParking()));
    clock.pass(600_000);
    good(approvals.park(aParking()));
  });

  test('counts calls that run, and not those that ended', () => {
    const { approvals } = anApprovalsRoom({ limits: { perClient: 2, total: 10 } });
    const running = good(approvals.park(aParking()));
    good(approvals.approve(aClick(running)));
    good(approvals.beginDispatch(running.id));
    const second = good(approvals.park(aParking()));
    expect(approvals.park(aParking())).toEqual(refused('too-many-pending'));
    good(approvals.decline({ id: second.id, hash: null, reason: null, actor: 'control:me' }));
    good(approvals.park(aParking()));
  });

  test('leaves nothing behind when what must be committed with it refuses', () => {
    const { approvals, store } = anApprovalsRoom();
    expect(approvals.park(aParking({ within: () => false }))).toEqual(refused('idempotency-key-reused'));
    expect([store.handles.size, store.events.length]).toEqual([0, 0]);
    const ids: HandleId[] = [];
    const handle = good(approvals.park(aParking({ within: (id) => ids.push(id) === 1 })));
    expect(ids).toEqual([handle.id]);
  });
});

describe('approving', () => {
  const parked = (over: Parameters<typeof aParking>[0] = {}, deps: Parameters<typeof anApprovalsRoom>[0] = {}) => {
    const room = anApprovalsRoom(deps);
    return { ...room, handle: good(room.approvals.park(aParking(over))) };
  };
  const totp = { trap: aTrap({ mode: 'totp' }) };
  const code = (handle: Handle) => ({ ...aClick(handle), proof: { kind: 'totp', code: '482910' }, way: 'in-band' }) as const;
  const yes: Attestor = { check: () => ok({}) };

  test('takes a click in the window on the hash that was shown', () => {
    const { approvals, handle, store } = parked();
    expect(good(approvals.approve(aClick(handle))).state.status).toBe('approved');
    expect(store.events.at(-1)).toMatchObject({ type: 'handle.approved', actor: 'window', detail: { way: 'window', proof: 'button' } });
  });

  test('refuses another hash than the stored one', () => {
    const { approvals, handle, store } = parked();
    expect(approvals.approve({ ...aClick(handle), hash: 'f'.repeat(64) })).toEqual(refused('hash-mismatch'));
    expect(approvals.get(handle.id)?.state.status).toBe('parked');
    expect(store.events.at(-1)).toMatchObject({ type: 'proof.refused', actor: 'window', handle: handle.id, detail: { way: 'window', code: 'hash-mismatch' } });
  });

  test.each(['in-band', 'command-line', 'intent'] as const)('gives a button call to nobody who comes by way of %s, whatever the attestor says', (way) => {
    const { approvals, handle, store } = parked({}, { attestor: yes });
    expect(approvals.approve({ ...aClick(handle), way })).toEqual(refused('window-only'));
    expect(store.events.at(-1)).toMatchObject({ type: 'proof.refused', detail: { way, code: 'window-only' } });
    expect(approvals.approve({ ...aClick(handle), way, proof: { kind: 'totp', code: '482910' } })).toEqual(refused('window-only'));
    expect(approvals.approve({ ...aClick(handle), proof: { kind: 'totp', code: '482910' } })).toEqual(refused('window-only'));
  });

  test('never takes a click for a TOTP call, whatever the attestor says', () => {
    const { approvals, handle } = parked(totp, { attestor: yes });
    expect(approvals.approve(aClick(handle))).toEqual(refused('code-required'));
  });

  test('judges state, kind of proof, hash, deadline and code in this order', () => {
    const wrongCode: Attestor = { check: () => refused('wrong-code') };
    const { approvals, handle, clock } = parked(totp, { attestor: wrongCode });
    const everythingWrong = { ...aClick(handle), hash: 'f'.repeat(64) };
    expect(approvals.approve(everythingWrong)).toEqual(refused('code-required'));
    expect(approvals.approve({ ...code(handle), hash: 'f'.repeat(64) })).toEqual(refused('hash-mismatch'));
    clock.turn(-60_001);
    expect(approvals.approve(code(handle))).toEqual(refused('clock-moved'));
    clock.turn(60_001);
    expect(approvals.approve(code(handle))).toEqual(refused('wrong-code'));
    good(approvals.withdraw({ id: handle.id, client: handle.client }));
    expect(approvals.approve(everythingWrong)).toEqual(refused('withdrawn'));
  });

  test('is undone when the code is found spent inside the transaction', () => {
    const { approvals, handle, store } = parked(totp, { attestor: { check: () => ok({ within: () => false }) } });
    expect(approvals.approve(code(handle))).toEqual(refused('code-used'));
    expect(approvals.get(handle.id)).toEqual(handle);
    expect(store.events.map(({ type }) => type)).toEqual(['handle.parked']);
  });

  test('spends a code only in the transaction that approves', () => {
    let spent = 0;
    const { approvals, handle, store } = parked(totp, { attestor: { check: () => ok({ within: () => (spent += 1) > 0 }) } });
    store.fail = true;
    expect(approvals.approve(code(handle))).toEqual(refused('store-unavailable'));
    store.fail = false;
    expect(spent).toBe(0);
    good(approvals.approve(code(handle)));
    expect(spent).toBe(1);
  });

  test('a millisecond late is refused, and the call is expired for good', () => {
    const { approvals, handle, clock, store } = parked();
    clock.pass(600_000);
    expect(approvals.approve(aClick(handle))).toEqual(refused('expired'));
    clock.turn(-300_000);
    expect(approvals.approve(aClick(handle))).toEqual(refused('expired'));
    expect(store.events.at(-1)).toMatchObject({ type: 'handle.expired', actor: 'sentinel' });
  });

  test('that takes so long to commit that the time runs out meanwhile is refused', () => {
    const room = anApprovalsRoom();
    const slow: Attestor = { check: () => ok({ within: () => true }) };
    const { approvals } = anApprovalsRoom({ ...room, attestor: slow, store: { ...room.store, advance: (next, event, within) => (room.clock.pass(1), room.store.advance(next, event, within)) }, clock: room.clock });
    const handle = good(approvals.park(aParking()));
    room.clock.pass(599_999);
    expect(approvals.approve(aClick(handle))).toEqual(refused('expired'));
    expect(room.store.get(handle.id)?.state.status).toBe('parked');
  });

  test('twice is refused the second time', () => {
    const { approvals, handle } = parked();
    good(approvals.approve(aClick(handle)));
    expect(approvals.approve(aClick(handle))).toEqual(refused('already-decided'));
  });

  test('of what does not exist is refused', () => {
    const { approvals, handle } = parked();
    expect(approvals.approve({ ...aClick(handle), id: nobody })).toEqual(refused('handle-not-found'));
  });
});

describe('declining and withdrawing', () => {
  test('keeps the cleaned reason, and records only that there was one', () => {
    const { approvals, store } = anApprovalsRoom();
    const { id, request } = good(approvals.park(aParking()));
    const declined = good(approvals.decline({ id, hash: request.hash, reason: ' too\u202e\nrisky ', actor: 'window' }));
    expect(declined.state).toMatchObject({ status: 'declined', reason: 'too risky' });
    expect(store.events.at(-1)).toMatchObject({ type: 'handle.declined', actor: 'window', detail: { reason: true } });
  });

  test('refuses to decline something other than what was shown', () => {
    const { approvals } = anApprovalsRoom();
    const { id } = good(approvals.park(aParking()));
    expect(approvals.decline({ id, hash: 'f'.repeat(64), reason: null, actor: 'window' })).toEqual(refused('hash-mismatch'));
  });

  test('lets only the owner withdraw, and tells nobody else that the handle exists', () => {
    const { approvals } = anApprovalsRoom();
    const { id } = good(approvals.park(aParking()));
    const other = aClient('cursor');
    expect(approvals.withdraw({ id, client: other })).toEqual(refused('handle-not-found'));
    expect(approvals.own(id, other)).toEqual(approvals.own(nobody, other));
    expect(good(approvals.withdraw({ id, client: aClient() })).state.status).toBe('withdrawn');
    expect(approvals.withdraw({ id, client: aClient() })).toEqual(refused('withdrawn'));
  });

  test('a no wins over a yes that was not dispatched yet', () => {
    const { approvals } = anApprovalsRoom();
    const handle = good(approvals.park(aParking()));
    good(approvals.approve(aClick(handle)));
    good(approvals.decline({ id: handle.id, hash: null, reason: null, actor: 'control:me' }));
    expect(approvals.beginDispatch(handle.id)).toEqual(refused('declined'));
  });
});

describe('dispatching and settling', () => {
  const approved = (deps: Parameters<typeof anApprovalsRoom>[0] = {}) => {
    const room = anApprovalsRoom(deps);
    const handle = good(room.approvals.park(aParking()));
    good(room.approvals.approve(aClick(handle)));
    return { ...room, handle };
  };

  test('begins once', () => {
    const { approvals, handle } = approved();
    expect(good(approvals.beginDispatch(handle.id)).request).toEqual(handle.request);
    expect(approvals.beginDispatch(handle.id)).toEqual(refused('already-decided'));
  });

  test('does not begin what was never approved', () => {
    const { approvals } = anApprovalsRoom();
    expect(approvals.beginDispatch(good(approvals.park(aParking())).id)).toEqual(refused('pending-approval'));
  });

  test('does not begin after the deadline, although it was approved in time', () => {
    const { approvals, handle, clock } = approved();
    clock.pass(600_000);
    expect(approvals.beginDispatch(handle.id)).toEqual(refused('expired'));
  });

  test.each(['revision-withdrawn', 'stale'] as const)('ends the call as %s when that is so at the moment of dispatch', (served) => {
    const { approvals, handle } = approved();
    expect(approvals.beginDispatch(handle.id, () => served)).toEqual(refused(served));
    expect(approvals.get(handle.id)?.state.status).toBe(served);
  });

  test.each([
    ['a result', { kind: 'result', result: { content: [] } }, { status: 'executed', answer: '{"result":{"content":[]}}' }],
    ['an error', { kind: 'error', error: { code: -1, message: 'no' } }, { status: 'upstream-fault', code: 'upstream-fault', answer: '{"error":{"code":-1,"message":"no"}}' }],
    ['a fault', { kind: 'fault', code: 'upstream-unauthorized', sent: true, note: '' }, { status: 'upstream-fault', code: 'upstream-unauthorized', answer: null }],
    ['no answer', { kind: 'lost', note: '' }, { status: 'unknown' }],
  ] as const)('settles %s', (_what, answer, state) => {
    const { approvals, handle } = approved();
    good(approvals.beginDispatch(handle.id));
    expect(good(approvals.settle(handle.id, answer)).state).toMatchObject(state);
    expect(approvals.settle(handle.id, { kind: 'lost', note: '' }).ok).toBe(false);
  });

  test('settles even after the deadline: what was sent was sent', () => {
    const { approvals, handle, clock } = approved();
    good(approvals.beginDispatch(handle.id));
    clock.pass(6_000_000);
    expect(good(approvals.settle(handle.id, { kind: 'result', result: {} })).state.status).toBe('executed');
  });

  test('waits for a human again when it cannot be sent and even that cannot be written at first', () => {
    const { approvals, handle, store } = approved();
    store.fail = true;
    expect(approvals.beginDispatch(handle.id)).toEqual(refused('store-unavailable'));
    expect(approvals.giveBack(handle.id)).toEqual(refused('store-unavailable'));
    expect(approvals.nextDeadlineMs()).toBe(1_000);
    store.fail = false;
    good(approvals.expireDue());
    expect(approvals.get(handle.id)?.state).toEqual({ status: 'parked', returned: true });
    expect(approvals.queue().map(({ id }) => id)).toEqual([handle.id]);
  });

  test('keeps an outcome that could not be committed, and commits it when the store is back', () => {
    const { approvals, handle, store } = approved();
    const heard: string[] = [];
    good(approvals.beginDispatch(handle.id));
    approvals.subscribe((_handle, change) => heard.push(change));
    store.fail = true;
    expect(approvals.settle(handle.id, { kind: 'result', result: { done: 1 } })).toEqual(refused('store-unavailable'));
    expect(heard).toEqual(['unsettled']);
    expect(approvals.nextDeadlineMs()).toBe(1_000);
    store.fail = false;
    good(approvals.expireDue());
    expect(approvals.get(handle.id)?.state).toMatchObject({ status: 'executed', answer: '{"result":{"done":1}}' });
    expect(approvals.nextDeadlineMs()).toBeNull();
  });
});
