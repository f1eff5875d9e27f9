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
  const isWhole = text.length <= WINDOW;
  if (isWhole) load(text);
  return { base64: runsOf(text, KINDS.base64, isWhole), hex: runsOf(text, KINDS.hex, isWhole), pairs: runsOf(text, KINDS.pairs, isWhole) };
}

/** `isLoaded`: the whole text stands in `units`; else it is brought there in parts. */
function runsOf(text: string, { table, least }: (typeof KINDS)[keyof typeof KINDS], isLoaded: boolean): readonly Run[] {
  const found: Run[] = [];
  const { length } = text;
  let start = 0;
  while (start + least <= length) {
    const from = isLoaded ? 0 : start;
    const to = Math.min(from + WINDOW, length);
    if (!isLoaded) load(text.slice(from, to));
    const isIn = (at: number): boolean => table[units[at - from] as number] === 1;
    while (start + least <= to) {
      let at = start + least - 1;
      while (at >= start && isIn(at)) at -= 1;
      if (at >= start) {
        start = at + 1;
        continue;
      }
      let end = start + least;
      while (end < to && isIn(end)) end += 1;
      if (end === to) while (end < length && table[text.charCodeAt(end)] === 1) end += 1;
      const whole = overLines(text, start, end, table);
      found.push({ run: whole.run, start });
      start = whole.end + 1;
    }
  }
  return found;
}

/** So few characters are copied sooner than a buffer is asked to. */
const SHORT = 64;
/** So many units are read at once. */
const WINDOW = 131_072;
const scratch = Buffer.alloc(WINDOW * 2);
/** UTF-16 units of a text, good until the next `load`. A text itself is read much slower one by one. */
const units = new Uint16Array(scratch.buffer, scratch.byteOffset, WINDOW);

function load(text: string): void {
  if (text.length > SHORT) scratch.write(text, 'utf16le');
  else for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
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
