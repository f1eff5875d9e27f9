import { readFileSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { TargetSpec } from '../../../src/main/mounting/index.ts';
import { migrations } from '../../../src/main/storage/schema.ts';
import { aClient, aClock, aHandle, aTarget, START } from '../../support/builders.ts';
import { aFolder, open, turningSeal } from '../../support/stores.ts';

const event = { type: 'target.changed', at: START, actor: 'control:me' } as const;
const stdio: TargetSpec = {
  id: aTarget('files'), reach: { transport: 'stdio', command: 'node', args: ['server.js', '--x'], env: { API_TOKEN: 'tok-5ecret' }, cwd: '/srv' }, mode: 'linear', guardEnv: { FIBER_PREFLIGHT_PATTERN: 'guard-5ecret' },
  pattern: 'DROP', expiresAfterS: 600, lingerS: 60, elicitations: 'window',
};
const http: TargetSpec = { ...stdio, id: aTarget('remote'), reach: { transport: 'http', url: 'https://example.test/mcp', headers: { Authorization: 'Bearer 5ecret' } }, mode: 'multiplex', guardEnv: {}, pattern: null };

function aStand() {
  const file = path.join(aFolder(), 'countersign.db');
  return { file, store: open(file), again: () => open(file) };
}

describe('targets', () => {
  test('are read as they were put, in the order of their ids, and replaced by their id', () => {
    const { store, again } = aStand();
    store.targets.put(http, event);
    store.targets.put(stdio, event);
    store.targets.put({ ...http, pattern: 'DELETE' }, event);
    store.close();
    expect(again().targets.list()).toEqual([stdio, { ...http, pattern: 'DELETE' }]);
  });

  test('leave no environment or header value readable in the file, nor in the audit', () => {
    const { store, file } = aStand();
    for (const spec of [stdio, http]) store.targets.put(spec, event);
    store.close();
    for (const name of [file, `${file}.witness`]) expect(readFileSync(name).toString('latin1')).not.toContain('5ecret');
  });

  test('whose values cannot be opened are left out and named, and the others are there', () => {
    const { store, file } = aStand();
    store.targets.put(stdio, event);
    store.targets.put(http, event);
    store.close();
    const db = new BetterSqlite(file);
    db.prepare('UPDATE targets SET sealed = ? WHERE id = ?').run(Buffer.from('made elsewhere'), 'files');
    db.close();
    const { targets } = open(file);
    expect([targets.list(), targets.unopened()]).toEqual([[http], [aTarget('files')]]);
  });

  test('are removed once, with their catalogue', () => {
    const { store } = aStand();
    store.targets.put(stdio, event);
    store.targets.keepCatalogue(stdio.id, { 'tools/list': '{"tools":[]}' }, event);
    expect(store.targets.catalogue(stdio.id)).toEqual({ 'tools/list': '{"tools":[]}' });
    store.targets.put({ ...stdio, pattern: null }, event);
    expect(store.targets.catalogue(stdio.id)).toBeDefined();
    expect([store.targets.remove(stdio.id, event), store.targets.remove(stdio.id, event)]).toEqual([true, false]);
    expect([store.targets.list(), store.targets.catalogue(stdio.id)]).toEqual([[], undefined]);
    expect(store.audit.list({ limit: 9 })).toHaveLength(4);
  });
});

describe('clients', () => {
  const record = { id: aClient('local'), tokenHash: 'a'.repeat(64), roles: ['hr', 'it'], createdAt: 5, revokedAt: null, patienceMs: 240_000 };

  test('are read as they were added', () => {
    const { store, again } = aStand();
    store.clients.add(record, event);
    store.close();
    expect(again().clients.list()).toEqual([record]);
  });

  test('are revoked once, and their name can be given again', () => {
    const { store } = aStand();
    store.clients.add(record, event);
    expect([store.clients.revoke(record.id, 9, event), store.clients.revoke(record.id, 10, event)]).toEqual([true, false]);
    const second = { ...record, tokenHash: 'b'.repeat(64), patienceMs: null };
    store.clients.add(second, event);
    expect(store.clients.list()).toEqual([{ ...record, revokedAt: 9 }, second]);
  });

  test('never have one name twice', () => {
    const { store } = aStand();
    store.clients.add(record, event);
    expect(() => store.clients.add({ ...record, tokenHash: 'b'.repeat(64) }, event)).toThrow('UNIQUE');
    expect(store.audit.list({ limit: 9 })).toHaveLength(1);
  });
});

describe('settings and sealed texts', () => {
  test('are read as they were set, until they are removed', () => {
    const { store, again } = aStand();
    store.settings.set('window', { width: 820, names: ['ü', null] });
    store.settings.set('window', { width: 640, names: [] }, event);
    store.sealed.set('change', 'a 5ecret');
    store.close();
    const next = again();
    expect([next.settings.get('window'), next.settings.get('other'), next.sealed.get('change'), next.sealed.get('other')]).toEqual([{ width: 640, names: [] }, undefined, 'a 5ecret', undefined]);
    next.settings.remove('window');
    next.sealed.remove('change', event);
    expect([next.settings.get('window'), next.sealed.get('change')]).toEqual([undefined, undefined]);
    expect(next.audit.list({ limit: 9 })).toHaveLength(2);
  });

  test('are not readable in the file when they were sealed, and removed without a trace', () => {
    const { store, file } = aStand();
    const blob = turningSeal.seal('a 5ecret');
    store.sealed.set('change', 'a 5ecret');
    store.close();
    expect(readFileSync(file).includes(Buffer.from(blob))).toBe(true);
    expect(readFileSync(file).toString('latin1')).not.toContain('5ecret');
    const next = open(file);
    next.sealed.remove('change');
    next.close();
    expect(readFileSync(file).includes(Buffer.from(blob))).toBe(false);
  });
});

describe('a database of an earlier schema', () => {
  const next = [...migrations, "ALTER TABLE settings ADD COLUMN note TEXT; CREATE TABLE later (n INTEGER PRIMARY KEY) STRICT; CREATE TRIGGER later_stays BEFORE DELETE ON later BEGIN SELECT RAISE(ABORT, 'stays'); END;"];

  test('is brought up step by step, with what waits in it as it was', () => {
    const { store, file } = aStand();
    const [parked, approved] = [aHandle(), aHandle({ id: 'txn_1_aaaaaaaaaaaa' as ReturnType<typeof aHandle>['id'] })];
    for (const handle of [parked, approved]) store.handles.insert(handle, { ...event, type: 'handle.parked' });
    store.handles.advance({ ...approved, version: 2, state: { status: 'approved', approvedAt: START } }, { ...event, type: 'handle.approved' });
    store.close();
    const upgraded = open(file, { migrations: next });
    expect(upgraded.handles.open().map(({ state }) => state.status)).toEqual(['parked', 'approved']);
    expect(upgraded.notes).toEqual([]);
    upgraded.close();
    expect(open(file, { migrations: next }).handles.get(parked.id)).toEqual(parked);
  });

  test('stays what it was when a step fails', () => {
    const { store, file } = aStand();
    store.settings.set('kept', true);
    store.close();
    expect(() => open(file, { migrations: [...next, 'CREATE TABLE half (n INTEGER); SELECT * FROM nowhere'] })).toThrow('SQLITE_ERROR');
    const db = new BetterSqlite(file, { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length + 1);
    expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({ n: 0 });
    db.close();
    expect(open(file, { migrations: next, clock: aClock() }).settings.get('kept')).toBe(true);
  });
});
