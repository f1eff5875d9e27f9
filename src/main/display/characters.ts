/** Short names of characters that cannot be seen, as far as they have one. */
const NAMES: ReadonlyMap<number, string> = new Map([
  ...['NUL', 'SOH', 'STX', 'ETX', 'EOT', 'ENQ', 'ACK', 'BEL', 'BS', 'TAB', 'LF', 'VT', 'FF', 'CR', 'SO', 'SI', 'DLE', 'DC1', 'DC2', 'DC3', 'DC4', 'NAK', 'SYN', 'ETB', 'CAN', 'EM', 'SUB', 'ESC', 'FS', 'GS', 'RS', 'US'].map(
    (name, code): [number, string] => [code, name],
  ),
  ...['NQSP', 'MQSP', 'ENSP', 'EMSP', '3/MSP', '4/MSP', '6/MSP', 'FSP', 'PSP', 'THSP', 'HSP', 'ZWSP', 'ZWNJ', 'ZWJ', 'LRM', 'RLM'].map((name, index): [number, string] => [0x2000 + index, name]),
  ...['LS', 'PS', 'LRE', 'RLE', 'PDF', 'LRO', 'RLO', 'NNBSP'].map((name, index): [number, string] => [0x2028 + index, name]),
  ...['MMSP', 'WJ', 'FUNCTION APPLICATION', 'INVISIBLE TIMES', 'INVISIBLE SEPARATOR', 'INVISIBLE PLUS'].map((name, index): [number, string] => [0x205f + index, name]),
  ...['LRI', 'RLI', 'FSI', 'PDI', 'ISS', 'ASS', 'IAFS', 'AAFS', 'NADS', 'NODS'].map((name, index): [number, string] => [0x2066 + index, name]),
  [0x20, 'SPACE'], [0x7f, 'DEL'], [0x85, 'NEL'], [0x90, 'DCS'], [0x9b, 'CSI'], [0x9c, 'ST'], [0x9d, 'OSC'], [0xa0, 'NBSP'], [0xad, 'SHY'], [0x34f, 'CGJ'], [0x61c, 'ALM'], [0x115f, 'HANGUL FILLER'], [0x1160, 'HANGUL FILLER'],
  [0x1680, 'OGHAM SPACE'], [0x17b4, 'KHMER INHERENT AQ'], [0x17b5, 'KHMER INHERENT AA'], [0x180e, 'MVS'], [0x2039, 'QUOTE'], [0x203a, 'QUOTE'], [0x2800, 'BRAILLE BLANK'], [0x3000, 'IDSP'], [0x3164, 'HANGUL FILLER'],
  [0xfeff, 'BOM'], [0xfff9, 'IAA'], [0xfffa, 'IAS'], [0xfffb, 'IAT'], [0xfffc, 'OBJ'], [0xffa0, 'HANGUL FILLER'], [0xe0001, 'LANGUAGE TAG'], [0xe007f, 'CANCEL TAG'],
]);

const SCRIPTS: readonly (readonly [name: string, test: RegExp])[] = (
  ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Hebrew', 'Arabic', 'Lisu', 'Thai', 'Devanagari', 'Bengali', 'Ethiopic', 'Tifinagh', 'Runic', 'Gothic', 'Deseret'] as const
).map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')]);

/** The script of a letter, by name, where it is one whose letters are taken for others. */
export const scriptOf = (char: string): string | undefined => SCRIPTS.find(([, test]) => test.test(char))?.[0];

const hex = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

/** What a chip says of a character that cannot be seen: `U+202E RLO`, or the number alone. */
export function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const name = NAMES.get(code) ?? variation(code) ?? tag(code);
  return name === undefined ? hex(code) : `${hex(code)} ${name}`;
}

/** What a chip says of a letter or sign that is taken for another: `U+0430 CYRILLIC like a`. */
export function likenessOf(char: string, like: string | undefined): string {
  const words = [hex(char.codePointAt(0) ?? 0), scriptOf(char)?.toUpperCase(), like === undefined ? undefined : `like ${like}`];
  return words.filter((word) => word !== undefined).join(' ');
}

/** What a chip says of a mark on the letter before. */
export const markOf = (char: string): string => `${hex(char.codePointAt(0) ?? 0)} MARK`;

const variation = (code: number): string | undefined => {
  if (code >= 0xfe00 && code <= 0xfe0f) return `VS${code - 0xfdff}`;
  return code >= 0xe0100 && code <= 0xe01ef ? `VS${code - 0xe00ef}` : undefined;
};
const tag = (code: number): string | undefined => (code > 0xe0020 && code < 0xe007f ? `TAG ${String.fromCharCode(code - 0xe0000)}` : undefined);
