import { generateSync } from 'otplib';
import { until } from '../desktop/index.ts';

const STEP_MS = 30_000;

/** The code an authenticator shows now, or so many steps away from now. */
export const codeNow = (secret: string, steps = 0): string => generateSync({ secret, epoch: Math.floor((Date.now() + steps * STEP_MS) / 1000) });

/** A code of six digits that is none of the secret's near now. */
export function wrongCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeNow(secret, steps)));
  let number = 100_000;
  while (near.has(String(number))) number += 1;
  return String(number);
}

/** Waits, by the real clock, until the authenticator shows another code than this. */
export const nextCode = (secret: string, after: string): Promise<string> =>
  until('the next code', () => Promise.resolve(codeNow(secret) === after ? undefined : codeNow(secret)), { timeoutMs: 35_000 });
