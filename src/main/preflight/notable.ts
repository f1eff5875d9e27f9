import { FOUR_BYTES, runs } from './runs.ts';

/** Each finds a sign that a text has another view: quoting, escapes, the beginning of JSON, anything beyond printable ASCII; comments. */
const SIGNS: readonly RegExp[] = [
  /["'`\\^%&#+${[\x00-\x08\v\f\x0e-\x1f\x7f-\uffff]/g,
  /--|\/[/*]|<!/g,
];

/**
 * The texts that have a view other than themselves, by index. `sheet` is all of them, a line break between two. Most texts of most requests have
 * none.
 */
export function notable(texts: readonly string[], sheet: string): readonly number[] {
  const found = new Set<number>();
  const noting = (): ((offset: number) => number) => {
    let index = 0;
    let begin = 0;
    /** Notes the text an offset of the sheet lies in, and gives the offset of the next text. Offsets come in rising order. */
    return (offset) => {
      for (; index < texts.length; index += 1) {
        const end = begin + (texts[index] ?? '').length + 1;
        if (offset < end) {
          found.add(index);
          return end;
        }
        begin = end;
      }
      return sheet.length;
    };
  };
  for (const sign of SIGNS) {
    const note = noting();
    sign.lastIndex = 0;
    for (let match = sign.exec(sheet); match !== null; match = sign.exec(sheet)) sign.lastIndex = note(match.index);
    if (found.size === texts.length) return [...found].sort(ascending);
  }
  const { base64, hex, pairs } = runs(sheet);
  for (const kind of [base64, hex]) {
    const note = noting();
    for (const { start } of kind) note(start);
  }
  const note = noting();
  for (const { run, start } of pairs) {
    // One run may go over many texts.
    let from = start;
    for (let at = run.search(FOUR_BYTES); at >= 0; at = run.slice(from - start).search(FOUR_BYTES)) {
      from = note(from + at);
      if (from >= start + run.length) break;
    }
  }
  return [...found].sort(ascending);
}

const ascending = (a: number, b: number): number => a - b;
