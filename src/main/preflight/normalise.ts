import { foldLookAlikes } from '../display/index.ts';
import { withoutComments } from './comments.ts';
import type { CommentKind } from './comments.ts';

/** Everything but printable ASCII and the white space of every day. */
export const UNCOMMON = /[\x00-\x08\v\f\x0e-\x1f\x7f-\uffff]/;
/** What takes no room or has no business inside a word: controls, format characters, fillers, variation selectors, tags, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;
/** Controls that are white space: they part words, so they are not unseen. Tabs and line breaks stay what they are. */
const KEPT = /[\t\n\r]/;
const BLANK = /[\v\f\x1c-\x1f\x85]/;
const MARKS = /\p{M}+/gu;
/** Look-alikes of a capital I that may be meant as a small L. */
const UPRIGHT = /[\u0399\u0406\u04c0\u2c92\u2d4f\u16c1\ua4f2\u01c0\u05c0]/;

/** What becomes of one character: as it reads, and as it looks. */
interface Fate {
  readonly plain: string;
  readonly folded: string;
}

/**
 * The text as it reads: compatibility forms made plain (NFKC) and unseen characters taken out; then the same without accents and with look-alikes
 * folded to ASCII. Gives only texts that differ from the given one, the one that keeps most first.
 */
export function normalForms(text: string): readonly string[] {
  if (!UNCOMMON.test(text)) return [];
  const source = text.normalize('NFKC');
  const reads = rewritten(source, 'plain');
  const tall = UPRIGHT.test(reads) ? [foldAll(reads.replace(new RegExp(UPRIGHT, 'g'), 'l'))] : [];
  return others(text, [reads, rewritten(source, 'folded'), ...tall]);
}

/** The text with every character replaced by its fate. Characters in need of one are few in most texts; where they are not, see `densely`. */
function rewritten(source: string, which: 'plain' | 'folded'): string {
  const parts: string[] = [];
  let kept = 0;
  let looked = 0;
  for (let at = nextUncommon(source, 0); at < source.length; ) {
    const isPair = isPairAt(source, at);
    const fate = fateOf(source, at, isPair)[which];
    const end = at + (isPair ? 2 : 1);
    if (fate.length !== end - at || !source.startsWith(fate, at)) {
      parts.push(source.slice(kept, at), fate);
      kept = end;
    }
    looked += 1;
    if (looked >= MANY && looked * DENSE > end) return parts.join('') + densely(source, kept, which);
    at = nextUncommon(source, end);
  }
  return kept === 0 ? source : parts.join('') + source.slice(kept);
}

