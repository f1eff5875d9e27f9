import { visible, visibleJson } from '../../shared/visible-text.ts';

export { visible };

/** As `visible`, in at most `limit` characters of the text; what is left off is counted. */
export function visibleHead(text: string, limit: number): string {
  const characters = Array.from(text);
  if (characters.length <= limit) return visible(text);
  return `${visible(characters.slice(0, limit).join(''))}… (+${characters.length - limit} characters)`;
}

/** A value as JSON, safe on a terminal and the same to a parser; over several lines, or on one. */
export const printedJson = (value: unknown, lines: 'several' | 'one' = 'several'): string =>
  JSON.stringify(value, null, lines === 'one' ? 0 : 2).split('\n').map(visibleJson).join('\n');

/** Columns a text takes on a terminal: none for combining marks, two for the wide letters of East Asia and emoji. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{M}/u.test(character) ? 0 : isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  return columns;
}

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f], [0x2e80, 0x303e], [0x3041, 0xa4cf], [0xac00, 0xd7a3], [0xf900, 0xfaff], [0xfe30, 0xfe6f], [0xff00, 0xff60], [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f], [0x1f680, 0x1f6ff], [0x1f900, 0x1faff], [0x20000, 0x3fffd],
];
const isWide = (code: number): boolean => WIDE.some(([from, to]) => code >= from && code <= to);
