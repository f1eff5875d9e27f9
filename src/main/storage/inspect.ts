import BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { migrate, versionOf } from './create-database.ts';
import type { Migration } from './schema.ts';
import { storeFault, type StoreFault } from './store-fault.ts';

/** Judges a database through a read-only connection: version, soundness, and whether the tables and the install row are there. */
export function inspect(db: Database, file: string, migrations: readonly Migration[]): StoreFault | undefined {
  const version = versionOf(db);
  if (version > migrations.length) return storeFault('newer', file, `schema ${version}, this version knows ${migrations.length}`);
  const check = String(db.pragma('quick_check(1)', { simple: true }));
  if (check !== 'ok') return storeFault('damaged', file, 'its pages do not fit together');
  if (version < 1) return storeFault('emptied', file, 'no schema');
  const there = new Set(objectsOf(db).map(({ name }) => name));
  const missing = expectedObjects(migrations.slice(0, version)).find(({ type, name }) => type === 'table' && !there.has(name));
  if (missing !== undefined) return storeFault('emptied', file, `the table ${missing.name} is missing`);
  if (db.prepare('SELECT 1 FROM install').get() === undefined) return storeFault('emptied', file, 'the install row is missing');
  return undefined;
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

const objectsOf = (db: Database): readonly SchemaObject[] =>
  db.prepare<[], SchemaObject>("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY rowid").all();

/** What the given migrations make, found out by making it. */
function expectedObjects(migrations: readonly Migration[]): readonly SchemaObject[] {
  const db = new BetterSqlite(':memory:');
  try {
    migrate(db, migrations);
    return objectsOf(db);
  } finally {
    db.close();
  }
}

/**
 * Puts triggers and indexes back that somebody took out or altered: they guard what is written from now on, while what happened without them shows in
 * the chains. Gives the names of those put back.
 */
export function restoreGuards(db: Database, migrations: readonly Migration[]): readonly string[] {
  const found = new Map(objectsOf(db).map((object) => [object.name, object]));
  const wrong = expectedObjects(migrations).filter(({ type, name, sql }) => type !== 'table' && found.get(name)?.sql !== sql);
  if (wrong.length === 0) return [];
  db.transaction(() => {
    for (const { type, name, sql } of wrong) {
      db.exec(`DROP ${type} IF EXISTS "${name}"`);
      if (sql !== null) db.exec(sql);
    }
  }).immediate();
  return wrong.map(({ name }) => name);
}
