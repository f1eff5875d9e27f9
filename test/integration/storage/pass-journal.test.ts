import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anchorKey, StoreUnavailable } from '../../../src/main/audit/index.ts';
import { createPassLog } from '../../../src/main/storage/audit-log.ts';
import { createConnection } from '../../../src/main/storage/connection.ts';
import { openPassJournal, readPassJournal } from '../../../src/main/storage/pass-journal.ts';
import type { Store } from '../../../src/main/storage/index.ts';
import { aFailingDisk } from '../../support/failing-database.ts';
import { aFolder, anAnchorKey, faultOf, open } from '../../support/stores.ts';

const aFile = (): string => path.join(aFolder(), 'countersign.db');
const pass = (store: Store, at: number): void => store.passes.record({ type: 'call.passed', at, actor: 'client:claude', target: 'files', detail: { method: 'tools/call', subject: 'lösch\u0000e' } });
const times = (store: Store): readonly number[] => store.audit.list({ chain: 'passes', limit: 9_999 }).map(({ at }) => at).reverse();
const journal = (file: string): readonly string[] => readFileSync(`${file}.passes`, 'utf8').split('\n').slice(0, -1);
const isWhole = (store: Store): boolean => store.audit.verify().every(({ firstBad }) => firstBad === undefined);

/** A store whose first pass waits in the journal when its database begins to take nothing. */
function onAFullDisk() {
  const disk = aFailingDisk();
  const file = aFile();
  const store = open(file, { open: disk.open });
  pass(store, 1);
  disk.failAt(1, { code: 'SQLITE_FULL', onwards: true });
  return { disk, file, store };
}

/** The files as a process killed at this moment leaves them, at another place. */
function killedCopy(file: string): string {
  const copy = aFile();
  for (const end of ['', '-wal', '.witness', '.passes']) if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
  return copy;
}

test('rows that a killed process had not brought into the database are in it after the next start, in their place', () => {
  const file = aFile();
  const store = open(file);
  pass(store, 1);
  expect(times(store)).toEqual([1]);
  for (let at = 2; at <= 4; at += 1) pass(store, at);
  expect(journal(file)).toHaveLength(3);
  const copy = killedCopy(file);
  const next = open(copy);
  expect([times(next), isWhole(next), next.notes, next.restored]).toEqual([[1, 2, 3, 4], true, [], false]);
  expect(statSync(`${copy}.passes`)).toMatchObject({ size: 0, mode: 0o100600 });
  pass(next, 5);
  expect([times(next), isWhole(next)]).toEqual([[1, 2, 3, 4, 5], true]);
});

test('rows that stand in the database already are passed over', () => {
  const file = aFile();
  const store = open(file);
  for (let at = 1; at <= 3; at += 1) pass(store, at);
  const lines = readFileSync(`${file}.passes`);
  expect(times(store)).toEqual([1, 2, 3]);
  const copy = killedCopy(file);
  writeFileSync(`${copy}.passes`, lines);
  const next = open(copy);
  expect([times(next), isWhole(next), next.notes]).toEqual([[1, 2, 3], true, []]);
});

test('a line cut off in the middle is left out, as its call was', () => {
  const file = aFile();
  const store = open(file);
  for (let at = 1; at <= 2; at += 1) pass(store, at);
  const copy = killedCopy(file);
  writeFileSync(`${copy}.passes`, readFileSync(`${copy}.passes`).subarray(0, -9));
  const next = open(copy);
  expect([times(next), isWhole(next), next.notes]).toEqual([[1], true, []]);
});

