import { readFileSync, statSync } from 'node:fs';

/** More than any settings file holds; what is larger is not read into memory. */
const LIMIT_BYTES = 4 * 1024 * 1024;

/** The text of a file of another program; undefined when it is not there, is no ordinary file, is too large or may not be read. */
export function settingsText(file: string): string | undefined {
  try {
    const stat = statSync(file);
    return stat.isFile() && stat.size <= LIMIT_BYTES ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
