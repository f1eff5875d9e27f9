import { statSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { aFolder, open } from '../../support/stores.ts';

test('a first opening makes a database that only its owner may read', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const store = open(file);
  expect(store.notes).toEqual([]);
  for (const name of [file, `${file}-wal`, `${file}-shm`, `${file}.witness`]) expect(statSync(name).mode & 0o777, name).toBe(0o600);
});

test('what one run wrote, the next one reads', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const first = open(file);
  first.record({ type: 'gateway.started', at: 5, actor: 'gateway' });
  first.passes.record({ type: 'call.passed', at: 6, actor: 'client:claude', target: 'files' });
  expect(first.close()).toBe(true);
  const second = open(file);
  expect(second.audit.list({ limit: 10 }).map(({ chain, seq, type }) => ({ chain, seq, type }))).toEqual([
    { chain: 'passes', seq: 1, type: 'call.passed' },
    { chain: 'decisions', seq: 1, type: 'gateway.started' },
  ]);
  expect(second.audit.verify()).toEqual([{ chain: 'decisions', rows: 1 }, { chain: 'passes', rows: 1 }]);
});

test('every connection of every opening has its durability and its guards set', () => {
  const file = path.join(aFolder(), 'countersign.db');
  for (let run = 0; run < 3; run += 1) {
    const connections: BetterSqlite.Database[] = [];
    const store = open(file, {
      open: (name, options) => {
        const db = new BetterSqlite(name, options);
        connections.push(db);
        return db;
      },
    });
    const live = connections.filter((db) => db.open);
    const settings = (db: BetterSqlite.Database) => ['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema', 'cell_size_check', 'busy_timeout'].map((name) => db.pragma(name, { simple: true }));
    expect(live.map(settings)).toEqual([
      ['wal', 2, 1, 0, 1, 5000],
      ['wal', 1, 1, 0, 1, 5000],
    ]);
    store.close();
    expect(connections.some((db) => db.open)).toBe(false);
  }
});