test.each([
  ['altered', 'changed', (lines: string[]) => lines.map((line, at) => (at === 1 ? line.replace('files', 'fires') : line))],
  ['with one taken out', 'cut', (lines: string[]) => lines.filter((_, at) => at !== 1)],
  ['of which one cannot be read', 'changed', (lines: string[]) => lines.map((line, at) => (at === 1 ? '\u0000'.repeat(line.length) : line))],
  ['in another order', 'cut', (lines: string[]) => [lines[0]!, lines[2]!, lines[1]!]],
])('lines %s end what is taken over; the operator is told, and whoever verifies the audit at any time after', (_how, fault, change) => {
  const file = aFile();
  const store = open(file);
  for (let at = 1; at <= 3; at += 1) pass(store, at);
  const copy = killedCopy(file);
  writeFileSync(`${copy}.passes`, `${change([...journal(file)]).join('\n')}\n`);
  const next = open(copy);
  expect(times(next)).toEqual([1]);
  expect(next.notes.join()).toMatch(/[12] records of passing calls .* from row 2 /);
  pass(next, 9);
  next.close();
  const later = open(copy);
  expect(later.notes).toEqual([]);
  expect(later.restored).toBe(false);
  expect(times(later)).toEqual([1, 9]);
  expect(later.audit.verify().map(({ chain, firstBad }) => [chain, firstBad])).toEqual([['decisions', undefined], ['passes', { seq: 2, fault }]]);
});

test('lines written under another key are not taken over', () => {
  const forged = aFile();
  const store = open(forged, { anchorKey: anAnchorKey(9) });
  pass(store, 1);
  const file = aFile();
  open(file).close();
  copyFileSync(`${forged}.passes`, `${file}.passes`);
  const next = open(file);
  expect([times(next), next.notes.length]).toEqual([[], 1]);
  expect(next.audit.verify()[1]?.firstBad).toEqual({ seq: 1, fault: 'changed' });
});

test('a row that follows another history of the same chain is not taken over', () => {
  const file = aFile();
  open(file).close();
  const [one, other] = [killedCopy(file), killedCopy(file)];
  const first = open(one);
  pass(first, 1);
  expect(times(first)).toEqual([1]);
  pass(first, 2);
  const second = open(other);
  pass(second, 7);
  expect(times(second)).toEqual([7]);
  const mixed = killedCopy(other);
  copyFileSync(`${one}.passes`, `${mixed}.passes`);
  const next = open(mixed);
  expect(times(next)).toEqual([7]);
  expect(next.audit.verify()[1]?.firstBad).toEqual({ seq: 2, fault: 'changed' });
});

test('a row that somebody else wrote in the place of a waiting one is not taken for it', () => {
  const file = aFile();
  const store = open(file);
  const stranger = new BetterSqlite(file);
  stranger.exec("INSERT INTO audit (chain, seq, at, type, actor, detail, prev, hash) VALUES ('passes', 1, 5, 'call.passed', 'x', '{}', '', 'f')");
  stranger.close();
  pass(store, 1);
  expect(() => times(store)).toThrow(StoreUnavailable);
});

test('what waits comes into the database by itself, soon', async () => {
  const file = aFile();
  const store = open(file);
  pass(store, 7);
  const witness = new BetterSqlite(file, { readonly: true });
  await expect.poll(() => witness.prepare("SELECT at FROM audit WHERE chain = 'passes'").pluck().all()).toEqual([7]);
  witness.close();
  await expect.poll(() => statSync(`${file}.passes`).size).toBe(0);
});

test('no more than some hundred rows wait', () => {
  const file = aFile();
  const store = open(file);
  for (let at = 1; at <= 1_000; at += 1) pass(store, at);
  expect(journal(file).length).toBeLessThan(300);
  expect(times(store)).toHaveLength(1_000);
  expect(isWhole(store)).toBe(true);
});

test('a decision waits for the passes before it, so that a witness of it speaks of them too', () => {
  const file = aFile();
  const store = open(file);
  pass(store, 1);
  store.record({ type: 'gateway.started', at: 2, actor: 'gateway' });
  expect(JSON.parse(readFileSync(`${file}.witness`, 'utf8'))).toMatchObject({ anchors: expect.arrayContaining([expect.objectContaining({ chain: 'passes', seq: 1 })]) as unknown });
});

test('while the database takes nothing, one call at most is let through; nothing is lost, and nothing is written twice', () => {
  const { disk, store } = onAFullDisk();
  expect(() => times(store)).toThrow(StoreUnavailable);
  expect(() => store.audit.export()).toThrow(StoreUnavailable);
  expect(() => pass(store, 2)).toThrow(StoreUnavailable);
  expect(() => store.record({ type: 'gateway.paused', at: 3, actor: 'window' })).toThrow(StoreUnavailable);
  disk.heal();
  pass(store, 4);
  expect([times(store), isWhole(store)]).toEqual([[1, 4], true]);
});

