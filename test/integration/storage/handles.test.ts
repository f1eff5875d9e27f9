import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { isFinal, type Handle, type Status } from '../../../src/main/approvals/index.ts';
import { destination, moves, type EventKind } from '../../../src/main/approvals/machine.ts';
import { StoreUnavailable, type HandleStore } from '../../../src/main/approvals/ports.ts';
import type { AuditEvent } from '../../../src/main/audit/index.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aClient, aHandle, aMoment, aRequest, aTarget, aTrap, handleIds, sha256, START, statesOf } from '../../support/builders.ts';
import { memoryHandleStore } from '../../support/memory-stores.ts';
import { aFolder, open } from '../../support/stores.ts';

const event = (type: AuditEvent['type'] = 'handle.parked'): AuditEvent => ({ type, at: START, actor: 'gateway' });

/** A sound way from `parked` to each status. */
const ways: Readonly<Record<Status, readonly Status[]>> = {
  parked: [], approved: ['approved'], executing: ['approved', 'executing'], executed: ['approved', 'executing', 'executed'], declined: ['declined'], expired: ['expired'],
  withdrawn: ['withdrawn'], 'revision-withdrawn': ['revision-withdrawn'], stale: ['stale'], 'upstream-fault': ['approved', 'executing', 'upstream-fault'], unknown: ['approved', 'executing', 'unknown'],
};
const statuses = Object.keys(ways) as Status[];

/** Parks a handle and moves it to a status, a settled one at `settledAt`. */
function bring(store: HandleStore, handle: Handle, to: Status, settledAt = START, way = ways[to]): Handle {
  store.insert(handle, event());
  return way.reduce((before, status) => {
    const state = statesOf[status];
    const next: Handle = { ...before, version: before.version + 1, state: 'settledAt' in state ? { ...state, settledAt } : state };
    expect(store.advance(next, event('handle.approved'))).toBe(true);
    return next;
  }, handle);
}

