import { chmodSync } from 'node:fs';
import Database from 'better-sqlite3';
import { sqliteCode } from './connection.ts';

/**
 * Takes the data directory for this process, or tells that another has it. The lock is one the system itself lets go of when the process ends,
 * however it ends, so none is ever left behind. Gives what lets go of it.
 */
export function lockDataDir(file: string): (() => void) | 'held' {
  const db = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    return () => void db.close();
  } catch (error) {
    db.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') === true) return 'held';
    throw error;
  }
}