test('a database that fails at any statement of taking rows in has all of them or none', () => {
  for (let nth = 1, done = false; !done; nth += 1) {
    const disk = aFailingDisk();
    const file = aFile();
    const store = open(file, { open: disk.open });
    for (let at = 1; at <= 3; at += 1) pass(store, at);
    disk.failAt(nth, { code: 'SQLITE_IOERR', onwards: true });
    try {
      done = times(store).length === 3;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
    }
    disk.heal();
    const witness = new BetterSqlite(file, { readonly: true });
    expect([0, 3]).toContain(witness.prepare("SELECT count(*) FROM audit WHERE chain = 'passes'").pluck().get());
    witness.close();
    expect([times(store), isWhole(store)]).toEqual([[1, 2, 3], true]);
    expect(nth).toBeLessThan(20);
  }
});

test('a database that takes nothing when the waiting rows are due stops nobody, and has them later', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { disk, store } = onAFullDisk();
  vi.advanceTimersByTime(60_000);
  expect(disk.heal()).toBeGreaterThan(0);
  expect(times(store)).toEqual([1]);
});

test('a database that takes nothing at the end leaves the rows beside it for the next start', () => {
  const { disk, file, store } = onAFullDisk();
  expect(store.close()).toBe(false);
  disk.heal();
  expect(journal(file)).toHaveLength(1);
  expect(times(open(file))).toEqual([1]);
});

test('a line that the disk took in part is no line: what was refused is not in the file, and all that was taken is', () => {
  const file = aFile();
  const taken = JSON.parse(execFileSync('prlimit', ['--fsize=1000:unlimited', process.execPath, path.resolve('test/support/journal-on-a-full-disk.ts'), file], { encoding: 'utf8' })) as readonly number[];
  expect(taken.length).toBeGreaterThan(3);
  expect(taken.at(-1)).toBeGreaterThan(taken.length);
  const { entries, unread } = readPassJournal(file);
  expect([entries.map(({ row }) => row.at), unread]).toEqual([taken, 0]);
});

test('a row that the file did not take leaves no gap in the chain', () => {
  const file = aFile();
  open(file).close();
  const [full, normal] = [createConnection(new BetterSqlite(file)), createConnection(new BetterSqlite(file))];
  let fails = true;
  const append = (): void => {
    if (fails) throw new StoreUnavailable('full');
  };
  const log = createPassLog({ full, normal, key: anchorKey(anAnchorKey()), journal: { append, clear: () => undefined, close: () => undefined } });
  const record = (at: number): void => log.record({ type: 'call.passed', at, actor: 'client:claude' });
  expect(() => record(1)).toThrow(StoreUnavailable);
  fails = false;
  record(2);
  log.drain();
  expect(full.db.prepare("SELECT seq, at FROM audit WHERE chain = 'passes'").all()).toEqual([{ seq: 1, at: 2 }]);
  for (const { db } of [full, normal]) db.close();
});

test('a file that takes nothing means that the store is not available', () => {
  const file = aFile();
  symlinkSync('/dev/full', `${file}.passes`);
  const full = openPassJournal(file);
  const row = { chain: 'passes', seq: 1, at: 1, type: 'call.passed', actor: 'a', target: null, handle: null, payloadHash: null, detail: '{}', prev: '', hash: '' } as const;
  expect(() => full.append({ row, mac: '' })).toThrow(StoreUnavailable);
  expect(() => full.append({ row, mac: '' })).toThrow(StoreUnavailable);
  expect(() => full.clear()).not.toThrow();
  full.close();
  // The system gives the number of the closed file to the next one.
  const another = openSync(`${file}.another`, 'w');
  expect(() => full.append({ row, mac: '' })).toThrow(StoreUnavailable);
  closeSync(another);
  expect(statSync(`${file}.another`).size).toBe(0);
});

test('a closed store leaves no file of passes, and rows left alone mean that their database has vanished', () => {
  const file = aFile();
  const store = open(file);
  pass(store, 1);
  const copy = aFile();
  copyFileSync(`${file}.passes`, `${copy}.passes`);
  store.close();
  expect(existsSync(`${file}.passes`)).toBe(false);
  expect(faultOf(copy).kind).toBe('vanished');
  const again = open(file);
  expect(times(again)).toEqual([1]);
});
