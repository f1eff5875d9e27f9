import { scryptSync } from 'node:crypto';
import { crockford } from './base32.ts';

/** How many recovery codes an enrolment gives. */
export const RECOVERY_CODES = 10;

/** What a set of recovery codes is hashed with: one salt a set, so that a try costs one scrypt and not ten. `cost` is scrypt's N. */
export interface Seasoning {
  readonly salt: Uint8Array;
  readonly cost: number;
}

/** 100 random bits as `XXXXX-XXXXX-XXXXX-XXXXX`. */
export const recoveryCode = (random: Uint8Array): string => (crockford(random).slice(0, 20).match(/.{5}/gu) ?? []).join('-');

/** How many random bytes `recoveryCode` wants. */
export const RECOVERY_BYTES = 13;

/** The twenty characters of a recovery code as a person types it: case, blanks, hyphens and the letters that look like digits do not matter. */
export function cleanRecovery(typed: unknown): string | undefined {
  if (typeof typed !== 'string' || typed.length > 64) return undefined;
  const bare = typed.toUpperCase().replace(/[\s-]/gu, '').replace(/[IL]/gu, '1').replace(/O/gu, '0');
  return /^[0-9A-HJKMNP-TV-Z]{20}$/u.test(bare) ? bare : undefined;
}

/** The stored form of a cleaned recovery code. */
export const recoveryHash = (clean: string, { salt, cost }: Seasoning): Uint8Array => scryptSync(clean, salt, 32, { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 });
