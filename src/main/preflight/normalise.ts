import { foldLookAlikes } from '../display/index.ts';
import { withoutComments } from './comments.ts';
import type { CommentKind } from './comments.ts';

/** Everything but printable ASCII and the white space of every day. */
const UNCOMMON = /[^\t\n\r\x20-\x7e]/;
/** What takes no room or has no business inside a word: controls, format characters, fillers, variation selectors, tags, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu;
const BLANKS = /[\t\n\v\f\r\x1c-\x1f\x85]/g;
const MARKS = /\p{M}+/gu;
/** Look-alikes of a capital I that may be meant as a small L. */
const UPRIGHT = /[\u0399\u0406\u04c0\u2c92\u2d4f\u16c1\ua4f2|\u01c0\u05c0]/g;

/**
 * The text as it reads: compatibility forms made plain (NFKC) and unseen characters taken out; then the same without accents and with look-alikes
 * folded to ASCII. Gives only texts that differ from the given one.
 */
export function normalForms(text: string): readonly string[] {
  if (!UNCOMMON.test(text)) return [];
  // Line breaks and tabs are white space, not unseen: they become blanks.
  const plain = text.normalize('NFKC').replace(BLANKS, ' ').replace(UNSEEN, '');
  const bare = plain.normalize('NFD').replace(MARKS, '');
  const tall = bare.replace(UPRIGHT, 'l');
  return others(text, [plain, foldLookAlikes(bare), ...(tall === bare ? [] : [foldLookAlikes(tall)])]);
}

/** The kinds of comment that are taken out: each alone, since one may hide the beginning of another, and all together. */
const KINDS: readonly (readonly CommentKind[])[] = [['block', 'dashes', 'hash', 'slashes'], ['block'], ['dashes'], ['hash'], ['slashes']];
const COMMENT_SIGNS = /\/\*!?[0-9]*|\*\/|--|#|\/\//g;
const FIELD_SEPARATOR = /\$\{?IFS\}?/g;

/**
 * What an interpreter reads between the words: each run of white space as one blank, comments as a blank, comments opened up (some are executed),
 * a plus sign or a shell's field separator as a blank. All words of these texts are words of the given one. Gives only texts that differ from it.
 */
export function spacings(text: string): readonly string[] {
  const forms = [collapsed(text)];
  if (/\/\*|--|#|\/\/|<!/.test(text)) {
    for (const kinds of KINDS) forms.push(collapsed(withoutComments(text, kinds, ' ')));
    forms.push(collapsed(text.replace(COMMENT_SIGNS, ' ')));
  }
  if (text.includes('$')) forms.push(collapsed(text.replace(FIELD_SEPARATOR, ' ')));
  if (text.includes('+')) forms.push(collapsed(text.replaceAll('+', ' ')));
  return others(text, forms);
}

/** What stands between the letters of a word that an interpreter puts together again, block comments apart. */
export const JOINTS = '\'"`\\^\\s|+.,&';
const QUOTING = /['"`\\^]/g;
const CONCATENATION = /['"`]\s*(?:(?:\|\||[+.,&])\s*)?['"`]/g;

/** What an interpreter puts together: block comments taken out, a shell's quotes, backslashes and carets taken out, literals concatenated. Gives only texts that differ. */
export function joinings(text: string): readonly string[] {
  const forms = [text.replace(QUOTING, ''), text.replace(CONCATENATION, '')];
  if (hasBlockComment(text)) forms.push(withoutComments(text, ['block'], ''));
  return others(text, forms);
}

export const hasBlockComment = (text: string): boolean => text.includes('/*') || text.includes('<!--');

const collapsed = (text: string): string => (/\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ') : text);

const others = (text: string, forms: readonly string[]): readonly string[] => forms.filter((form, index) => form !== text && forms.indexOf(form) === index);
