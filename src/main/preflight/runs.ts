const alphabet = (characters: string): Uint8Array => {
  const table = new Uint8Array(128);
  for (const char of characters) table[char.charCodeAt(0)] = 1;
  return table;
};

const DIGITS = '0123456789';
const KINDS = {
  base64: { table: alphabet(`${DIGITS}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/-_`), least: 16 },
  hex: { table: alphabet(`${DIGITS}abcdefABCDEF`), least: 8 },
} as const;

/** A line of encoded text is at least this long when its encoder broke it. */
const BROKEN_LINE = 40;

/**
 * The runs of characters that could be base64 (16 or more) or hexadecimal (8 or more), with the offset each begins at. Looks closely only where
 * every so-many-th character is of the alphabet; a run broken over lines is put together. Linear in the text.
 */
export function* runs(text: string, kind: keyof typeof KINDS): Generator<{ readonly run: string; readonly start: number }> {
  const { table, least } = KINDS[kind];
  const member = (index: number): boolean => table[text.charCodeAt(index)] === 1;
  const endFrom = (index: number): number => {
    let end = index;
    while (end < text.length && member(end)) end += 1;
    return end;
  };
  let floor = 0;
  for (let probe = least - 1; probe < text.length; ) {
    if (!member(probe)) {
      floor = probe + 1;
      probe += least;
      continue;
    }
    let start = probe;
    while (start > floor && member(start - 1)) start -= 1;
    let end = endFrom(probe + 1);
    if (end - start >= least) {
      let run = text.slice(start, end);
      for (let line = end - start; line >= BROKEN_LINE; ) {
        const next = text.startsWith('\r\n', end) ? end + 2 : end + 1;
        if (next >= text.length || (text[end] !== '\n' && next === end + 1) || !member(next)) break;
        end = endFrom(next);
        line = end - next;
        run += text.slice(next, end);
      }
      yield { run, start };
    }
    floor = end + 1;
    probe = end + least;
  }
}
