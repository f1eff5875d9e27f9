import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes a new file that only its owner may read (0600), whole or not at all: written aside, made durable, then named. Throws the system's
 * `EEXIST` when the name is taken; nothing is ever overwritten.
 */
export function writeNew(name: string, content: string): void {
  const aside = `${name}.${randomBytes(6).toString('hex')}`;
  const file = openSync(aside, 'wx', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
    linkSync(aside, name);
  } finally {
    closeSync(file);
    rmSync(aside);
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
