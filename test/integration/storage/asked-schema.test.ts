import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { askedSchema } from '../../../src/main/storage/asked-schema.ts';
import { INSERT_COLUMNS, insertValues } from '../../../src/main/storage/handle-row.ts';
import { migrations } from '../../../src/main/storage/schema.ts';
import { aHandle, handleIdAt, START } from '../../support/builders.ts';

/** The database as it was before handles could ask, with three calls in it, one of them decided. */
function before(): BetterSqlite.Database {
  const db = new BetterSqlite(':memory:');
  for (const step of migrations.slice(0, migrations.indexOf(askedSchema))) db.exec(step);
  const insert = db.prepare(`INSERT INTO handles (${INSERT_COLUMNS}) VALUES (${INSERT_COLUMNS.replace(/[a-z_]+/g, '?')})`);
  for (const n of [1, 2, 3]) insert.run(...insertValues(aHandle({ id: handleIdAt(n) })));
  db.prepare("UPDATE handles SET version = 2, status = 'declined', state = ?, settled_at = ? WHERE id = ?").run(Buffer.from('{"status":"declined"}'), START, handleIdAt(2));
  db.prepare('UPDATE handles SET fetched = 1 WHERE id = ?').run(handleIdAt(2));
  return db;
}

test('handles of an older database are all there afterwards, as they were, and guarded as before', () => {
  const db = before();
  const rows = db.prepare('SELECT * FROM handles ORDER BY no').all();
  db.transaction(() => db.exec(askedSchema))();
  expect(db.prepare('SELECT * FROM handles ORDER BY no').all()).toEqual(rows);
  expect(rows).toHaveLength(3);
  expect(() => db.exec('DELETE FROM handles')).toThrow('handles stay');
  expect(() => db.exec("UPDATE handles SET status = 'executing', version = version + 1 WHERE status = 'parked'")).toThrow('moves along its machine');
  expect(() => db.exec("UPDATE handles SET revision = 'x'")).toThrow('facts of a handle stay');
  expect(() => db.exec("UPDATE handles SET kind = 'elicitation'")).toThrow('facts of a handle stay');
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
});
