import { describe, expect, it } from 'vitest';
import { openKeyring } from '../../../src/main/platform/keyring.ts';
import type { SafeStorage } from '../../../src/main/platform/keyring.ts';

const flip = (text: string): string => Buffer.from(Buffer.from(text).reverse()).toString();

/** What Electron's safeStorage does on a desktop, written by hand. */
function storage(does: Partial<SafeStorage> & { head?: string } = {}): SafeStorage {
  const head = does.head ?? 'v11';
  return {
    isEncryptionAvailable: () => true,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    encryptString: (plain) => Buffer.from(head + flip(plain)),
    decryptString: (sealed) => flip(sealed.toString().slice(head.length)),
    ...does,
  };
}

describe('the keyring of the desktop', () => {
  it.each(['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6'])('%s on Linux is one', (backend) => {
    const { keyring } = openKeyring(storage({ getSelectedStorageBackend: () => backend }), 'linux');
    expect(keyring?.name).toBe(backend);
    expect(keyring?.decrypt(keyring.encrypt('a value'))).toBe('a value');
  });

  it.each(['basic_text', 'unknown', ''])('"%s" on Linux is none, also when it says that it can encrypt', (backend) => {
    expect(openKeyring(storage({ getSelectedStorageBackend: () => backend }), 'linux')).toMatchObject({ keyring: undefined });
  });

  it('is one on macOS and Windows without a backend to name', () => {
    for (const platform of ['darwin', 'win32'] as const) expect(openKeyring(storage({ head: 'v10', getSelectedStorageBackend: () => 'unknown' }), platform).keyring).toBeDefined();
  });

  it('is none while it gives out no key', () => {
    expect(openKeyring(storage({ isEncryptionAvailable: () => false }), 'linux')).toMatchObject({ keyring: undefined });
  });

  it('is none when what it makes is under the password in the source code of the browser', () => {
    expect(openKeyring(storage({ head: 'v10' }), 'linux')).toMatchObject({ keyring: undefined });
  });

  it('that stops giving out its key later seals nothing more', () => {
    let head = 'v11';
    const { keyring } = openKeyring(storage({ encryptString: (plain) => Buffer.from(head + flip(plain)) }), 'linux');
    head = 'v10';
    expect(() => keyring?.encrypt('a value')).toThrow(/gave out no key/u);
  });

  it('is none when it throws, or does not give back what it sealed, and says nothing of the reason but its kind', () => {
    const throwing = openKeyring(
      storage({
        encryptString: () => {
          throw new Error('hunter2');
        },
      }),
      'linux',
    );
    expect(throwing).toMatchObject({ keyring: undefined });
    expect(JSON.stringify(throwing)).not.toContain('hunter2');
    expect(openKeyring(storage({ decryptString: () => 'another' }), 'linux')).toMatchObject({ keyring: undefined });
  });
});
