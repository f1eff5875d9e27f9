import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes a new file that only its owner may read (0600), whole or not at all: written aside, made durable, then named. Throws the system's
 * `EEXIST` when the name is taken; nothing is ever overwritten.
 */
export const writeNew = (name: string, content: string): void => write(name, content, linkSync);

/** The same in place of an older file: after a failure, and after a power cut, the name holds either the old content or the new. */
export const replaceWhole = (name: string, content: string): void => write(name, content, renameSync);

function write(name: string, content: string, place: (aside: string, name: string) => void): void {
  const aside = `${name}.${randomBytes(6).toString('hex')}`;
  const file = openSync(aside, 'wx', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
    place(aside, name);
  } finally {
    closeSync(file);
    rmSync(aside, { force: true });
  }
  syncFolder(path.dirname(name));
}

/** Makes the name durable too. Windows has no such call and needs none. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
