import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Sealing } from '../../src/main/mounting/ports.ts';
import { openStore, type Store, type StoreFault, type StoreOptions } from '../../src/main/storage/index.ts';
import { aClock } from './builders.ts';

/** Memory where there is a file system in it: what is tested here is what SQLite is told, not how fast the disk is. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();

/** A folder of its own for the running test. */
export function aFolder(): string {
  const folder = mkdtempSync(path.join(ROOT, 'countersign-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Turns text over instead of sealing it: what is stored is not what was given, and only what it made itself opens. */
export const turningSeal: Sealing = {
  seal: (plain) => Buffer.from(`sealed:${Buffer.from(plain).toString('hex')}`),
  open(sealed) {
    const text = Buffer.from(sealed).toString();
    if (!text.startsWith('sealed:')) throw new Error('not sealed here');
    return Buffer.from(text.slice(7), 'hex').toString();
  },
};

export const anAnchorKey = (fill = 7): Uint8Array => new Uint8Array(32).fill(fill);

export const storeOptions = (over: Partial<StoreOptions> = {}): StoreOptions => ({ anchorKey: anAnchorKey(), sealing: turningSeal, clock: aClock(), ...over });

/** Opens the database at `file`, or says why it did not. Closed at the end of the test. */
export function open(file: string, over: Partial<StoreOptions> = {}): Store {
  const opened = openStore(file, storeOptions(over));
  if (!opened.ok) throw new Error(`not opened: ${opened.fault.sentence}`);
  onTestFinished(() => void opened.store.close());
  return opened.store;
}

export function faultOf(file: string, over: Partial<StoreOptions> = {}): StoreFault {
  const opened = openStore(file, storeOptions(over));
  if (opened.ok) {
    opened.store.close();
    throw new Error('opened, although it should not have been');
  }
  return opened.fault;
}
