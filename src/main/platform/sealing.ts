import { existsSync } from 'node:fs';
import path from 'node:path';
import { ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { SecretSealing } from '../attestation/ports.ts';
import type { Sealing } from '../mounting/ports.ts';
import { keyFromFile } from './key-file.ts';
import type { Keyring, KeyringFound } from './keyring.ts';
import { passphraseKey, PASSPHRASE_COST } from './passphrase.ts';
import type { Cost } from './passphrase.ts';
import { writeNew } from './private-file.ts';
import { box, label, SealFault, unbox, unwrap, wrap } from './seal-box.ts';
import type { Purpose, Seal } from './seal-box.ts';

export interface SealingOptions {
  /** The data directory (0700). */
  readonly dir: string;
  /** What the desktop has; absent without one. */
  readonly keyring?: KeyringFound;
  /** From `COUNTERSIGN_PASSPHRASE` or the terminal. */
  readonly passphrase?: string | undefined;
  readonly cost?: Cost;
}

/** Everything that seals at rest, and what it does it with. */
export interface Seals {
  /** For environment and header values of targets: keyring, else passphrase, else a key file, which `doctor` says openly. */
  readonly values: Sealing;
  /** For the TOTP secret: keyring or passphrase, never the key file. */
  readonly secrets: SecretSealing;
  /** Gives the passphrase later on. Refusals: `wrong-passphrase`, `passphrase-too-short`. */
  unlock(passphrase: string): Promise<Result<null>>;
  /** `unused`: none was ever given for this directory; `locked`: one was, and this run does not have it; `open`: this run has it. */
  passphrase(): 'unused' | 'locked' | 'open';
  /** For `doctor`: what seals values and the TOTP secret now, and what that means. */
  describe(): SealsState;
}

/** How things are sealed, for `doctor`. `advice`: it could be better, and works as it is. */
export interface SealsState {
  readonly ok: boolean;
  readonly advice?: true;
  readonly note: string;
}

/**
 * Opens the seals of a data directory. A directory that once sealed under a keyring or a passphrase never goes back to the key file: without
 * either nothing is sealed and what was sealed does not open, with a `SealFault` that says what is missing. Refusals: those of `unlock`, when a
 * passphrase is needed and the one given is not the right one. A passphrase is not needed where there is a keyring and none was used before.
 */
export async function openSealing({ dir, keyring: found, passphrase, cost = PASSPHRASE_COST }: SealingOptions): Promise<Result<Seals>> {
  const files = { passphrase: path.join(dir, 'passphrase.json'), key: path.join(dir, 'seal-key'), keyringUsed: path.join(dir, 'sealed-by-keyring') };
  const keyring = found?.keyring;
  let phraseKey: Uint8Array | undefined;

  const unlock = async (given: string): Promise<Result<null>> => {
    const key = await passphraseKey(files.passphrase, given, cost);
    if (!key.ok) return key;
    phraseKey = key.value;
    return ok(null);
  };
  if (passphrase !== undefined && (keyring === undefined || existsSync(files.passphrase))) {
    const unlocked = await unlock(passphrase);
    if (!unlocked.ok) return unlocked;
  }

  const strong = (): 'keyring' | 'passphrase' | undefined => (keyring !== undefined ? 'keyring' : phraseKey !== undefined ? 'passphrase' : undefined);
  const wasStrong = (): boolean => existsSync(files.keyringUsed) || existsSync(files.passphrase);

  function seal(plain: string, purpose: Purpose, by: Seal): Uint8Array {
    if (by === 'keyring') return wrap(by, sealByKeyring(need(keyring, by), purpose, plain));
    return wrap(by, box(by === 'passphrase' ? need(phraseKey, by) : keyFromFile(files.key, 'make'), label(by, purpose), plain));
  }

  function sealByKeyring(ring: Keyring, purpose: Purpose, plain: string): Uint8Array {
    const body = ring.encrypt(`${label('keyring', purpose)}\n${plain}`);
    if (!existsSync(files.keyringUsed)) writeNew(files.keyringUsed, '');
    return body;
  }

  function open(sealed: Uint8Array, purpose: Purpose): string {
    const { seal: by, body } = unwrap(sealed);
    if (by === 'keyring') return openByKeyring(need(keyring, by), purpose, body);
    const plain = unbox(by === 'passphrase' ? need(phraseKey, by) : keyFromFile(files.key, 'find'), label(by, purpose), body);
    if (plain === undefined) throw damaged(by);
    return plain;
  }

  return ok({
    values: {
      seal: (plain) => seal(plain, 'values', strong() ?? (wasStrong() ? missing('passphrase', 'before') : 'key-file')),
      open: (sealed) => open(sealed, 'values'),
    },
    secrets: {
      strength: strong,
      seal: (plain) => seal(plain, 'totp', strong() ?? missing('passphrase', 'now')),
      open(sealed) {
        if (unwrap(sealed).seal === 'key-file') throw damaged('key-file');
        return open(sealed, 'totp');
      },
    },
    unlock,
    passphrase: () => (phraseKey !== undefined ? 'open' : existsSync(files.passphrase) ? 'locked' : 'unused'),
    describe: () => describeSeals(strong(), wasStrong(), found),
  });
}

function describeSeals(strong: 'keyring' | 'passphrase' | undefined, wasStrong: boolean, found: KeyringFound | undefined): SealsState {
  if (strong === 'keyring') return { ok: true, note: `Sealed by the keyring (${found?.keyring?.name ?? 'unnamed'}).` };
  const why = found?.keyring === undefined && found !== undefined ? found.why : 'there is no desktop';
  if (strong === 'passphrase') return { ok: true, note: `Sealed under the passphrase; no keyring is used: ${why}.` };
  if (wasStrong) return { ok: false, note: `What was sealed before does not open: ${why}, and no passphrase was given. ${REMEDY}` };
  return { ok: false, advice: true, note: `Environment and header values of targets are sealed with a key that lies in the data directory, which keeps out other users but no program of yours; a TOTP secret cannot be enrolled: ${why}, and no passphrase was given. ${REMEDY}` };
}

const REMEDY = 'Unlock the keyring, or start Countersign with COUNTERSIGN_PASSPHRASE.';

function openByKeyring(keyring: Keyring, purpose: Purpose, body: Uint8Array): string {
  let text: string;
  try {
    text = keyring.decrypt(body);
  } catch (error) {
    throw new SealFault('seal-damaged', `${keyring.name} does not open a value sealed before: its key is another now, or the value was changed. Enter the value again.`, { cause: error });
  }
  const head = `${label('keyring', purpose)}\n`;
  if (!text.startsWith(head)) throw damaged('keyring');
  return text.slice(head.length);
}

const damaged = (by: Seal): SealFault => new SealFault('seal-damaged', `A value sealed by the ${by} does not open: it was changed, or sealed for another use. Enter the value again.`);

function missing(by: Seal, when: 'now' | 'before'): never {
  throw new SealFault('seal-missing', when === 'before' ? `Values here were sealed by a keyring or passphrase, and neither is there now; nothing weaker is used. ${REMEDY}` : `There is nothing to seal the value with (${by}). ${REMEDY}`);
}

function need<T>(there: T | undefined, by: Seal): T {
  if (there === undefined) throw new SealFault('seal-missing', `A value was sealed by the ${by}, which is not there now. ${REMEDY}`);
  return there;
}
