import BetterSqlite from 'better-sqlite3';
import type { Database, Options } from 'better-sqlite3';
import { StoreUnavailable } from '../audit/index.ts';

/** How SQLite is opened; tests put a database between that fails when they say so. */
export type OpenDatabase = (path: string, options: Options) => Database;

export const openDatabase: OpenDatabase = (path, options) => new BetterSqlite(path, options);

/** A prepared statement whose failures are `StoreUnavailable`. */
export interface Prepared<Row> {
  get(...values: readonly unknown[]): Row | undefined;
  all(...values: readonly unknown[]): readonly Row[];
  /** The number of rows it changed. */
  run(...values: readonly unknown[]): number;
}

/** One connection. Every failure of SQLite or the disk is thrown as `StoreUnavailable`; a broken rule of the schema is a bug and thrown as it is. */
export interface Connection {
  readonly db: Database;
  readonly prepare: <Row>(sql: string) => Prepared<Row>;
  /**
   * Runs `work` in one transaction that is taken at once, or joins the one it is called in. What `keeps` denies is undone, and so is everything
   * when something throws: nothing half done stays behind.
   */
  readonly transaction: <T>(work: () => T, keeps?: (value: T) => boolean) => T;
}

/** Full: on the disk before the commit returns. Normal: safe against a killed process, not against a power cut. */
export type Durability = 'FULL' | 'NORMAL';

const level: Readonly<Record<Durability, number>> = { NORMAL: 1, FULL: 2 };

/**
 * Sets up a connection and asserts the settings that safety stands on: SQLite's own default for a reopened WAL database is weaker than FULL.
 * Throws when one of them did not take.
 */
export function configure(db: Database, durability: Durability): void {
  db.pragma('busy_timeout = 5000');
  expect(db, 'journal_mode = WAL', 'journal_mode', 'wal');
  expect(db, `synchronous = ${durability}`, 'synchronous', level[durability]);
  expect(db, 'foreign_keys = ON', 'foreign_keys', 1);
  expect(db, 'trusted_schema = OFF', 'trusted_schema', 0);
  expect(db, 'cell_size_check = ON', 'cell_size_check', 1);
  db.pragma('secure_delete = ON');
  db.pragma('fullfsync = ON'); // macOS: a plain fsync leaves the data in the drive's cache
  db.pragma('checkpoint_fullfsync = ON');
}

function expect(db: Database, setting: string, name: string, value: string | number): void {
  db.pragma(setting);
  const found = db.pragma(name, { simple: true });
  if (found !== value) throw new StoreUnavailable(`SQLite did not take "${setting}" (it says ${String(found)})`);
}

export interface ConnectionEvents {
  /** Called before a transaction begins, while nothing is locked; when it throws, none does. */
  readonly begins?: () => void;
  /** Told of every commit; it must not throw. */
  readonly committed?: () => void;
  /** Told of every failure of SQLite or the disk, by its name; it must not throw. */
  readonly failed?: (code: string) => void;
}

/** Wraps an open database. */
export function createConnection(db: Database, { begins, committed, failed }: ConnectionEvents = {}): Connection {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  /** A transaction could not be undone: until it can, nothing is read or written, since all would be seen through it. */
  let stuck = false;

  function undo(): void {
    stuck = db.inTransaction;
    if (!stuck) return;
    rollback.run();
    stuck = false;
  }
  function ready(): void {
    if (stuck) undo();
  }
  const guarded = <T>(work: () => T): T => {
    try {
      ready();
      return work();
    } catch (error) {
      const fault = asUnavailable(db, error);
      if (fault instanceof StoreUnavailable && fault !== error && db.open) failed?.(sqliteCode(error) ?? 'stuck');
      throw fault;
    }
  };

  return {
    db,
    prepare<Row>(sql: string): Prepared<Row> {
      const statement = guarded(() => db.prepare(sql));
      return {
        get: (...values) => guarded(() => statement.get(...values)) as Row | undefined,
        all: (...values) => guarded(() => statement.all(...values)) as Row[],
        run: (...values) => guarded(() => statement.run(...values).changes),
      };
    },
    transaction(work, keeps = () => true) {
      guarded(() => undefined);
      if (db.inTransaction) return work();
      begins?.();
      guarded(() => begin.run());
      try {
        const value = work();
        const commits = keeps(value);
        guarded(() => (commits ? commit : rollback).run());
        if (commits) committed?.();
        return value;
      } catch (error) {
        try {
          undo();
        } catch (second) {
          // The first error is the one to tell; `stuck` keeps everybody out until the rollback succeeds.
          throw asUnavailable(db, new AggregateError([error, second], 'a transaction could not be undone'));
        }
        throw error;
      }
    },
  };
}

/** Which failures are the outside world's. A broken constraint or wrong SQL is ours. */
const OURS = /^SQLITE_(CONSTRAINT|ERROR|MISUSE|RANGE|MISMATCH)/;

/** The error to throw for a failure of SQLite. */
export function asUnavailable(db: Database, error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  if (error instanceof AggregateError || !db.open) return new StoreUnavailable('the database is closed or stuck', { cause: error });
  const code = sqliteCode(error);
  return code === undefined || OURS.test(code) ? error : new StoreUnavailable(`the database failed (${code})`, { cause: error });
}

/** SQLite's own name of an error, such as `SQLITE_FULL`; undefined for other errors. */
export const sqliteCode = (error: unknown): string | undefined => (error instanceof BetterSqlite.SqliteError ? error.code : undefined);
