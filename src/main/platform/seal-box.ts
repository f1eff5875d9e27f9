import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What sealed something. The strong two need more than the files of the data directory to open; the key file lies beside what it sealed. */
export type Seal = 'keyring' | 'passphrase' | 'key-file';

/** What a sealed text is for. What was sealed for one purpose never opens for another, so that a row moved between tables is worth nothing. */
export type Purpose = 'values' | 'totp' | 'check';

/**
 * Why something does not open, or cannot be sealed. The message is one sentence on what is wrong and what to do, and holds nothing that was
 * sealed.
 */
export class SealFault extends Error {
  override readonly name = 'SealFault';
  readonly code: 'seal-missing' | 'seal-damaged' | 'seal-unknown';
  constructor(code: SealFault['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Binds a sealed text to its format, its seal and its purpose. */
export const label = (seal: Seal, purpose: Purpose): string => `countersign-seal-v1|${seal}|${purpose}`;

const VERSION = 1;
const BYTES: Readonly<Record<Seal, number>> = { keyring: 1, passphrase: 2, 'key-file': 3 };

/** Puts the version and the seal before the sealed body: two bytes that say what must open it. */
export const wrap = (seal: Seal, body: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(VERSION, BYTES[seal]), body]);

export function unwrap(sealed: Uint8Array): { readonly seal: Seal; readonly body: Uint8Array } {
  const seal = (Object.keys(BYTES) as Seal[]).find((name) => BYTES[name] === sealed[1]);
  if (sealed.length < 3 || sealed[0] !== VERSION || seal === undefined) {
    throw new SealFault('seal-unknown', 'A sealed value has a form this version does not know; it was written by a newer version, or damaged.');
  }
  return { seal, body: sealed.subarray(2) };
}

const NONCE = 12;
const TAG = 16;

/** AES-256-GCM with a random nonce: nonce, tag, ciphertext. */
export function box(key: Uint8Array, bound: string, plain: string): Uint8Array {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(bound));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Opens what `box` made; gives nothing when the key is another, or anything was changed. */
export function unbox(key: Uint8Array, bound: string, body: Uint8Array): string | undefined {
  if (body.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(body.subarray(NONCE, NONCE + TAG));
  const text = decipher.update(body.subarray(NONCE + TAG));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    // The one thing `final` throws for is a tag that does not fit.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
