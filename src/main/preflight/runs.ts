const alphabet = (characters: string): Uint8Array => {
  const table = new Uint8Array(128);
  for (const char of characters) table[char.charCodeAt(0)] = 1;
  return table;
};

const DIGITS = '0123456789';
const KINDS = {
  base64: { table: alphabet(`${DIGITS}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/-_`), least: 16 },
  hex: { table: alphabet(`${DIGITS}abcdefABCDEF`), least: 8 },
  /** Bytes in hexadecimal, four at least, with something between them. */
  pairs: { table: alphabet(`${DIGITS}abcdefABCDEFxX :,-\t\n\r\v\f`), least: 11 },
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

/**
 * The runs of characters that could be base64 (16 or more), hexadecimal (8 or more) or bytes in hexadecimal, one by one (11 or more). Looks closely only where every so-many-th character is of
 * the alphabet; a run broken over lines is put together. Linear in the text.
 */
export function runs(text: string, kind: keyof typeof KINDS): readonly Run[] {
  const { table, least } = KINDS[kind];
  const found: Run[] = [];
  const { length } = text;
  let floor = 0;
  for (let probe = least - 1; probe < length; probe = floor + least - 1) {
    if (table[text.charCodeAt(probe)] !== 1) {
      floor = probe + 1;
      continue;
    }
    let start = probe;
    while (start > floor && table[text.charCodeAt(start - 1)] === 1) start -= 1;
    let end = probe + 1;
    while (end < length && table[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= least) {
      const whole = overLines(text, start, end, table);
      found.push({ run: whole.run, start });
      end = whole.end;
    }
    floor = end + 1;
  }
  return found;
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