/** What the port promises, for the store the product uses and for the one the pure tests use in its place. */
describe.each<readonly [string, () => HandleStore]>([
  ['SQLite', () => open(path.join(aFolder(), 'countersign.db')).handles],
  ['memory', memoryHandleStore],
])('handles kept in %s', (_name, make) => {
  test.each(statuses)('are read as they were written, %s', (status) => {
    const store = make();
    const nextId = handleIds();
    const odd: Handle = {
      ...aHandle({ id: nextId(START), kind: 'change', door: 'control', ttlMs: 5, frozen: { wall: 0, mono: 0 } }),
      request: { ...aRequest({ args: { 'ключ\u0000': 'ü\u2028\ufffd \u{1f600}', n: [1.5, null, true] } }), subject: null },
      trap: aTrap({ mode: 'totp', where: 'arguments.ключ', span: { start: 1, end: 4 } }),
    };
    const written = bring(store, odd, status);
    expect(store.get(odd.id)).toEqual(written);
    expect(store.recent(5)).toEqual([written]);
    expect(store.open()).toEqual(isFinal(written) ? [] : [written]);
  });

  test('are advanced from the version they have, and from no other', () => {
    const store = make();
    const handle = aHandle();
    store.insert(handle, event());
    const next: Handle = { ...handle, version: 2, state: statesOf.approved };
    expect(store.advance({ ...next, version: 3 }, event())).toBe(false);
    expect(store.advance(next, event())).toBe(true);
    expect(store.advance({ ...next, state: statesOf.declined }, event())).toBe(false);
    expect(store.get(handle.id)).toEqual(next);
    expect(store.advance({ ...next, id: 'txn_1_aaaaaaaaaaaa' as HandleId }, event())).toBe(false);
  });

  test('are neither inserted nor advanced when something within refuses or throws', () => {
    const store = make();
    const handle = aHandle();
    expect(store.insert(handle, event(), () => false)).toBe(false);
    expect(() => store.insert(handle, event(), () => { throw new StoreUnavailable('within'); })).toThrow(StoreUnavailable);
    expect(store.get(handle.id)).toBeUndefined();
    store.insert(handle, event(), () => true);
    const next: Handle = { ...handle, version: 2, state: statesOf.approved };
    expect(store.advance(next, event(), () => false)).toBe(false);
    expect(() => store.advance(next, event(), () => { throw new StoreUnavailable('within'); })).toThrow(StoreUnavailable);
    expect(store.get(handle.id)).toEqual(handle);
  });

  test('are counted while they are open, of one client and in all', () => {
    const store = make();
    const nextId = handleIds();
    for (const status of statuses) bring(store, aHandle({ id: nextId(START) }), status);
    bring(store, aHandle({ id: nextId(START), client: aClient('cursor') }), 'parked');
    expect([store.openCount(), store.openCount(aClient()), store.openCount(aClient('cursor')), store.openCount(aClient('nobody'))]).toEqual([4, 3, 1, 0]);
    expect(store.open().map(({ state }) => state.status)).toEqual(['parked', 'approved', 'executing', 'parked']);
    expect(store.waiting().map(({ id, ttlMs, parkedAt, frozen }) => ({ id, ttlMs, parkedAt, frozen }))).toEqual(
      [0, 1, 11].map((n) => ({ id: `txn_${START / 1000}_${n.toString(16).padStart(12, '0')}`, ttlMs: 600_000, parkedAt: aMoment(), frozen: { wall: 0, mono: 0 } })),
    );
  });

  test.each(statuses)('are joined by an identical call when %s, if a client has still to be told', (status) => {
    const store = make();
    const { request, client, id } = aHandle();
    const written = bring(store, aHandle(), status, START + 50);
    const joins = !isFinal(written) || ['executed', 'declined', 'upstream-fault', 'unknown'].includes(status);
    const join = (over: { readonly client?: typeof client; readonly target?: typeof request.target; readonly hash?: typeof request.hash; readonly after?: number } = {}) =>
      store.joinable(over.client ?? client, over.target ?? request.target, over.hash ?? request.hash, over.after ?? START);
    expect(join()).toEqual(joins ? written : undefined);
    expect(join({ client: aClient('cursor') })).toBeUndefined();
    expect(join({ target: aTarget('other') })).toBeUndefined();
    expect(join({ hash: sha256('x') as typeof request.hash })).toBeUndefined();
    expect(join({ after: START + 50 })).toEqual(isFinal(written) ? undefined : written);
    expect(store.markFetched(id)).toBe(isFinal(written));
    expect(store.markFetched(id)).toBe(false);
    expect(join()).toEqual(isFinal(written) ? undefined : written);
    expect(store.get(id)).toEqual({ ...written, fetched: isFinal(written) });
  });

  test('tell when the same request last ran, or may have', () => {
    const store = make();
    const nextId = handleIds();
    const { request } = aHandle();
    expect(store.lastExecutedAt(request.target, request.hash)).toBeUndefined();
    for (const status of statuses) bring(store, aHandle({ id: nextId(START) }), status, ['executed', 'unknown'].includes(status) ? START + statuses.indexOf(status) : START + 500);
    expect(store.lastExecutedAt(request.target, request.hash)).toBe(START + statuses.indexOf('unknown'));
  });

  test('keep a pause, and move all deadlines at its end or none', () => {
    const store = make();
    const nextId = handleIds();
    const [a, b] = [1, 2].map(() => bring(store, aHandle({ id: nextId(START) }), 'parked'));
    expect(store.pausedSince()).toBeNull();
    store.pause(aMoment({ mono: 7.5 }), event('gateway.paused'));
    expect(store.pausedSince()).toEqual(aMoment({ mono: 7.5 }));
    const moved = [a!, b!].map((handle) => ({ ...handle, version: 2, frozen: { wall: 40, mono: 39.5 } }));
    expect(store.resume([moved[0]!, { ...moved[1]!, version: 3 }], event('gateway.resumed'))).toBe(false);
    expect([store.pausedSince(), store.get(a!.id)]).toEqual([aMoment({ mono: 7.5 }), a]);
    expect(store.resume(moved, event('gateway.resumed'))).toBe(true);
    expect([store.pausedSince(), store.get(a!.id), store.get(b!.id)]).toEqual([null, ...moved]);
  });
});

