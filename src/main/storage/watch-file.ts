import { statSync, type Stats } from 'node:fs';
import { StoreUnavailable } from '../audit/index.ts';
import { systemCode } from './file-check.ts';

/**
 * Sees to it that what is committed goes where the next start will look for it: a file that is removed, exchanged or cut short while it is open takes
 * what is written to it along. The look throws `StoreUnavailable` then, and tells it. By itself the file only grows.
 */
export function watchFile(file: string, failed: (code: string) => void): () => void {
  /** Undefined where it is not there, or cannot be looked for. */
  const look = (): Stats | undefined => {
    try {
      return statSync(file, { throwIfNoEntry: false });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  };
  let seen = look();
  return () => {
    const now = look();
    if (seen !== undefined && now?.ino === seen.ino && now.size >= seen.size) {
      seen = now;
      return;
    }
    failed('VANISHED');
    throw new StoreUnavailable('the file of the database was removed, exchanged or cut short while it was open');
  };
}
