import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeNew } from './private-file.ts';

/** Makes the folder when there is none, readable by its owner alone (0700). */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The text kept in a file, without the line's end; made by `make` at first (0600). */
export function keptText(file: string, make: () => string): string {
  const kept = readText(file);
  if (kept !== undefined) return kept;
  const text = make();
  writeNew(file, `${text}\n`);
  return text;
}

/** 32 random bytes kept in a file as hex. Throws when the file holds anything else. */
export function keptKey(file: string): Uint8Array {
  const text = keptText(file, () => randomBytes(32).toString('hex'));
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${file} does not hold a key. Bring it back from a copy, or move it away to have a new one made.`);
  return Buffer.from(text, 'hex');
}

/** Writes a file that only its owner may read, whole or not at all, in place of an older one. */
export function replaceText(file: string, content: string): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(aside, content, { mode: 0o600, flag: 'wx' });
  renameSync(aside, file);
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