test('every write has its audit row in the same commit, and a refused one has none', () => {
  const store = open(path.join(aFolder(), 'countersign.db'));
  const handle = aHandle();
  const types = (): readonly string[] => store.audit.list({ limit: 99 }).map(({ type }) => type);
  store.handles.insert(handle, event('handle.parked'), () => false);
  expect(types()).toEqual([]);
  store.handles.insert(handle, event('handle.parked'));
  const next: Handle = { ...handle, version: 2, state: statesOf.declined };
  store.handles.advance({ ...next, version: 9 }, event('handle.declined'));
  store.handles.advance(next, event('handle.declined'), () => false);
  expect(types()).toEqual(['handle.parked']);
  store.handles.advance(next, event('handle.declined'));
  store.handles.pause(aMoment(), event('gateway.paused'));
  store.handles.resume([{ ...next, version: 9 }], event('gateway.resumed'));
  store.handles.resume([], event('gateway.resumed'));
  expect(types()).toEqual(['gateway.resumed', 'gateway.paused', 'handle.declined', 'handle.parked']);
});

describe('the database itself', () => {
  const raw = (file: string): BetterSqlite.Database => new BetterSqlite(file);

  /** A sound way from `parked` to a status, for what asks in the middle of a call. */
  const waysOfAsked: Partial<Record<Status, readonly Status[]>> = { parked: [], executing: ['executing'], unknown: ['unknown'], expired: ['expired'], withdrawn: ['withdrawn'], executed: ['executing', 'executed'], 'upstream-fault': ['executing', 'upstream-fault'] };

  test.each([
    ...statuses.map((from) => ['call', from, ways[from]] as const),
    ...(Object.entries(waysOfAsked) as [Status, readonly Status[]][]).map(([from, way]) => ['elicitation', from, way] as const),
  ])('lets a handle of the kind %s go from %s only where the machine goes', (kind, from, way) => {
    const file = path.join(aFolder(), 'countersign.db');
    const store = open(file).handles;
    const handle = bring(store, aHandle({ kind }), from, START, way);
    const db = raw(file);
    const reachable = new Set((Object.keys(moves[from]) as EventKind[]).map((step) => destination(from, step, kind)));
    if (from === 'parked' || from === 'approved') reachable.add(from); // the end of a pause moves the deadline of what waits
    for (const to of statuses) {
      const update = (): unknown =>
        db.transaction(() => {
          db.prepare('UPDATE handles SET version = version + 1, status = ?, settled_at = ? WHERE id = ?').run(to, isFinal({ state: statesOf[to] }) ? START : null, handle.id);
          throw new Error('undone');
        })();
      expect(update, `${from} to ${to}`).toThrow(reachable.has(to) ? 'undone' : 'a handle moves along its machine');
    }
    db.close();
  });

  test.each([
    ["UPDATE handles SET text = x'00'", 'facts of a handle stay'], ["UPDATE handles SET hash = 'x'", 'facts of a handle stay'], ['UPDATE handles SET ttl_ms = 1', 'facts of a handle stay'], ["UPDATE handles SET client = 'x'", 'facts of a handle stay'],
    ["UPDATE handles SET revision = 'x'", 'facts of a handle stay'], ['UPDATE handles SET parked_wall = 1', 'facts of a handle stay'], ['DELETE FROM handles', 'handles stay'], ['UPDATE handles SET frozen_wall = 9', 'moves along its machine'], ["UPDATE handles SET state = x'00'", 'moves along its machine'],
    ['UPDATE handles SET fetched = 1', 'fetched when it is final'], ['UPDATE handles SET emptied = 1', 'emptied when it is final'], ["UPDATE audit SET actor = 'x'", 'audit rows stay'], ['DELETE FROM audit', 'audit rows stay'], ["UPDATE install SET id = 'x'", 'the install row stays'], ['DELETE FROM install', 'the install row stays'],
    ["INSERT INTO handles SELECT 99, 'txn_1_000000000099', kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, 0, 0, 1, 'approved', state, NULL, 0, NULL, 0, 0 FROM handles", 'a handle begins parked'],
  ])('forbids %s', (sql, why) => {
    const file = path.join(aFolder(), 'countersign.db');
    bring(open(file).handles, aHandle(), 'parked');
    const db = raw(file);
    expect(() => db.exec(sql)).toThrow(why);
    db.close();
  });

  test.each(statuses.filter((status) => isFinal({ state: statesOf[status] })))('forbids every change of a handle that is %s, but that a client was told', (status) => {
    const file = path.join(aFolder(), 'countersign.db');
    bring(open(file).handles, aHandle(), status);
    const db = raw(file);
    for (const change of ['version = version + 1', "status = 'parked'", "state = x'7b7d'", 'settled_at = settled_at + 1', 'frozen_wall = 1', 'frozen_mono = 1.5']) expect(() => db.exec(`UPDATE handles SET ${change}`), change).toThrow('moves along its machine');
    db.exec('UPDATE handles SET fetched = 1');
    expect(() => db.exec('UPDATE handles SET fetched = 0')).toThrow('fetched');
    db.close();
  });

  test('takes the answer out of an old final handle once, in parts, with its audit row, and takes nothing else', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const { handles, audit } = open(file);
    const ids = handleIds();
    const old = Array.from({ length: 201 }, () => bring(handles, aHandle({ id: ids(START) }), 'executed'));
    const others = (['parked', 'declined', 'executing', 'unknown'] as const).map((status) => bring(handles, aHandle({ id: ids(START) }), status));
    const told: number[] = [];
    const forget = (before: number): number => handles.forgetAnswers(before, (count) => (told.push(count), event('answers.forgotten')));
    expect(forget(START)).toBe(0);
    expect([forget(START + 1_000), forget(START + 1_000), forget(START + 1_000)]).toEqual([200, 1, 0]);
    expect(told).toEqual([200, 1]);
    for (const handle of old) expect(handles.get(handle.id)).toEqual({ ...handle, state: { ...handle.state, answer: null } });
    for (const handle of others) expect(handles.get(handle.id)).toEqual(handle);
    expect(audit.verify().every(({ firstBad }) => firstBad === undefined)).toBe(true);
    const db = raw(file);
    expect(() => db.exec("UPDATE handles SET emptied = 0 WHERE status = 'executed'")).toThrow('emptied when it is final');
    db.close();
  });

  test('takes the text out of old requests once, in parts, with its audit row, and leaves what they were', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const { handles, audit } = open(file);
    const ids = handleIds();
    const old = Array.from({ length: 201 }, (_, at) => bring(handles, aHandle({ id: ids(START) }), at % 2 === 0 ? 'executed' : 'declined'));
    const others = (['parked', 'approved', 'executing'] as const).map((status) => bring(handles, aHandle({ id: ids(START) }), status));
    const told: number[] = [];
    const forget = (settledBefore: number): number => handles.forgetRequests({ settledBefore, bytes: 1e9 }, (count) => (told.push(count), event('requests.forgotten')));
    expect(forget(START)).toBe(0);
    expect([forget(START + 1_000), forget(START + 1_000), forget(START + 1_000)]).toEqual([200, 1, 0]);
    expect(told).toEqual([200, 1]);
    for (const handle of old) expect(handles.get(handle.id)).toEqual({ ...handle, forgotten: true, request: { ...handle.request, text: '', paramsText: '' } });
    for (const handle of others) expect(handles.get(handle.id)).toEqual(handle);
    expect(handles.lastExecutedAt(old[0]!.request.target, old[0]!.request.hash)).toBe((old[0]!.state as { readonly settledAt: number }).settledAt);
    expect(handles.recent(1_000)).toHaveLength(204);
    expect(audit.verify().every(({ firstBad }) => firstBad === undefined)).toBe(true);
  });

  test('takes it out of the oldest where all together are more than is kept', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const { handles } = open(file);
    const ids = handleIds();
    const all = Array.from({ length: 5 }, () => bring(handles, aHandle({ id: ids(START) }), 'executed'));
    const size = Buffer.byteLength(all[0]!.request.text);
    const forget = (bytes: number): number => handles.forgetRequests({ settledBefore: 0, bytes }, () => event('requests.forgotten'));
    expect([forget(5 * size), forget(5 * size - 1), forget(2 * size), forget(2 * size)]).toEqual([0, 1, 2, 0]);
    expect(all.map(({ id }) => handles.get(id)?.forgotten === true)).toEqual([true, true, true, false, false]);
  });

  test('forbids to forget the request of a handle that is not final, and to remember it', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const { handles } = open(file);
    const ids = handleIds();
    const [waits, over] = (['parked', 'executed'] as const).map((status) => bring(handles, aHandle({ id: ids(START) }), status));
    const db = raw(file);
    const forget = "UPDATE handles SET forgotten = 1, text = x'', params_at = 0, params_length = 0";
    expect(() => db.exec(`${forget} WHERE id = '${waits!.id}'`)).toThrow('handle');
    for (const change of ["hash = 'f'", "client = 'x'", "kind = 'change'", "trap = x''", 'ttl_ms = 1', "subject = 'x'", "revision = '{}'"]) expect(() => db.exec(`${forget}, ${change} WHERE id = '${over!.id}'`), change).toThrow('facts of a handle stay');
    expect(() => db.exec(`UPDATE handles SET forgotten = 1 WHERE id = '${over!.id}'`)).toThrow('forgotten when its handle is final');
    db.exec(`${forget} WHERE id = '${over!.id}'`);
    for (const change of ['forgotten = 0', "text = x'7b7d'"]) expect(() => db.exec(`UPDATE handles SET ${change} WHERE id = '${over!.id}'`), change).toThrow();
    db.close();
  });

  test.each(["state = x'7b7d'", "state = CAST(json_set(CAST(state AS TEXT), '$.answer', NULL, '$.settledAt', 1) AS BLOB)", "status = 'unknown'", 'version = version + 1', 'settled_at = 1', 'frozen_wall = 1'])(
    'forbids that emptying a handle changes more of it: %s', (change) => {
      const file = path.join(aFolder(), 'countersign.db');
      bring(open(file).handles, aHandle(), 'executed');
      const db = raw(file);
      expect(() => db.exec(`UPDATE handles SET emptied = 1, ${change}`)).toThrow('moves along its machine');
      db.close();
    });

  test('gives nobody a stored request that was altered behind its back', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const store = open(file).handles;
    const { id } = bring(store, aHandle(), 'parked');
    const db = raw(file);
    db.exec('DROP TRIGGER handles_keep_their_facts');
    db.exec("UPDATE handles SET text = CAST(replace(CAST(text AS TEXT), 'notes.txt', 'other.txt') AS BLOB)");
    db.close();
    for (const read of [() => store.get(id), () => store.open(), () => store.recent(1)]) expect(read).toThrow(StoreUnavailable);
  });

  test('keeps a request byte for byte, once', () => {
    const file = path.join(aFolder(), 'countersign.db');
    const store = open(file);
    const request = aRequest({ args: { text: `\u0000\u001f€\u{10ffff}${'x'.repeat(100_000)}` } });
    bring(store.handles, aHandle({ request }), 'parked');
    const db = raw(file);
    const row = db.prepare<[], { readonly text: Buffer; readonly size: number }>('SELECT text, length(text) AS size FROM handles').get();
    expect(row?.text.equals(Buffer.from(request.text))).toBe(true);
    db.close();
  });
});
