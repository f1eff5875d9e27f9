import { readFileSync } from 'node:fs';
import { usageFailure } from './failure.ts';
import { visible } from './visible-text.ts';

/** The text of a file named on the command line; a file that cannot be read ends the command and is named. */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw usageFailure(`${visible(path)} cannot be read (${String(error.code)}).`);
    throw error;
  }
}
