import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Credentials } from '../registry/ports.ts';

const LONGEST = 16 * 1024;

/**
 * Reads the credentials that tools name: from the environment, or from a file of that name in one folder (ERPBRIDGE_CREDENTIALS_DIR), without the
 * line's end. Read anew at every call, so that a renewed one counts at once. undefined when there is none, or it cannot be read.
 */
export function createCredentials({ env, folder }: { readonly env: Readonly<Record<string, string | undefined>>; readonly folder: string | undefined }): Credentials {
  return {
    async read({ source, name }) {
      // The names are checked at admission; a name that could lead out of the folder is never joined to it all the same.
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined;
      if (source === 'env') return Object.hasOwn(env, name) ? env[name] : undefined;
      return folder === undefined ? undefined : await fromFile(path.join(folder, name));
    },
  };
}

async function fromFile(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > LONGEST ? undefined : text.replace(/\r?\n$/, '');
  } catch (fault) {
    // Not there, not readable, not a file: the call is refused with `credential-missing`, whichever it is.
    if (fault instanceof Error && 'code' in fault) return undefined;
    throw fault;
  }
}
