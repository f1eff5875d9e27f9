import { likenessOf, markOf, nameOf, scriptOf } from './characters.ts';
import { lookAlikeOf } from './look-alikes.ts';

/** A character that is shown as a chip: where it stands (UTF-16 offset), its length, and what the chip says. */
export interface Chip {
  readonly at: number;
  readonly length: number;
  readonly label: string;
}

export interface Found {
  /** By offset, none overlapping. */
  readonly chips: readonly Chip[];
  /** What to tell the human beside the value, in short words. */
  readonly warnings: readonly string[];
}

/** All that is not plainly visible. U+2039 and U+203A enclose a chip in the text form, so they may not stand there themselves. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u2039\u203a]/gu;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;
const CONTROL = /[^\P{Cc}\t\n\r]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** A mark on nothing, or three and more on one letter. */
const LOOSE_MARKS = /(?<![\p{L}\p{N}\p{M}\p{S}\p{P}])\p{M}+|\p{M}{3,}/gu;
/** What can be composed with the character before it: marks, and the vowels and finals of Hangul. */
const COMPOSING = /[^\p{M}\u1160-\u11ff\ud7b0-\ud7ff]?[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]+/gu;
const COMPOSED = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]/u;
/** Compatibility forms nobody takes for another: raised digits, fractions, the ellipsis and the trade mark. */
const DISTINCT = /[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u2026\u2122]/;

/** Signs that are taken for an ASCII sign. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ...Array.from('\u02d7\u2010\u2011\u2012\u2043\u2212\u06d4', (char): [string, string] => [char, '-']),
  ...Array.from('\u2044\u2215\u29f8\u2571\u27cb', (char): [string, string] => [char, '/']),
  ...Array.from('\u2216\u29f5\u27cd', (char): [string, string] => [char, '\\']),
  ...Array.from('\u0589\u05c3\u02d0\u2236\ua789', (char): [string, string] => [char, ':']),
  ...Array.from('\u02b9\u02ba\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u2032\u055a\ua78c', (char): [string, string] => [char, "'"]),
  ...Array.from('\u01c0\u2223\u23d0\u05c0', (char): [string, string] => [char, '|']),
  ['\u2024', '.'], ['\u0701', '.'], ['\ua4f8', '.'], ['\ua4fa', '..'], ['\u02cd', '_'], ['\u2217', '*'], ['\u223c', '~'], ['\u02c2', '<'], ['\u02c3', '>'], ['\ua4ff', '='], ['\u01c3', '!'], ['\u0294', '?'], ['\u201a', ','],
]);
const ANY_SIGN = new RegExp(`[${[...SIGNS.keys()].join('')}]`, 'gu');

const TOKEN = /[\p{L}\p{N}\p{M}_]+/gu;
/** A run that may be a host name, when it has a dot inside. One class only: finding it is linear. */
const HOST = /[\p{L}\p{N}\p{M}.-]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts that are written together with Latin, and cannot be taken for it. */
const BESIDE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]/u;
const LETTER = /[\p{L}\p{Nd}\p{Nl}]/u;
/** Latin letters of phonetic alphabets and small capitals, which no ordinary word is written with. */
const PHONETIC = /[\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f]/;

/** Finds every character of a text that needs a chip, and why. Line breaks are not among them: they are pieces of their own. */
export function findChips(text: string): Found {
  if (PLAIN.test(text) && !text.endsWith(' ')) return { chips: [], warnings: [] };
  const labels = new Map<number, { readonly label: string; readonly length: number }>();
  const warnings = new Set<string>();
  const put = (at: number, char: string, label: string): void => {
    if (!labels.has(at)) labels.set(at, { label, length: char.length });
  };

  findEndSpaces(text, put);
  findUnseen(text, put, warnings);
  if (/[^\x00-\x7f]/.test(text)) {
    findMarks(text, put, warnings);
    findCompatible(text, put, warnings);
    findForeign(text, put, warnings);
  }
  const chips = [...labels].map(([at, { label, length }]) => ({ at, label, length })).sort((a, b) => a.at - b.at);
  return { chips, warnings: [...warnings] };
}

type Put = (at: number, char: string, label: string) => void;

/** Spaces that nothing follows in their line: nobody sees whether they are there. */
function findEndSpaces(text: string, put: Put): void {
  for (let line = 0; line <= text.length; ) {
    const next = text.indexOf('\n', line);
    const end = next < 0 ? text.length : next;
    for (let at = end - 1; at >= line && text[at] === ' '; at -= 1) put(at, ' ', nameOf(' '));
    line = end + 1;
  }
}

