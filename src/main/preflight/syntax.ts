/** One place of a text that matches. */
export type Token =
  /** One character out of these: printable ASCII, letters small whatever their case. */
  | { readonly unit: string }
  /** The `units` before may stand there again, any number of times. */
  | { readonly more: number }
  /** `gap`: anything, or nothing. `edge`: a boundary of a word, of no width. `stop`: the end of the text, or a character no word is made of. */
  | { readonly mark: 'gap' | 'edge' | 'stop' };

export const GAP: Token = { mark: 'gap' };
const EDGE: Token = { mark: 'edge' };
const STOP: Token = { mark: 'stop' };

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
export const WORD = /^[0-9a-z_]$/;
const CLASSES: ReadonlyMap<string, string> = new Map([['\\d', DIGITS], ['\\w', `${DIGITS}_${LETTERS}`], ['\\s', '\t\n\f\r ']]);
/** Characters by their escapes; all of them part words. */
const CONTROLS: ReadonlyMap<string, string> = new Map([['\\a', '\x07'], ['\\f', '\f'], ['\\n', '\n'], ['\\r', '\r'], ['\\t', '\t'], ['\\v', '\v']]);

const CHARACTER = /\\(?:[pP](?:\{[^}]*\}|[^])|x(?:\{[^}]*\}|[^]{2})|[0-7]{1,3}|[^])|[^]/uy;
const NAMED = /\[:\^?[a-z]+:\]/y;
const REPEAT = /(?:[*+?]|\{(0|[1-9]\d*)(,(?:0|[1-9]\d*)?)?\})\??/y;
const GROUP = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]))?/y;

/** How often what stands before must occur at least, and whether that is how often it must occur. */
export interface Repeat {
  readonly least: number;
  readonly fixed: boolean;
}

/** Reads a pattern RE2 has accepted, piece by piece. What it does not follow is a gap where its end is known, and makes it `lost` where it is not. */
export function createScanner(pattern: string) {
  let at = 0;
  let lost = false;

  const take = (what: RegExp): RegExpExecArray | null => {
    what.lastIndex = at;
    const found = what.exec(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };

  const takes = (char: string): boolean => {
    if (pattern[at] !== char) return false;
    at += 1;
    return true;
  };

  const lose = (): void => {
    lost = true;
  };

  /** What one character, escape or class of the pattern stands for; no group. */
  const single = (): readonly Token[] => {
    if (takes('[')) return [tokenOf(inClass())];
    const read = take(CHARACTER)?.[0] ?? '';
    if (read === '^' || read === '\\A' || read === '\\B') return [];
    if (read === '\\b') return [EDGE];
    if (read === '$' || read === '\\z' || read === '\\W') return [STOP];
    if (read === '\\Q') lost = true;
    return [tokenOf(read === '.' ? undefined : CLASSES.get(read) ?? characterOf(read))];
  };

  /** The characters of a class, from behind its bracket; undefined where they are not known. */
  const inClass = (): string | undefined => {
    let known = !takes('^');
    let chars = '';
    for (let first = true; (first || pattern[at] !== ']') && at < pattern.length; first = false) {
      const read = (take(NAMED) ?? take(CHARACTER))?.[0] ?? '';
      const listed = CLASSES.get(read);
      const low = characterOf(read);
      // A class by its name begins no range.
      const isRange = listed === undefined && !/^\[:|^\\[pPDSW]/.test(read) && pattern[at] === '-' && pattern[at + 1] !== ']' && takes('-');
      const high = isRange ? characterOf(take(CHARACTER)?.[0] ?? '') : low;
      if (listed !== undefined) chars += listed;
      else if (low === undefined || high === undefined) known = false;
      else chars += between(low, high);
    }
    if (!takes(']')) lost = true;
    return known ? chars : undefined;
  };

  const repeat = (): Repeat => {
    const found = take(REPEAT);
    if (found === null) return { least: 1, fixed: true };
    const [sign, count, upwards] = found;
    if (count !== undefined) return { least: Number(count), fixed: upwards === undefined };
    return { least: sign.startsWith('+') ? 1 : 0, fixed: false };
  };

  /** Whether a group begins here, with something in it or only to set flags; its beginning is read then. */
  const group = (): 'none' | 'flags' | 'group' => {
    const opening = take(GROUP)?.[0];
    if (opening === undefined) return 'none';
    if (opening === '(' && pattern[at] === '?') lost = true;
    if (!opening.endsWith(')')) return 'group';
    // The repeat would be that of what stands before the flags.
    if (/[*+?{]/.test(pattern[at] ?? '')) lost = true;
    return 'flags';
  };

  const ended = (): boolean => at >= pattern.length || lost;
  return { single, repeat, group, takes, lose, ended, atEnd: (): boolean => pattern[at] === '|' || pattern[at] === ')' || ended(), isLost: (): boolean => lost };
}

/** The character a piece of a pattern stands for, if it is ASCII and easily known. */
function characterOf(read: string): string | undefined {
  if (read.length === 1) return read <= '\x7f' ? read : undefined;
  return CONTROLS.get(read) ?? (/^\\[!-/:-@[-`{-~]$/.test(read) ? read.charAt(1) : undefined);
}

const between = (low: string, high: string): string => {
  let chars = '';
  for (let code = low.charCodeAt(0); code <= high.charCodeAt(0); code += 1) chars += String.fromCharCode(code);
  return chars;
};

/** White space may be other white space, or none, in the text a view was made of. */
function tokenOf(chars: string | undefined): Token {
  if (chars === undefined) return GAP;
  const distinct = [...new Set(chars.toLowerCase())].sort();
  if (distinct.every((char) => char > ' ' && char < '\x7f')) return { unit: distinct.join('') };
  return distinct.some((char) => WORD.test(char)) ? GAP : STOP;
}
