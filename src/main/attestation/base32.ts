/** RFC 4648 base32 without padding: what authenticator apps read. */
const RFC4648 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Crockford's base32: no I, L, O or U, so that a code read off paper cannot be misread. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function encode(bytes: Uint8Array, alphabet: string): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/gu) ?? []).map((five) => alphabet.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('');
}

export const base32 = (bytes: Uint8Array): string => encode(bytes, RFC4648);
export const crockford = (bytes: Uint8Array): string => encode(bytes, CROCKFORD);

/** Whether the text is a secret this room made: 160 bits in base32. */
export const isSecret = (text: string): boolean => /^[A-Z2-7]{32}$/u.test(text);
