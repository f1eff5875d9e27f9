import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { aHandle } from '../../support/builders.ts';
import { aFolder, anAnchorKey, faultOf, open } from '../../support/stores.ts';

/** A closed database with a parked call in it. */
function aDatabase(): string {
  const file = path.join(aFolder(), 'countersign.db');
  const store = open(file);
  store.handles.insert(aHandle(), { type: 'handle.parked', at: 1, actor: 'client:claude' });
  store.close();
  return file;
}

/** Everything in the folder that holds anything, so that a test can tell that nothing of it was touched. Only to look, SQLite makes an index and an empty log. */
const photograph = (file: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path.dirname(file))
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, readFileSync(path.join(path.dirname(file), name))] as const)
      .filter(([, bytes]) => bytes.length > 0)
      .map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  );
const inTurn = (...steps: readonly (() => void)[]): void => {
  for (const step of steps) step();
};

const altered = (file: string, sql: string): void => {
  const db = new BetterSqlite(file);
  db.exec(sql);
  db.close();
};
const overwritten = (file: string, from: number, length: number, byte: number): void => {
  const bytes = readFileSync(file);
  bytes.fill(byte, from, from + length);
  writeFileSync(file, bytes);
};

describe.each<readonly [string, string, (file: string) => void]>([
  ['has 0 bytes', 'empty', (file) => truncateSync(file, 0)],
  ['is gone although its witness is there', 'vanished', (file) => rmSync(file)],
  ['is gone although its log is there', 'vanished', (file) => inTurn(() => rmSync(file), () => rmSync(`${file}.witness`), () => writeFileSync(`${file}-wal`, 'frames'))],
  ['has a zeroed header', 'damaged', (file) => overwritten(file, 0, 100, 0)],
  ['is garbage', 'damaged', (file) => writeFileSync(file, createHash('sha512').update('garbage').digest())],
  ['is a text file', 'damaged', (file) => writeFileSync(file, 'a letter to somebody, long enough to fill what would be the header of a database, if this were one.')],
  ['was cut to a half', 'damaged', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['was cut by a byte', 'damaged', (file) => truncateSync(file, readFileSync(file).length - 1)],
  ['was cut to 50 bytes', 'damaged', (file) => truncateSync(file, 50)],
  ['has a page of noise', 'damaged', (file) => overwritten(file, 4096 * 3, 4096, 0xa5)],
  ['has a newer schema', 'newer', (file) => altered(file, 'PRAGMA user_version = 999')],
  ['belongs to another program', 'foreign', (file) => altered(file, 'PRAGMA application_id = 77')],
  ['is a plain database of somebody else', 'foreign', (file) => inTurn(() => rmSync(file), () => altered(file, 'CREATE TABLE songs (title TEXT)'))],
  ['is a folder', 'foreign', (file) => inTurn(() => rmSync(file), () => mkdirSync(file))],
  ['lost a table', 'emptied', (file) => altered(file, 'PRAGMA foreign_keys = OFF; DROP TABLE handles')],
  ['lost its install row', 'emptied', (file) => altered(file, 'DROP TRIGGER install_stays_2; DELETE FROM install')],
  ['lost its schema number', 'emptied', (file) => altered(file, 'PRAGMA user_version = 0')],
])('a database that %s', (_what, kind, spoil) => {
  test(`is the fault "${kind}", told in a sentence, and left exactly as it is`, () => {
    const file = aDatabase();
    spoil(file);
    const isFolder = existsSync(file) && kind === 'foreign' && readdirSync(path.dirname(file), { withFileTypes: true }).some((entry) => entry.isDirectory());
    const before = isFolder ? undefined : photograph(file);
    const fault = faultOf(file);
    expect(fault).toMatchObject({ kind, path: file });
    expect(fault.sentence).toContain(file);
    expect(fault.sentence).toContain('did not start');
    expect(fault.next).toMatch(/^[A-Z].*\.$/);
    if (before !== undefined) expect(photograph(file)).toEqual(before);
  });
});

test('a database of another installation is not taken for ours', () => {
  const file = aDatabase();
  const other = aDatabase();
  writeFileSync(file, readFileSync(other));
  expect(faultOf(file)).toMatchObject({ kind: 'foreign' });
});

test('a newer schema that is still in the log is noticed too', () => {
  const file = aDatabase();
  const db = new BetterSqlite(file);
  db.pragma('user_version = 999');
  const copy = path.join(aFolder(), 'countersign.db');
  for (const end of ['', '-wal']) writeFileSync(`${copy}${end}`, readFileSync(`${file}${end}`)); // as a killed program leaves it
  db.close();
  expect(faultOf(copy)).toMatchObject({ kind: 'newer' });
});

describe('without the right to write', () => {
  /** Opens in a process that becomes an ordinary user once everything is loaded, since root may write everywhere and may alone read the checkout. */
  const openAsNobody = (file: string): unknown => {
    const script = `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
      import { openStore } from ${JSON.stringify(path.resolve('src/main/storage/index.ts'))};
      new Database(':memory:').close();
      if (process.getuid?.() === 0) {
        process.setgroups([]);
        process.setgid(65534);
        process.setuid(65534);
      }
      const opened = openStore(${JSON.stringify(file)}, { anchorKey: new Uint8Array(32), sealing: undefined, clock: { now: () => ({ wall: 1, mono: 1, boot: 'b' }) } });
      console.log(JSON.stringify(opened.ok ? 'opened' : opened.fault));`;
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: '/', encoding: 'utf8' }));
  };
  const giveToNobody = (file: string): void => {
    if (process.getuid?.() !== 0) return;
    for (const name of [path.dirname(file), ...readdirSync(path.dirname(file)).map((one) => path.join(path.dirname(file), one))]) chownSync(name, 65534, 65534);
  };

  test.each<readonly [string, (file: string) => void]>([
    ['to the file', (file) => chmodSync(file, 0o400)],
    ['to its folder', (file) => chmodSync(path.dirname(file), 0o500)],
    ['to the folder of a database still to be made', (file) => inTurn(() => rmSync(file), () => rmSync(`${file}.witness`), () => chmodSync(path.dirname(file), 0o500))],
  ])('%s it is the fault "read-only"', (_what, spoil) => {
    const file = aDatabase();
    giveToNobody(file);
    spoil(file);
    try {
      expect(openAsNobody(file)).toMatchObject({ kind: 'read-only', path: file });
    } finally {
      chmodSync(path.dirname(file), 0o700);
    }
  });

  test('an ordinary user with it opens (so that the tests above mean something)', () => {
    const file = aDatabase();
    giveToNobody(file);
    expect(openAsNobody(file)).toBe('opened');
  });
});

