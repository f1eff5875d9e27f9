/**
 * Parts of a text by direction of writing. Shown each in isolation on a line that runs from left to right, they stand in the order in which they
 * are sent: without that, digits and signs between two right-to-left words change places, and two different values can look the same.
 */
export interface DirectionRun {
  readonly text: string;
  /** Holds right-to-left letters or Arabic digits, and nothing else but their marks and the spaces between them. */
  readonly rtl: boolean;
}

/** The ranges whose characters are right-to-left, or Arabic digits, by default (Unicode Bidirectional Algorithm, table of default classes). */
const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefe\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
const RUN = new RegExp(`[${RTL}][${RTL}\\p{M}]*(?: [${RTL}][${RTL}\\p{M}]*)*`, 'gu');
const ANY = new RegExp(`[${RTL}]`, 'u');

/** Joined, the runs are the text again. */
export function directionRuns(text: string): DirectionRun[] {
  if (!ANY.test(text)) return [{ text, rtl: false }];
  const runs: DirectionRun[] = [];
  let end = 0;
  for (const match of text.matchAll(RUN)) {
    if (match.index > end) runs.push({ text: text.slice(end, match.index), rtl: false });
    runs.push({ text: match[0], rtl: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) runs.push({ text: text.slice(end), rtl: false });
  return runs;
}
