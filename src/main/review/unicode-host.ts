/** The parameters of Punycode (RFC 3492, section 5). */
const [BASE, T_MIN, T_MAX, SKEW, DAMP, BIAS, FIRST] = [36, 1, 26, 38, 700, 72, 128];

/** The host name with its `xn--` labels in letters; a label that cannot be read stays as it is. */
export const unicodeHost = (host: string): string => host.split('.').map((label) => (label.startsWith('xn--') ? (decoded(label.slice(4)) ?? label) : label)).join('.');

function decoded(text: string): string | undefined {
  const cut = text.lastIndexOf('-');
  const letters = Array.from(text.slice(0, Math.max(cut, 0)), (char) => char.codePointAt(0) ?? 0);
  let [code, at, bias] = [FIRST, 0, BIAS];
  for (let next = cut + 1; next < text.length; ) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text.charCodeAt(next));
      if (digit === undefined) return undefined;
      next += 1;
      at += digit * weight;
      const threshold = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = letters.length + 1;
    bias = adapted(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    if (code > 0x10ffff || !Number.isSafeInteger(at)) return undefined;
    letters.splice(at, 0, code);
    at += 1;
  }
  return String.fromCodePoint(...letters);
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) left = Math.floor(left / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}

/** `a` to `z` count 0 to 25, `0` to `9` count 26 to 35. A URL's host is in lower case. */
function digitOf(code: number): number | undefined {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : undefined;
}