describe('a database that was tampered with, but can be used,', () => {
  test('gets its guards back, and says which', () => {
    const file = aDatabase();
    altered(file, 'DROP TRIGGER audit_stays_1; DROP INDEX handles_alike; DROP TRIGGER handles_stay; CREATE TRIGGER handles_stay BEFORE DELETE ON handles BEGIN SELECT 1; END');
    const store = open(file);
    expect(store.notes).toEqual([expect.stringContaining('audit_stays_1, handles_alike, handles_stay')]);
    store.close();
    expect(() => altered(file, "UPDATE audit SET actor = 'x'")).toThrow('audit rows stay');
    expect(() => altered(file, 'DELETE FROM handles')).toThrow('handles stay');
    expect(open(file).notes).toEqual([]);
  });

  test('without its witness opens, says so, and has one again', () => {
    const file = aDatabase();
    rmSync(`${file}.witness`);
    const store = open(file);
    expect(store.notes).toEqual([expect.stringContaining('absent')]);
    expect([store.restored, existsSync(`${file}.witness`)]).toEqual([false, true]);
  });

  test.each(['', '{', '{"install":1}', 'null'])('with the witness %j opens and says so', (text) => {
    const file = aDatabase();
    writeFileSync(`${file}.witness`, text);
    expect(open(file).notes).toEqual([expect.stringContaining('unreadable')]);
  });

  test('under another anchor key opens, in doubt about both chains', () => {
    const file = aDatabase();
    const store = open(file, { anchorKey: anAnchorKey(9) });
    expect(store.restored).toBe(true);
    expect(store.audit.verify().map(({ firstBad }) => firstBad)).toEqual([{ seq: 2, fault: 'cut' }, { seq: 1, fault: 'cut' }]);
  });
});

describe('a making that was cut short', () => {
  test('leaves a draft that the next start makes anew', () => {
    const file = path.join(aFolder(), 'countersign.db');
    writeFileSync(`${file}.new`, 'half a database');
    writeFileSync(`${file}.new-journal`, 'half a journal');
    open(file).record({ type: 'gateway.started', at: 1, actor: 'gateway' });
    expect(readdirSync(path.dirname(file)).sort()).toEqual(['countersign.db', 'countersign.db-shm', 'countersign.db-wal', 'countersign.db.passes', 'countersign.db.witness']);
  });

  test('at any statement leaves nothing where the database belongs, and says why', () => {
    for (let failing = 1; ; failing += 1) {
      const file = path.join(aFolder(), 'countersign.db');
      let count = 0;
      const fault = (() => {
        try {
          return faultOf(file, {
            open: (name, options) => {
              const db = new BetterSqlite(name, options);
              const exec = db.exec.bind(db);
              db.exec = (sql) => {
                count += 1;
                if (count === failing) throw new BetterSqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
                return exec(sql);
              };
              return db;
            },
          });
        } catch (error) {
          if (error instanceof Error && error.message.startsWith('opened')) return undefined;
          throw error;
        }
      })();
      if (fault === undefined) {
        expect(failing).toBeGreaterThan(1);
        return;
      }
      expect(fault).toMatchObject({ kind: 'unavailable', sentence: expect.stringContaining('SQLITE_FULL') });
      expect(existsSync(file)).toBe(false);
    }
  });
});
