import { requiredWords, telling } from './fragments.ts';
import type { Way, Word } from './fragments.ts';
import { JOINTS } from './normalise.ts';

/** Says whether a text holds what the test of this number looks for. */
export type Holds = (test: number, text: string) => boolean;

/** What can be said of texts by the words a pattern needs, without searching. Each answer takes time linear in the text. */
export interface Words {
  readonly holds: Holds;
  /**
   * False only when these texts, and any text with the same words between other white space, cannot match; nor can any text put together of them
   * in which no word of the pattern lies across a seam. `holds` may be one that remembers.
   */
  mayHit(texts: readonly string[], holds?: Holds): boolean;
  /** False only when no text got from this one by taking joints out of its words (see `JOINTS`) can match. */
  mayJoin(text: string): boolean;
  /** Whether some word of the pattern may begin in an escape of this JSON text. */
  behindEscape(json: string): boolean;
  /** How long a word is at most. */
  readonly longest: number;
  /** No word holds a sign of JSON's own, so that in a JSON text one can only stand inside of a name or a value. */
  readonly plain: boolean;
  /** Every word lies within one name or one value of `path=value`: none can hold a sign that joins them, or be a place in a list. */
  readonly pieced: boolean;
}

/** Of a pattern that needs no word, nothing can be said. */
const WORDLESS: Words = { holds: () => true, mayHit: () => true, mayJoin: () => true, behindEscape: () => true, longest: 0, plain: false, pieced: false };

export function wordsOf(pattern: string): Words {
  const ways = requiredWords(pattern);
  if (ways === undefined) return WORDLESS;
  const all = ways.flat();
  const single = ways.filter((way) => way.length === 1);
  const tests: RegExp[] = [];
  const added = (words: readonly Word[]): number => tests.push(new RegExp(words.map((word) => written(word)).join('|'))) - 1;
  /** The most telling word of each way. */
  const first = added(ways.flatMap((way) => way.slice(0, 1)));
  const needed = ways.length === single.length ? [[first]] : [
    ...(single.length === 0 ? [] : [[added(single.flat())]]),
    ...ways.filter((way) => way.length > 1).map((way) => way.map((word) => added([word]))),
  ];
  const joined = ways.map((way) => way.flatMap(pieces).map((piece) => new RegExp(written(piece, `[${JOINTS}]*`))));
  const escaped = new RegExp(`\\\\(?:u[0-9a-f]{0,3})?(?:${all.map((word) => written(word)).join('|')})`);
  const held: Holds = (test, text) => tests[test]?.test(text) ?? true;
  return {
    holds: held,
    mayHit: (texts, holds = held) => inSome(first, texts, holds) && needed.some((way) => way.every((test) => inSome(test, texts, holds))),
    mayJoin: (text) => joined.some((way) => way.every((piece) => piece.test(text))),
    behindEscape: (json) => json.includes('\\') && escaped.test(json),
    longest: Math.max(...all.map(({ units }) => units.length)),
    plain: all.every(({ units }) => !/[{}[\],:"\\]/.test(units.join(''))),
    pieced: all.every(({ units }) => !/[=.[\]]/.test(units.join('')) && !(units.length <= PLACE_DIGITS && units.every((unit) => /\d/.test(unit)))),
  };
}

const inSome = (test: number, texts: readonly string[], holds: Holds): boolean => {
  for (const text of texts) if (holds(test, text)) return true;
  return false;
};

/** No list has a place with more digits. */
const PLACE_DIGITS = 10;

const JOINT = new RegExp(`[${JOINTS}]`);
const ALL_JOINTS = new RegExp(`^[${JOINTS}]+$`);

/** The parts of a word that hold no joint, so that there is one way only to read a text by them. */
function pieces({ units, ends }: Word): Way {
  const found: Word[] = [];
  let from = 0;
  units.forEach((unit, index) => {
    if (!JOINT.test(unit)) return;
    // No joint is a letter, a digit or an underscore.
    found.push({ units: units.slice(from, index), ends: ALL_JOINTS.test(unit) });
    from = index + 1;
  });
  return [...found, { units: units.slice(from), ends }].filter((piece) => piece.units.length > 0 && telling(piece));
}

/** A word as a pattern for JavaScript. Both cases are written out, since its own ignoring of case would take letters beyond ASCII in the end of a word. */
const written = ({ units, ends }: Word, between = ''): string => units.map(unitWritten).join(between) + (ends ? '(?![0-9A-Za-z_])' : '');

const unitWritten = (unit: string): string => {
  const chars = Array.from(unit, (char) => {
    if (char === 'k') return 'kK\u212a';
    if (char === 's') return 'sS\u017f';
    return /[a-z]/.test(char) ? char + char.toUpperCase() : /[0-9_]/.test(char) ? char : `\\${char}`;
  }).join('');
  return `[${chars}]`;
};
