import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createRegistry, keyOf } from '../../../src/main/registry/index.ts';
import { StoreUnavailable } from '../../../src/main/registry/ports.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import { admitted, aResource, handTime, REVIEWER } from '../../support/registry.ts';
import { aFolder, open } from '../../support/stores.ts';

const registryOf = (store: Store) => createRegistry({ store: store.tools, ...handTime() });
const aFile = (): string => path.join(aFolder(), 'countersign.db');

function altered(file: string, sql: string, ...values: unknown[]): void {
  const db = new Database(file);
  db.prepare(sql).run(...values);
  db.close();
}

describe('admitted tools', () => {
  it('stand after a restart as they were left: content, record, pointer and tombstone', async () => {
    const file = aFile();
    const store = open(file);
    const registry = registryOf(store);
    admitted(registry, { execution: { responsePath: 'data' } });
    admitted(registry, { version: '2.0.0', metadata: { isServing: true, description: 'Zoë \u2028' } });
    admitted(registry, { version: '10.0.0' });
    await registry.withdraw({ name: 'list_employees', version: '1.0.0' }, REVIEWER);
    const before = registry.all();
    store.close();

    const again = registryOf(open(file));
    await again.start();
    again.stop();
    expect(again.all()).toEqual(before);
    const found = again.resolve({ name: 'list_employees' });
    expect(found.ok && keyOf(found.value).version).toBe('2.0.0');
    expect(again.admit(aResource({ execution: { responsePath: 'data' } }), REVIEWER)).toEqual({ kind: 'withdrawn' });
  });

  it('come with their audit row, and the chain stays whole', async () => {
    const store = open(aFile());
    const registry = registryOf(store);
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    registry.serve({ name: 'list_employees', version: '2.0.0' }, REVIEWER);
    await registry.withdraw({ name: 'list_employees', version: '2.0.0' }, { ...REVIEWER, hard: true });
    expect(registry.all().map((one) => keyOf(one).version)).toEqual(['1.0.0']);
    const types = [...store.audit.export()].map((line) => (JSON.parse(line) as { type?: string }).type).filter((type) => type?.startsWith('revision.'));
    expect(types).toEqual(['revision.admitted', 'revision.admitted', 'revision.served', 'revision.removed']);
    expect(store.audit.verify().filter(({ firstBad }) => firstBad !== undefined)).toEqual([]);
  });

  it('cannot be altered under their name, nor serve twice, whatever writes', () => {
    const file = aFile();
    const store = open(file);
    const registry = registryOf(store);
    admitted(registry);
    admitted(registry, { version: '2.0.0' });
    expect(() => altered(file, "UPDATE tool_revisions SET resource = x'7b7d'")).toThrow('an admitted revision stays');
    expect(() => altered(file, 'UPDATE tool_revisions SET is_serving = 1')).toThrow('UNIQUE');
    expect(() => altered(file, 'UPDATE tool_revisions SET is_active = 0')).toThrow('CHECK');
  });

  it('that no longer have their digest are a failed read, and nothing of them is served', async () => {
    const file = aFile();
    const store = open(file);
    admitted(registryOf(store));
    const db = new Database(file);
    db.exec('DROP TRIGGER admitted_revisions_stay');
    db.prepare('UPDATE tool_revisions SET resource = ?').run(Buffer.from(JSON.stringify(aResource({ execution: { endpoint: '/evil' } }))));
    db.close();
    expect(() => store.tools.all()).toThrow(StoreUnavailable);
    const registry = registryOf(store);
    await registry.start();
    registry.stop();
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(false);
    expect(registry.reconciliation()).toMatchObject({ lastError: 'reconciliation attempt failed', converged: false });
  });

  it('stored before there was admission stand in nobody\'s way when they cannot be read, are counted, and can be admitted anew', async () => {
    const file = aFile();
    const store = open(file);
    admitted(registryOf(store));
    for (const [name, text] of [['torn', '{"apiVersion":'], ['misfit', JSON.stringify({ kind: 'Tool' })]] as const) altered(file, 'INSERT INTO tool_revisions (name, version, resource, is_active, is_serving) VALUES (?, ?, ?, 1, 0)', name, '1.0.0', Buffer.from(text));
    const registry = registryOf(store);
    await registry.start();
    registry.stop();
    expect(registry.resolve({ name: 'list_employees' }).ok).toBe(true);
    expect([registry.reconciliation().converged, registry.unread()]).toEqual([true, 2]);
    admitted(registry, { name: 'torn' });
    await registry.reconcile();
    expect([registry.resolve({ name: 'torn' }).ok, registry.unread()]).toEqual([true, 1]);
  });

  it('stored before there was admission are admitted at the next start, once', async () => {
    const file = aFile();
    const store = open(file);
    for (const version of ['2.0.0', '10.0.0']) altered(file, 'INSERT INTO tool_revisions (name, version, resource, is_active, is_serving) VALUES (?, ?, ?, 1, 0)', 'list_employees', version, Buffer.from(JSON.stringify(aResource({ version }))));
    const registry = registryOf(store);
    await registry.start();
    await registry.reconcile();
    registry.stop();
    expect(store.tools.legacy()).toEqual([]);
    expect(registry.all().map((one) => [keyOf(one).version, one.isServing, one.admission.actor])).toEqual([['10.0.0', true, 'legacy-migration'], ['2.0.0', false, 'legacy-migration']]);
  });
});
