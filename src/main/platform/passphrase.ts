import { randomBytes, scrypt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { writeNew } from './private-file.ts';
import { box, label, SealFault, unbox } from './seal-box.ts';

/** Fewer characters would be guessed by anyone who has the database file. */
export const SHORTEST_PASSPHRASE = 8;

const CHECK = 'countersign passphrase';

/** How hard a guess is: scrypt's N and r. 2^17 and 8 take 128 MiB and some tenths of a second. */
export interface Cost {
  readonly n: number;
  readonly r: number;
}
export const PASSPHRASE_COST: Cost = { n: 2 ** 17, r: 8 };

/** What lies in the passphrase file: salt and cost, and a known text sealed under the key, so that a wrong passphrase is known at once and never seals anything. */
const passphraseFile = z.strictObject({
  version: z.literal(1),
  n: z.int().min(2).max(2 ** 22),
  r: z.int().min(1).max(32),
  salt: z.string().regex(/^[0-9a-f]{32}$/u),
  check: z.string().regex(/^[0-9a-f]+$/u),
});

/**
 * The key of a passphrase (scrypt). The first passphrase given for a data directory is written down as the one, hashed; from then on another is
 * refused with `wrong-passphrase`. `passphrase-too-short` under 8 characters. Throws `SealFault` when the file is damaged.
 */
export async function passphraseKey(file: string, passphrase: string, cost: Cost = PASSPHRASE_COST): Promise<Result<Uint8Array>> {
  const text = passphrase.normalize('NFKC');
  if (Array.from(text).length < SHORTEST_PASSPHRASE) return refused('passphrase-too-short');
  if (!existsSync(file)) {
    const salt = randomBytes(16);
    const key = await derive(text, salt, cost);
    const check = Buffer.from(box(key, label('passphrase', 'check'), CHECK)).toString('hex');
    writeNew(file, `${JSON.stringify({ version: 1, n: cost.n, r: cost.r, salt: salt.toString('hex'), check })}\n`);
    return ok(key);
  }
  const { n, r, salt, check } = readPassphraseFile(file);
  const key = await derive(text, Buffer.from(salt, 'hex'), { n, r });
  return unbox(key, label('passphrase', 'check'), Buffer.from(check, 'hex')) === CHECK ? ok(key) : refused('wrong-passphrase');
}

function readPassphraseFile(file: string): z.infer<typeof passphraseFile> {
  try {
    return passphraseFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new SealFault('seal-damaged', `${file} cannot be read; what was sealed under the passphrase needs it. Bring it back from a backup.`, { cause: error });
  }
}

const derive = (passphrase: string, salt: Uint8Array, { n, r }: Cost): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, { N: n, r, p: 1, maxmem: 256 * n * r }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });

/** Takes the passphrase out of the environment, so that no child inherits it. Empty counts as not given. */
export function takePassphrase(env: NodeJS.ProcessEnv): string | undefined {
  const passphrase = env['COUNTERSIGN_PASSPHRASE'];
  delete env['COUNTERSIGN_PASSPHRASE'];
  return passphrase === '' ? undefined : passphrase;
}
