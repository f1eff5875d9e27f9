import { readFileSync, statSync } from 'node:fs';

/** More than any settings file holds; what is larger is not read into memory. */
const LIMIT_BYTES = 4 * 1024 * 1024;
/** A file, or a folder on the way to it, that is not there. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** The text of a file of another program; `absent` when it is not there, `unreadable` when it is no ordinary file, is too large or may not be read. */
export function settingsText(file: string): { readonly text: string } | { readonly fault: 'absent' | 'unreadable' } {
  try {
    const stat = statSync(file);
    return stat.isFile() && stat.size <= LIMIT_BYTES ? { text: readFileSync(file, 'utf8') } : { fault: 'unreadable' };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { fault: ABSENT.has(error.code) ? 'absent' : 'unreadable' };
    throw error;
  }
}
