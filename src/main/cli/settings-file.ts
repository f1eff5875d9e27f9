import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Failure, exitCodes } from './failure.ts';
import { visible } from './visible-text.ts';

/** A settings file of another program, as it was read. */
export interface SettingsFile {
  readonly text: string;
  /**
   * Puts another text in its place, whole or not at all, and gives the copy that was kept of the old one, if there was one. With `keep` false none
   * is made where there is one already. Refused when somebody changed the file since it was read. The file is its owner's alone afterwards, since a
   * token stands in it.
   */
  replace(text: string, keep: boolean): string | undefined;
}

/** Opens a settings file that may not be there yet; a link to it is followed. */
export function openSettings(file: string): SettingsFile {
  const text = read(file);
  return {
    text: text ?? '',
    replace(next, keep) {
      const place = existsSync(file) ? realpathSync(file) : file;
      if (read(file) !== text) throw new Failure(exitCodes.refused, `${visible(file)} was changed by somebody else just now. Nothing was written; run the command again.`, { code: 'changed-meanwhile' });
      mkdirSync(path.dirname(place), { recursive: true });
      const copy = `${place}.before-countersign`;
      const kept = text === undefined || (!keep && existsSync(copy)) ? undefined : copy;
      if (kept !== undefined) {
        copyFileSync(place, kept);
        chmodSync(kept, 0o600);
      }
      const aside = `${place}.${randomBytes(6).toString('hex')}`;
      try {
        writeFileSync(aside, next, { mode: 0o600, flag: 'wx' });
        if (text !== undefined) chmodSync(aside, statSync(place).mode & 0o700);
        renameSync(aside, place);
      } catch (error) {
        rmSync(aside, { force: true });
        throw said(file, error);
      }
      return kept;
    },
  };
}

function read(file: string): string | undefined {
  try {
    // What cannot be read without loss would be written back with it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw said(file, error);
  }
}

function said(file: string, error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new Failure(exitCodes.refused, `${visible(file)} is no UTF-8 text. Nothing was changed.`, { code: 'settings-file' });
  if (error instanceof Error && 'code' in error) return new Failure(exitCodes.refused, `${visible(file)} cannot be read or written (${String(error.code)}). Nothing was changed.`, { code: 'settings-file' });
  return error;
}
