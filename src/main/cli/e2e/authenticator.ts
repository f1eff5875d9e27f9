import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * An authenticator of the suite's own (RFC 6238, SHA-1, six digits, 30 s), so that the product's is not checked against itself. A step is used
 * once: `next` waits for the following one when the present one was.
 */
export function createAuthenticator(otpauth: string, { now, pause }: { readonly now: () => number; readonly pause: (ms: number) => Promise<void> }) {
  const secret = decoded(new URL(otpauth).searchParams.get('secret') ?? '');
  let used = -1;
  const take = (step: number): string => {
    used = step;
    return codeOf(secret, step);
  };
  const present = (): number => Math.floor(now() / STEP_MS);
  return {
    /** The code of the step before: good for a while yet, and the present one is then still to be had. */
    previous: (): string => take(present() - 1),
    async next(): Promise<string> {
      while (present() <= used) await pause((used + 1) * STEP_MS - now() + 5);
      return take(present());
    },
    /** Six digits that are no code of about now. */
    wrong(): string {
      const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, present() + steps)));
      for (let number = 0; ; number += 1) if (!near.has(digits(number))) return digits(number);
    },
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;

const digits = (number: number): string => String(number).padStart(6, '0');

function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return digits((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000);
}

/** RFC 4648 base32 without padding. */
function decoded(text: string): Buffer {
  const bits = Array.from(text.toUpperCase().replace(/=+$/, ''), (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