function findUnseen(text: string, put: Put, warnings: Set<string>): void {
  for (const { 0: char, index } of text.matchAll(UNSEEN)) if (char !== ' ' && char !== '\n') put(index, char, nameOf(char));
  if (DIRECTION.test(text)) warnings.add('characters that turn the direction of writing');
  if (INVISIBLE.test(text.replace(new RegExp(DIRECTION, 'g'), ''))) warnings.add('invisible characters');
  if (CONTROL.test(text)) warnings.add('control characters');
  if (/[^\P{Z} ]/u.test(text)) warnings.add('unusual spaces');
}

function findMarks(text: string, put: Put, warnings: Set<string>): void {
  for (const { 0: run, index } of text.matchAll(LOOSE_MARKS)) {
    each(run, index, (char, at) => put(at, char, markOf(char)));
    warnings.add('stacked or loose marks');
  }
  if (text.normalize('NFC') === text) return;
  for (const { 0: segment, index } of text.matchAll(COMPOSING)) {
    if (segment.normalize('NFC') !== segment) each(segment, index, (char, at) => COMPOSED.test(char) && put(at, char, markOf(char)));
  }
  each(text, 0, (char, at) => char.normalize('NFC') !== char && put(at, char, likenessOf(char, char.normalize('NFC'))));
  warnings.add('letters not in their usual form');
}

function findCompatible(text: string, put: Put, warnings: Set<string>): void {
  for (const { 0: sign, index } of text.matchAll(ANY_SIGN)) {
    put(index, sign, likenessOf(sign, SIGNS.get(sign)));
    warnings.add('look-alike signs');
  }
  if (text.normalize('NFKC') === text) return;
  each(text, 0, (char, at) => {
    if (char < '\u0080' || DISTINCT.test(char)) return;
    const plain = char.normalize('NFKC');
    if (plain === char) return;
    put(at, char, likenessOf(char, /^[\x21-\x7e]+$/.test(plain) ? plain : undefined));
    warnings.add('letters not in their usual form');
  });
}

/** Letters of another script that pass for Latin ones: in a word with Latin letters, or a whole word of them where nothing else is of that script. */
function findForeign(text: string, put: Put, warnings: Set<string>): void {
  const plainScripts = new Set<string>();
  const lone: { readonly token: string; readonly index: number }[] = [];
  const chip = (token: string, index: number, which: (char: string) => boolean): boolean => {
    let any = false;
    each(token, index, (char, at) => {
      if (!which(char)) return;
      put(at, char, likenessOf(char, lookAlikeOf(char)));
      any = true;
    });
    return any;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (PLAIN.test(token)) continue;
    if (LATIN.test(token)) {
      if (chip(token, index, isForeign)) warnings.add('letters of different scripts in one word');
      if (chip(token, index, (char) => PHONETIC.test(char) && lookAlikeOf(char) !== undefined)) warnings.add('look-alike letters');
      continue;
    }
    const letters = Array.from(token).filter(isForeign);
    if (letters.length > 0 && letters.every((char) => lookAlikeOf(char) !== undefined)) lone.push({ token, index });
    else for (const char of letters) if (lookAlikeOf(char) === undefined) plainScripts.add(scriptOf(char) ?? '');
  }
  for (const { token, index } of lone) {
    if (chip(token, index, (char) => isForeign(char) && !plainScripts.has(scriptOf(char) ?? ''))) warnings.add('look-alike letters');
  }
  for (const { 0: host, index } of text.matchAll(HOST)) if (!PLAIN.test(host) && /[^.]\.+[^.]/.test(host)) warnAboutHost(host, index, chip, warnings);
}

function warnAboutHost(host: string, index: number, chip: (token: string, index: number, which: (char: string) => boolean) => boolean, warnings: Set<string>): void {
  const labels = host.split('.');
  const mixed = LATIN.test(host) && labels.some((label) => !PLAIN.test(label) && Array.from(label).every((char) => !isForeign(char) || lookAlikeOf(char) !== undefined));
  if (!mixed) return;
  chip(host, index, (char) => char > '\u007f' && lookAlikeOf(char) !== undefined);
  const ascii = asciiHost(host);
  if (ascii !== undefined) warnings.add(`as a host name this is ${ascii}`);
}

const LONGEST_HOST = 253;

/** The host name as it is looked up, in ASCII (punycode), where the text is one. */
function asciiHost(host: string): string | undefined {
  if (host.length > LONGEST_HOST) return undefined;
  const address = `https://${host.replace(/^[.-]+|[.-]+$/g, '')}/`;
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}

const isForeign = (char: string): boolean => char > '\u007f' && LETTER.test(char) && !LATIN.test(char) && !BESIDE.test(char);

/** Calls for each character (code point) with its offset. */
function each(text: string, from: number, call: (char: string, at: number) => unknown): void {
  let at = from;
  for (const char of text) {
    call(char, at);
    at += char.length;
  }
}