/** The same from an offset on, character by character. */
function densely(source: string, from: number, which: 'plain' | 'folded'): string {
  // Three units are the most that stand for one.
  const units = new Uint16Array((source.length - from) * MOST_UNITS);
  let length = 0;
  for (let at = from; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit >= 0x20 && unit < 0x7f) {
      units[length] = unit;
      length += 1;
      continue;
    }
    const isPair = isPairAt(source, at);
    const fate = fateOf(source, at, isPair)[which];
    for (let index = 0; index < fate.length; index += 1) units[length + index] = fate.charCodeAt(index);
    length += fate.length;
    if (isPair) at += 1;
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

const MOST_UNITS = 3;
/** From so many characters on, and one in so many, going through them one by one costs less than looking for them. */
const MANY = 256;
const DENSE = 12;
const NEXT_UNCOMMON = new RegExp(UNCOMMON, 'g');

function nextUncommon(source: string, from: number): number {
  NEXT_UNCOMMON.lastIndex = from;
  return NEXT_UNCOMMON.test(source) ? NEXT_UNCOMMON.lastIndex - 1 : source.length;
}

const isPairAt = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800 && isLow(text.charCodeAt(at + 1));

const fateOf = (text: string, at: number, isPair: boolean): Fate => (isPair ? fateOfPair(text.codePointAt(at) ?? 0) : (fates[text.charCodeAt(at)] ??= judge(text.charAt(at))));

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

const MOST_KEPT = 20_000;
const fates = new Array<Fate | undefined>(0x10000);
const fatesOfPairs = new Map<number, Fate>();

function fateOfPair(code: number): Fate {
  const known = fatesOfPairs.get(code);
  if (known !== undefined) return known;
  if (fatesOfPairs.size >= MOST_KEPT) fatesOfPairs.clear();
  const fate = judge(String.fromCodePoint(code));
  fatesOfPairs.set(code, fate);
  return fate;
}

function judge(char: string): Fate {
  if (KEPT.test(char)) return { plain: char, folded: char };
  if (BLANK.test(char)) return { plain: ' ', folded: ' ' };
  if (UNSEEN.test(char)) return { plain: '', folded: '' };
  const folded = foldAll(char);
  return { plain: char, folded: folded.length <= MOST_UNITS ? folded : char };
}

const foldAll = (text: string): string => foldLookAlikes(text.normalize('NFD').replace(MARKS, '').normalize('NFC'));

const MARKERS: readonly { readonly kind: CommentKind; readonly marker: RegExp }[] = [
  { kind: 'block', marker: /\/\*|<!--/ },
  { kind: 'dashes', marker: /--/ },
  { kind: 'hash', marker: /#/ },
  { kind: 'slashes', marker: /\/\// },
];
const COMMENT_SIGNS = /\/\*!?[0-9]*|\*\/|--|#|\/\//g;
const FIELD_SEPARATOR = /\$\{?IFS\}?/g;
/** A whole run of backslashes, so that none is looked at twice. */
const ESCAPED_SPACE = /\\+([nrtfv]?)/g;

/**
 * What an interpreter reads between the words: each run of white space as one blank, comments as a blank (each kind alone, since one may hide the
 * beginning of another, and all together), comments opened up (some are executed), a plus sign, an escaped line break or a shell's field separator
 * as a blank. All words of these texts are parts of words of the given one. Gives only texts that differ from it.
 */
export function spacings(text: string): readonly string[] {
  const broken = text.includes('\\') ? text.replace(ESCAPED_SPACE, (run, letter: string) => (letter === '' ? run : letter === 'n' || letter === 'r' ? '\n' : ' ')) : text;
  return others(text, broken === text ? spacingsOf(text) : [...spacingsOf(text), ...spacingsOf(broken)]);
}

function spacingsOf(text: string): readonly string[] {
  const forms = [collapsed(text)];
  const kinds = MARKERS.filter(({ marker }) => marker.test(text)).map(({ kind }) => kind);
  if (kinds.length > 0) {
    forms.push(collapsed(withoutComments(text, kinds, ' ')), collapsed(text.replace(COMMENT_SIGNS, ' ')));
    if (/['"]/.test(text)) forms.push(collapsed(withoutComments(text, kinds, ' ', 'kept')));
    if (kinds.length > 1) for (const kind of kinds) forms.push(collapsed(withoutComments(text, [kind], ' ')));
  }
  if (text.includes('$')) forms.push(collapsed(text.replace(FIELD_SEPARATOR, ' ')));
  if (text.includes('+')) forms.push(collapsed(text.replaceAll('+', ' ')));
  return forms;
}

/** What stands between the letters of a word that an interpreter puts together again, block comments apart. */
export const JOINTS = '\'"`\\\\^\\s|+.,&';
const QUOTING = /['"`\\^]/g;
const SOME_QUOTING = new RegExp(QUOTING, '');
const CONCATENATION = /['"`]\s*(?:(?:\|\||[+.,&])\s*)?['"`]/g;

/** What an interpreter puts together: block comments taken out, a shell's quotes, backslashes and carets taken out, literals concatenated. Gives only texts that differ. */
export function joinings(text: string): readonly string[] {
  const forms = [text.replace(QUOTING, ''), text.replace(CONCATENATION, '')];
  if (hasBlockComment(text)) forms.push(withoutComments(text, ['block'], ''));
  return others(text, forms);
}

/** Without these and block comments there is nothing to be put together. */
export const hasQuoting = (text: string): boolean => SOME_QUOTING.test(text);
export const hasBlockComment = (text: string): boolean => text.includes('/*') || text.includes('<!--');

const collapsed = (text: string): string => (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text);

const others = (text: string, forms: readonly string[]): readonly string[] => forms.filter((form, index) => form !== text && forms.indexOf(form) === index);
