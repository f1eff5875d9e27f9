import BetterSqlite from 'better-sqlite3';
import type { Database, Statement } from 'better-sqlite3';
import type { OpenDatabase } from '../../src/main/storage/connection.ts';

/** A disk that can be made to fail. Statements are counted over all connections from the moment one is awaited. */
export interface FailingDisk {
  readonly open: OpenDatabase;
  /** Lets the `nth` statement from now fail, and with `onwards` all after it; both the statement and its effect stay undone. */
  failAt(nth: number, options: { readonly code: string; readonly onwards: boolean }): void;
  /** Lets everything succeed again, and tells how many statements were tried since `failAt`. */
  heal(): number;
}

export function aFailingDisk(): FailingDisk {
  let failing: { readonly nth: number; readonly code: string; readonly onwards: boolean } | undefined;
  let count = 0;

  function tried(): void {
    if (failing === undefined) return;
    count += 1;
    if (count === failing.nth || (failing.onwards && count > failing.nth)) throw new BetterSqlite.SqliteError('injected', failing.code);
  }
  function wrapped(statement: Statement): Statement {
    for (const verb of ['run', 'get', 'all'] as const) {
      const original = statement[verb].bind(statement) as (...values: unknown[]) => never;
      Object.defineProperty(statement, verb, {
        value: (...values: unknown[]) => {
          tried();
          return original(...values);
        },
      });
    }
    return statement;
  }

  return {
    open(name, options) {
      const db: Database = new BetterSqlite(name, options);
      const prepare = db.prepare.bind(db) as (sql: string) => Statement;
      Object.defineProperty(db, 'prepare', { value: (sql: string) => wrapped(prepare(sql)) });
      return db;
    },
    failAt(nth, { code, onwards }) {
      failing = { nth, code, onwards };
      count = 0;
    },
    heal() {
      failing = undefined;
      return count;
    },
  };
}
