import { verifySync } from 'otplib';

/** RFC 6238 with the parameters every authenticator app takes: SHA-1, six digits, steps of 30 s counted from the epoch. */
export const STEP_MS = 30_000;

/** The time step a moment (epoch milliseconds) lies in. */
export const stepAt = (wall: number): number => Math.floor(wall / STEP_MS);

/** No typed code is longer; anything longer is not looked at. */
const LONGEST_TYPED = 32;

/** The six ASCII digits of a code as a person types or pastes it: blanks around it and one blank inside it do not matter. Nothing for anything else. */
export function cleanCode(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > LONGEST_TYPED) return undefined;
  const digits = typed.trim().replace(' ', '');
  return /^[0-9]{6}$/u.test(digits) ? digits : undefined;
}

export type Match = { readonly kind: 'fresh'; readonly step: number } | { readonly kind: 'used' } | { readonly kind: 'wrong' };

/**
 * Compares a code with those of the present step and the one before, never one ahead (RFC 6238, 5.2). Steps up to `lastStep` are used. The
 * secret is base32. The library is asked for one exact step at a time, for its tolerance counts seconds and its answer is an object; it throws
 * on input it dislikes, and this passes that on: the caller denies.
 */
export function matchCode(secret: string, code: string, wall: number, lastStep: number): Match {
  const present = stepAt(wall);
  const matched = [present, present - 1].filter(
    (step) => step >= 0 && verifySync({ secret, token: code, epoch: step * (STEP_MS / 1000), epochTolerance: 0, algorithm: 'sha1', digits: 6, period: STEP_MS / 1000 }).valid,
  );
  const fresh = matched.find((step) => step > lastStep);
  if (fresh !== undefined) return { kind: 'fresh', step: fresh };
  return { kind: matched.length > 0 ? 'used' : 'wrong' };
}
