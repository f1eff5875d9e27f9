import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { aFolder, open } from '../../support/stores.ts';

/** The tables that grow without end. */
const GROWING = /^SCAN (handles|audit|claims)\b(?! USING INDEX handles_open)/;

/** What is bounded by its own LIMIT, is read once in a run or once an hour, or has no plan. */
const LEFT_OUT = [/sum\(length\(text\)\)/, /^(PRAGMA|BEGIN|COMMIT|ROLLBACK)/, /FROM handles ORDER BY no DESC LIMIT/, /UPDATE claims SET outcome = 'answered'/, /^SELECT (count\(\*\) AS n|substr\(hash, 1, 16\) AS beginning) FROM handles$/];

test('no statement gets slower with what has accumulated: each finds its rows by an index', () => {
  const file = path.join(aFolder(), 'countersign.db');
  const prepared = new Set<string>();
  open(file, {
    open: (name, options) => {
      const db = new BetterSqlite(name, options);
      const prepare = db.prepare.bind(db) as (sql: string) => BetterSqlite.Statement;
      Object.defineProperty(db, 'prepare', { value: (sql: string) => (prepared.add(sql), prepare(sql)) });
      return db;
    },
  });
  const db = new BetterSqlite(file, { readonly: true });
  const plans = [...prepared]
    .filter((sql) => !LEFT_OUT.some((pattern) => pattern.test(sql)))
    .map((sql) => {
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql.replace(/@\w+|\?/g, '1')}`).all() as { readonly detail: string }[];
      return { sql, scans: steps.map(({ detail }) => detail).filter((detail) => GROWING.test(detail)) };
    });
  db.close();
  expect(plans.length).toBeGreaterThan(20);
  expect(plans.filter(({ scans }) => scans.length > 0)).toEqual([]);
});
