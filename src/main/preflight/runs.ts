const alphabet = (characters: string): Uint8Array => {
  const table = new Uint8Array(0x10000);
  for (const char of characters) table[char.charCodeAt(0)] = 1;
  return table;
};

const DIGITS = '0123456789';
const SPACE = '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const KINDS = {
  base64: { table: alphabet(`${DIGITS}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/-_`), least: 16 },
  hex: { table: alphabet(`${DIGITS}abcdefABCDEF`), least: 8 },
  /** Bytes in hexadecimal, four at least, with something between them. */
  pairs: { table: alphabet(`${DIGITS}abcdefABCDEFxX:,-${SPACE}`), least: 11 },
} as const;

/** Four bytes in hexadecimal, one by one. */
export const FOUR_BYTES = /[0-9a-f]{2}(?:[\s:,-]{1,2}(?:0x)?[0-9a-f]{2}){3}/i;

/** A line of encoded text is at least this long when its encoder broke it. */
const BROKEN_LINE = 40;

export interface Run {
  readonly run: string;
  /** The offset it begins at. */
  readonly start: number;
}

type Runs = Readonly<Record<keyof typeof KINDS, readonly Run[]>>;
const NONE: Runs = { base64: [], hex: [], pairs: [] };

/**
 * The runs of characters that could be base64 (16 or more), hexadecimal (8 or more) or bytes in hexadecimal, one by one (11 or more); a run broken
 * over lines is put together. Looks at one character in so many where those it looks at are of no alphabet. Linear in the text.
 */
export function runs(text: string): Runs {
  if (text.length < KINDS.hex.least) return NONE;
  const units = unitsOf(text);
  return { base64: runsOf(text, units, KINDS.base64), hex: runsOf(text, units, KINDS.hex), pairs: runsOf(text, units, KINDS.pairs) };
}

function runsOf(text: string, units: Uint16Array, { table, least }: (typeof KINDS)[keyof typeof KINDS]): readonly Run[] {
  const found: Run[] = [];
  const { length } = text;
  const isIn = (at: number): boolean => table[units[at] as number] === 1;
  let start = 0;
  while (start + least <= length) {
    let at = start + least - 1;
    while (at >= start && isIn(at)) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + least;
    while (end < length && isIn(end)) end += 1;
    const whole = overLines(text, start, end, table);
    found.push({ run: whole.run, start });
    start = whole.end + 1;
  }
  return found;
}

/** So few characters are copied sooner than a buffer is asked to. */
const SHORT = 64;
/** Most texts fit; one that does not has its own. */
const scratch = Buffer.alloc(262_144);
const scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset, scratch.length / 2);

/** The text's UTF-16 units, good until the next call. A text itself is read much slower one by one. */
function unitsOf(text: string): Uint16Array {
  if (text.length <= SHORT) {
    for (let at = 0; at < text.length; at += 1) scratchUnits[at] = text.charCodeAt(at);
    return scratchUnits;
  }
  if (text.length <= scratchUnits.length) {
    scratch.write(text, 'utf16le');
    return scratchUnits;
  }
  const own = Buffer.from(text, 'utf16le');
  return new Uint16Array(own.buffer, own.byteOffset, text.length);
}

/** A run with the lines that continue it, and where the last of them ends. */
function overLines(text: string, start: number, firstEnd: number, table: Uint8Array): { readonly run: string; readonly end: number } {
  let end = firstEnd;
  let run = text.slice(start, end);
  for (let line = end - start; line >= BROKEN_LINE; ) {
    const next = text.startsWith('\r\n', end) ? end + 2 : text.charCodeAt(end) === 0x0a ? end + 1 : end;
    if (next === end || table[text.charCodeAt(next)] !== 1) break;
    end = next;
    while (end < text.length && table[text.charCodeAt(end)] === 1) end += 1;
    line = end - next;
    run += text.slice(next, end);
  }
  return { run, end };
}
