import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createClaims } from '../../../src/main/dispatch/index.ts';
import type { Claim } from '../../../src/main/dispatch/ports.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aClient, aClock, aHandle, aRequest, aTarget, sha256, START } from '../../support/builders.ts';
import { aFolder, open } from '../../support/stores.ts';

const DAY = 24 * 3_600_000;
const aClaim = (over: Partial<Claim> = {}): Claim => ({ client: aClient(), target: aTarget(), key: 'key-1', hash: aRequest().hash, claimedAt: START, outcome: { kind: 'running' }, ...over });
const parkedWith = (handle: HandleId): Partial<Claim> => ({ outcome: { kind: 'parked', handle } });

function aStand() {
  const clock = aClock();
  const file = path.join(aFolder(), 'countersign.db');
  const store = open(file, { clock });
  const find = (over: Partial<Claim> = {}) => {
    const { client, target, key } = aClaim(over);
    return store.claims.find(client, target, key);
  };
  return { clock, file, store, find };
}

describe('an idempotency key', () => {
  test.each<readonly [string, Partial<Claim>]>([
    ['running', {}],
    ['parked', parkedWith(aHandle().id)],
    ['answered', { outcome: { kind: 'answered', answer: '{"kind":"result","result":{"text":"ü\\u0000"}}' } }],
  ])('is read as it was claimed, %s', (_what, over) => {
    const { store, find } = aStand();
    store.claims.put(aClaim(over));
    expect(find()).toEqual(aClaim(over));
  });

  test('belongs to one client and one target', () => {
    const { store, find } = aStand();
    store.claims.put(aClaim());
    expect([find({ client: aClient('cursor') }), find({ target: aTarget('other') }), find({ key: 'key-2' })]).toEqual([undefined, undefined, undefined]);
  });

  test('is claimed for a parked call once', () => {
    const { store, find } = aStand();
    expect(store.claims.claim(aClaim(parkedWith('txn_1_aaaaaaaaaaaa' as HandleId)))).toBe(true);
    expect(store.claims.claim(aClaim(parkedWith('txn_1_bbbbbbbbbbbb' as HandleId)))).toBe(false);
    expect(find()?.outcome).toEqual({ kind: 'parked', handle: 'txn_1_aaaaaaaaaaaa' });
  });

  test('is claimed together with its handle, or neither is there', () => {
    const { store, find } = aStand();
    const handle = aHandle();
    store.handles.insert(handle, { type: 'handle.parked', at: 1, actor: 'gateway' }, () => store.claims.claim(aClaim(parkedWith(handle.id))) && false);
    expect([find(), store.handles.get(handle.id)]).toEqual([undefined, undefined]);
    store.handles.insert(handle, { type: 'handle.parked', at: 1, actor: 'gateway' }, () => store.claims.claim(aClaim(parkedWith(handle.id))));
    expect([find()?.outcome, store.handles.get(handle.id)]).toEqual([{ kind: 'parked', handle: handle.id }, handle]);
  });

  test('of a passing call is written, read and freed inside a decision too, and undone with it', () => {
    const { store, find } = aStand();
    store.claims.put(aClaim({ key: 'freed' }));
    const work = (): void => {
      store.claims.put(aClaim({ key: 'put' }));
      expect(find({ key: 'put' })).toBeDefined();
      store.claims.release(aClient(), aTarget(), 'freed');
    };
    const event = { type: 'handle.parked', at: 1, actor: 'gateway' } as const;
    store.handles.insert(aHandle(), event, () => (work(), false));
    expect([find({ key: 'put' }), find({ key: 'freed' })]).toEqual([undefined, aClaim({ key: 'freed' })]);
    store.handles.insert(aHandle(), event, () => (work(), true));
    expect([find({ key: 'put' }), find({ key: 'freed' })]).toEqual([aClaim({ key: 'put' }), undefined]);
  });

  test('is kept for 24 hours, and then free for another payload', () => {
    const { store, find, clock } = aStand();
    store.claims.put(aClaim());
    clock.pass(DAY - 1);
    expect(find()).toEqual(aClaim());
    expect(store.claims.claim(aClaim({ ...parkedWith(aHandle().id), claimedAt: clock.now().wall }))).toBe(false);
    clock.pass(1);
    expect(find()).toBeUndefined();
    const next = aClaim({ hash: sha256('another') as Claim['hash'], ...parkedWith(aHandle().id), claimedAt: clock.now().wall });
    expect(store.claims.claim(next)).toBe(true);
    expect(find()).toEqual(next);
  });

  test('is kept as long as the call it guards waits', () => {
    const { store, find, clock } = aStand();
    const handle = aHandle({ ttlMs: 3 * DAY });
    store.handles.insert(handle, { type: 'handle.parked', at: 1, actor: 'gateway' }, () => store.claims.claim(aClaim(parkedWith(handle.id))));
    clock.pass(2 * DAY);
    expect(find()?.outcome).toEqual({ kind: 'parked', handle: handle.id });
    expect(store.claims.claim(aClaim({ ...parkedWith('txn_1_bbbbbbbbbbbb' as HandleId), claimedAt: clock.now().wall }))).toBe(false);
    store.handles.advance({ ...handle, version: 2, state: { status: 'declined', settledAt: clock.now().wall, reason: null } }, { type: 'handle.declined', at: 1, actor: 'window' });
    expect(find()).toBeUndefined();
  });

  test('is freed while its call runs, and not once it was parked or answered', () => {
    const { store, find } = aStand();
    const release = (): void => store.claims.release(aClient(), aTarget(), 'key-1');
    store.claims.put(aClaim());
    release();
    expect(find()).toBeUndefined();
    store.claims.put(aClaim({ outcome: { kind: 'answered', answer: '{}' } }));
    release();
    expect(find()).toBeDefined();
  });

  test('of a call that ran when the app died is answered as lost at the next start, and never run again', () => {
    const { store, file, clock } = aStand();
    store.claims.put(aClaim());
    store.claims.put(aClaim({ key: 'key-2', ...parkedWith(aHandle().id) }));
    store.close();
    const again = open(file, { clock });
    expect(again.claims.settleInterrupted(clock.now().wall)).toBe(1);
    const claims = createClaims({ store: again.claims });
    const call = { client: aClient(), target: aTarget(), method: 'tools/call', params: {} };
    expect(claims.look(call, 'key-1', aRequest().hash)).toMatchObject({ kind: 'answered', answer: { kind: 'lost' } });
    expect(claims.look(call, 'key-2', aRequest().hash)).toMatchObject({ kind: 'parked' });
  });

  test('that was outlived is forgotten when told, with nobody calling, and no other is', () => {
    const { store, clock } = aStand();
    store.claims.put(aClaim({ key: 'old' }));
    clock.pass(DAY - 1);
    store.claims.forgetOutlived();
    clock.turn(-1);
    expect(store.claims.find(aClient(), aTarget(), 'old')).toBeDefined();
    clock.turn(2);
    store.claims.forgetOutlived();
    clock.turn(-DAY); // so that age is no reason not to find it
    expect(store.claims.find(aClient(), aTarget(), 'old')).toBeUndefined();
  });

  test('that was outlived does not stay in the file for ever', () => {
    const { store, clock } = aStand();
    for (let n = 0; n < 50; n += 1) store.claims.put(aClaim({ key: `old-${n}` }));
    clock.pass(DAY);
    store.claims.put(aClaim({ key: 'new', claimedAt: clock.now().wall }));
    clock.turn(-DAY); // so that age is no reason not to find them
    expect(store.claims.find(aClient(), aTarget(), 'old-7')).toBeUndefined();
    expect(store.claims.find(aClient(), aTarget(), 'new')).toBeDefined();
  });
});
