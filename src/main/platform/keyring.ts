import { SealFault } from './seal-box.ts';

/** The keyring of the desktop: encrypts under a key that only the logged-in user's session gives out. */
export interface Keyring {
  /** Which one, for `doctor`: `gnome_libsecret`, `kwallet6`, `Keychain`, `DPAPI`. */
  readonly name: string;
  encrypt(plain: string): Uint8Array;
  /** Throws when it does not open. */
  decrypt(sealed: Uint8Array): string;
}

/** The part of Electron's safeStorage that is used. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  getSelectedStorageBackend(): string;
  encryptString(plain: string): Buffer;
  decryptString(sealed: Buffer): string;
}

export type KeyringFound = { readonly keyring: Keyring } | { readonly keyring: undefined; readonly why: string };

const LINUX_KEYRINGS: readonly string[] = ['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6'];
const PROBE = 'countersign keyring probe';
/** How Chromium on Linux begins what it encrypted under the password that stands in its source code. */
const HARD_CODED = 'v10';

/**
 * The keyring behind safeStorage, when it is a real one. On Linux only libsecret and KWallet are: `basic_text` and `unknown` encrypt under a
 * password everybody knows. The backend's name is not believed alone: something is encrypted and opened again first. Call it after the app is
 * ready. A locked keyring may ask the person for its password first, and this waits for them.
 */
export function openKeyring(storage: SafeStorage, platform: NodeJS.Platform): KeyringFound {
  try {
    const name = nameOf(storage, platform);
    if (name === undefined) return { keyring: undefined, why: `the desktop offers no keyring (${storage.getSelectedStorageBackend()})` };
    if (!storage.isEncryptionAvailable()) return { keyring: undefined, why: `${name} is there but gives out no key; it may be locked` };
    const keyring: Keyring = {
      name,
      encrypt(plain) {
        const sealed = storage.encryptString(plain);
        if (platform === 'linux' && sealed.subarray(0, HARD_CODED.length).toString('latin1') === HARD_CODED) {
          throw new SealFault('seal-missing', `${name} gave out no key. Unlock the keyring and start Countersign again.`);
        }
        return sealed;
      },
      decrypt: (sealed) => storage.decryptString(Buffer.from(sealed)),
    };
    if (keyring.decrypt(keyring.encrypt(PROBE)) !== PROBE) return { keyring: undefined, why: `${name} does not give back what it sealed` };
    return { keyring };
  } catch (error) {
    return { keyring: undefined, why: `the keyring failed (${error instanceof Error ? error.name : typeof error}); it may be locked` };
  }
}

function nameOf(storage: SafeStorage, platform: NodeJS.Platform): string | undefined {
  if (platform === 'darwin') return 'Keychain';
  if (platform === 'win32') return 'DPAPI';
  const backend = storage.getSelectedStorageBackend();
  return LINUX_KEYRINGS.includes(backend) ? backend : undefined;
}
