/**
 * Whether a JSON number (already known to be grammatical) is the same number after it was read as a double and written again by RFC 8785:
 * `1.0` and `1E2` are, `9007199254740993`, `1e400`, `-0`, `1e-400` and `0.1000000000000000055` are not. Integers outside the safe range are
 * refused even where the double happens to be exact, because readers with 64-bit integers and readers with doubles tell them apart differently.
 */
export function keepsItsValue(text: string, value: number): boolean {
  if (Number.isSafeInteger(value)) {
    if (value === 0) return text.charCodeAt(0) !== MINUS && !/[1-9]/.test(mantissa(text));
    return text === String(value) || sameDecimal(text, String(value));
  }
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  // Written as bare digits it would be an integer other readers may not hold, now or after canonicalisation.
  if (BARE_DIGITS.test(text) || BARE_DIGITS.test(written)) return false;
  return text === written || sameDecimal(text, written);
}

const MINUS = 0x2d;
const BARE_DIGITS = /^-?[0-9]+$/;

const mantissa = (text: string): string => text.split(/[eE]/, 1)[0] ?? text;

function sameDecimal(a: string, b: string): boolean {
  const left = decimal(a);
  const right = decimal(b);
  return left.digits === right.digits && left.exponent === right.exponent && left.negative === right.negative;
}

/** The number as `0.<digits> × 10^exponent` without leading or trailing zeros in `digits`. */
function decimal(text: string): { readonly negative: boolean; readonly digits: string; readonly exponent: number } {
  const negative = text.charCodeAt(0) === MINUS;
  const [front = '', power = '0'] = text.slice(negative ? 1 : 0).split(/[eE]/);
  const [whole = '', fraction = ''] = front.split('.');
  const all = whole + fraction;
  let first = 0;
  while (first < all.length && all.charCodeAt(first) === 0x30) first += 1;
  let end = all.length;
  while (end > first && all.charCodeAt(end - 1) === 0x30) end -= 1;
  return { negative, digits: all.slice(first, end), exponent: whole.length - first + Number(power) };
}
