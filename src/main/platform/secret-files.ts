import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { replaceWhole, writeNew } from './private-file.ts';

/** Makes the folder when there is none, readable by its owner alone (0700). Throws the system's error. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder);
  if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Step by step: where the system lets nobody make a folder, such as below `/proc`, the recursive call of Node never returns. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(folder)) throw error; // another start made it just now
  }
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;

/** Takes from others what they may do with the files of a folder whose names `isOurs` knows: a copied folder may bring any mode along. */
export function keepPrivate(folder: string, isOurs: (name: string) => boolean): void {
  if (process.platform === 'win32') return;
  for (const name of readdirSync(folder).filter(isOurs)) {
    const file = path.join(folder, name);
    const stats = lstatSync(file);
    if (stats.isFile() && (stats.mode & 0o177) !== 0) chmodSync(file, 0o600);
  }
}

/** A token kept in a file (0600), without the line's end. One that does not fit `shape` protects nothing: it is made anew, as at first. */
export function keptToken(file: string, shape: RegExp, make: () => string): string {
  const kept = readText(file);
  if (kept !== undefined && shape.test(kept)) return kept;
  const token = make();
  replaceWhole(file, `${token}\n`);
  return token;
}

/** 32 random bytes kept in a file (0600) as hex, made at first; undefined when the file holds anything else. */
export function keptKey(file: string): Uint8Array | undefined {
  const kept = readText(file);
  if (kept !== undefined) return /^[0-9a-f]{64}$/.test(kept) ? Buffer.from(kept, 'hex') : undefined;
  const key = randomBytes(32);
  writeNew(file, `${key.toString('hex')}\n`);
  return key;
}

export const removeFile = (file: string): void => rmSync(file, { force: true });

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
