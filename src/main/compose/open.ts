import { refusals } from '../../shared/refusals.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { DataDir } from '../platform/data-dir.ts';
import type { KeyringFound } from '../platform/keyring.ts';
import { SealFault } from '../platform/seal-box.ts';
import { openSealing, type Seals } from '../platform/sealing.ts';
import { keepPrivate, keptKey, keptToken, makePrivateFolder } from '../platform/secret-files.ts';
import { randomToken } from '../platform/ids.ts';
import { lockDataDir, openStore, outsideCode, type Store } from '../storage/index.ts';

/** What lies in the data directory, opened and locked. */
export interface OpenedDir {
  readonly store: Store;
  readonly seals: Seals;
  readonly controlToken: string;
  /** Lets go of the directory. The store is closed first. */
  readonly close: () => void;
}

/** Why the program cannot start: a sentence, and what to do. */
export interface StartFault {
  readonly kind: 'in-use' | 'store' | 'seal' | 'port' | 'config' | 'pattern';
  readonly sentence: string;
  readonly next: string;
}

export const startFault = (kind: StartFault['kind'], sentence: string, next: string): { readonly ok: false; readonly fault: StartFault } => ({ ok: false, fault: { kind, sentence, next } });

interface Opening {
  readonly dir: DataDir;
  readonly keyring?: KeyringFound;
  readonly passphrase?: string;
  readonly clock: Clock;
  /** Told when the store begins to fail, and with null when it can write again. */
  readonly storeChanged?: (fault: string | null) => void;
}

/** Makes the data directory where there is none; why not, where that cannot be. */
export function folderFault(dir: DataDir): StartFault | undefined {
  try {
    makePrivateFolder(dir.path);
    return undefined;
  } catch (error) {
    return unusable(dir, error);
  }
}

function unusable(dir: DataDir, error: unknown): StartFault {
  const code = outsideCode(error);
  if (code === undefined) throw error;
  return startFault('store', `The data directory ${dir.path} cannot be used (${code}).`, NO_ROOM).fault;
}

/** Locks the data directory before anything in it is opened, so that no two programs ever hold the same database. */
export async function openDir(opening: Opening): Promise<{ readonly ok: true; readonly opened: OpenedDir } | { readonly ok: false; readonly fault: StartFault }> {
  const { dir } = opening;
  let unlock: ReturnType<typeof lockDataDir> | undefined;
  try {
    const fault = folderFault(dir);
    if (fault !== undefined) return { ok: false, fault };
    unlock = lockDataDir(dir.lock);
    if (unlock === 'held') return startFault('in-use', `Countersign already runs on ${dir.path}.`, 'Use that one, or give another folder with --data-dir.');
    keepPrivate(dir.path, isOurs);
    return await openLocked(opening, unlock);
  } catch (error) {
    const fault = unusable(dir, error);
    if (typeof unlock === 'function') unlock();
    return { ok: false, fault };
  }
}

/** The files of a data directory; it may be a folder that somebody keeps other things in. */
const isOurs = (name: string): boolean => /^(?:countersign\.db|client-token|control-token|endpoint\.json|audit-key|seal-key|passphrase\.json|sealed-by-keyring|log\.ndjson)(?:$|[-.])/.test(name);

/** What to look for where the system refuses to write. */
export const NO_ROOM = 'Look for a full or failing disk, and for the right to write there, then start again.';

const CONTROL_TOKEN = /^cc_[A-Za-z0-9_-]{43}$/;

async function openLocked({ dir, keyring, passphrase, clock, storeChanged }: Opening, unlock: () => void): ReturnType<typeof openDir> {
  const seals = await sealsOf(openSealing({ dir: dir.path, ...(keyring && { keyring }), ...(passphrase !== undefined && { passphrase }) }));
  if (!seals.ok) {
    unlock();
    return seals;
  }
  const anchorKey = keptKey(dir.auditKey);
  if (anchorKey === undefined) {
    unlock();
    return startFault('store', `The file ${dir.auditKey} does not hold the key of the audit. Countersign did not start, and left everything as it is.`, 'Put back a copy of it. Or move it away to have a new one made: the audit so far is then in doubt, and what waits is withdrawn.');
  }
  const opened = openStore(dir.database, { anchorKey, sealing: seals.value.values, clock, ...(storeChanged && { changed: storeChanged }) });
  if (!opened.ok) {
    unlock();
    return startFault('store', opened.fault.sentence, opened.fault.next);
  }
  const { store } = opened;
  const close = (): void => {
    store.close();
    unlock();
  };
  try {
    return { ok: true, opened: { store, seals: seals.value, controlToken: keptToken(dir.controlToken, CONTROL_TOKEN, () => `cc_${randomToken()}`), close } };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** A passphrase that does not fit, or a damaged file of it, in words. */
async function sealsOf(opening: ReturnType<typeof openSealing>): Promise<{ readonly ok: true; readonly value: Seals } | { readonly ok: false; readonly fault: StartFault }> {
  try {
    const seals = await opening;
    if (seals.ok) return seals;
    const { sentence, next } = refusals[seals.code];
    return startFault('seal', sentence, next);
  } catch (error) {
    if (error instanceof SealFault) return startFault('seal', error.message, 'Nothing was changed.');
    throw error;
  }
}
