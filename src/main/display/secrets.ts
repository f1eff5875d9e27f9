import type { Path } from '../canonical/index.ts';

const SECRET_NAME = /(?:pass(?:word|wd|phrase|code)|pwd|secret|credentials?|apikey|accesskey|secretkey|privatekey|signingkey|encryptionkey|authorization|authtoken|bearer|cookie|sessionid|csrf|otp|totp|pin|cvv|ssn)$|(?:^|[a-z])token$|^(?:auth|jwt|key)$/;
/** Tokens that only say where a list goes on, or how long a text may be. */
const NO_SECRET_NAME = /(?:max|min|num|page|next|previous|continuation|cursor|progress|sync|stop|total)tokens?$/;

const SECRET_SHAPES: readonly RegExp[] = [
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}|\bwhsec_[A-Za-z0-9+/=]{16,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{12,}/i,
  /:\/\/[^\s/:@]{1,256}:[^\s/@]{1,256}@/,
];

/** How much of a long value is looked at. */
const LOOKED_AT = 4_096;

/**
 * Whether a value looks like a secret, by the name of its member or by its shape. Such a value is shown only after a click: a person may share
 * the screen. It is a courtesy, never a mask: what is approved can always be seen.
 */
export function looksSecret(path: Path, value: string): boolean {
  if (value === '') return false;
  const name = path.findLast((segment) => typeof segment === 'string');
  if (typeof name === 'string' && isSecretName(name)) return true;
  const seen = value.slice(0, LOOKED_AT);
  return SECRET_SHAPES.some((shape) => shape.test(seen)) || isRandom(value);
}

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  return SECRET_NAME.test(plain) && !NO_SECRET_NAME.test(plain);
}

/** One long word of mixed letters and digits without a pattern, and no path. */
function isRandom(value: string): boolean {
  if (!/^[A-Za-z0-9+/=_-]{32,512}$/.test(value) || /^[./]|\/.*\/.*\//.test(value)) return false;
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || (value.match(/[0-9]/g)?.length ?? 0) * 12 < value.length) return false;
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= 4.2;
}
