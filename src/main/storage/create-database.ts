import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Database } from 'better-sqlite3';
import { anchorOf, chainStart, type AnchorKey, type Chain } from '../audit/index.ts';
import type { OpenDatabase } from './connection.ts';
import { APPLICATION_ID, type Migration } from './schema.ts';

export interface Creation {
  readonly open: OpenDatabase;
  readonly migrations: readonly Migration[];
  readonly key: AnchorKey;
  readonly now: number;
}

/**
 * Makes a new database under another name and moves it into place when it is whole, so that a start cut short leaves either nothing or all of it.
 * The draft of an earlier try is ours to remove.
 */
export function createDatabase(file: string, { open, migrations, key, now }: Creation): void {
  const draft = `${file}.new`;
  for (const left of [draft, `${draft}-journal`]) rmSync(left, { force: true });
  closeSync(openSync(draft, 'wx', 0o600));
  const db = open(draft, {});
  try {
    db.pragma('synchronous = FULL');
    db.transaction(() => {
      db.pragma(`application_id = ${APPLICATION_ID}`);
      migrate(db, migrations);
      db.prepare('INSERT INTO install (one, id, created_at) VALUES (1, ?, ?)').run(randomUUID(), now);
      for (const chain of ['decisions', 'passes'] as const satisfies readonly Chain[]) {
        const anchor = anchorOf(key, chain, chainStart);
        db.prepare('INSERT INTO anchors (chain, seq, hash, mac) VALUES (?, ?, ?, ?)').run(anchor.chain, anchor.seq, anchor.hash, anchor.mac);
      }
    })();
  } finally {
    db.close();
  }
  renameSync(draft, file);
  syncFolder(path.dirname(file));
}

/** Brings the schema to the newest version, each step with its number in one transaction. */
export function migrate(db: Database, migrations: readonly Migration[]): void {
  for (let version = versionOf(db); version < migrations.length; version += 1) {
    const step = migrations[version];
    if (step === undefined) throw new Error(`there is no migration ${version + 1}`);
    db.transaction(() => {
      db.exec(step);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}

export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }));

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
