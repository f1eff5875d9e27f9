import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { writeNew } from './private-file.ts';
import { SealFault } from './seal-box.ts';

/**
 * The key that lies in a file (0600) of the data directory: 32 random bytes in hex. `make` writes it when there is none; `find` does not, for a
 * new key opens nothing. Throws `SealFault`.
 */
export function keyFromFile(file: string, how: 'make' | 'find'): Uint8Array {
  if (!existsSync(file)) {
    if (how === 'find') throw new SealFault('seal-missing', `A value was sealed with the key in ${file}, and that file is gone. Bring it back from a backup, or enter the value again.`);
    writeNew(file, `${randomBytes(32).toString('hex')}\n`);
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const text = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/u.test(text)) throw new SealFault('seal-damaged', `${file} holds no key. Bring it back from a backup, or enter the values of your targets again.`);
  return Buffer.from(text, 'hex');
}
