import { createScanner, GAP, WORD } from './syntax.ts';
import type { Repeat, Token } from './syntax.ts';

/** Characters that stand side by side, each one out of a unit's (see `Token`). No unit has white space. */
export interface Word {
  readonly units: readonly string[];
  /** No letter, digit or underscore follows. */
  readonly ends: boolean;
}

/** Words a text must all hold to match in one way; the most telling first. */
export type Way = readonly Word[];

/**
 * The words a text must hold to match a pattern at all, so that a text without them need not be searched: every match holds all words of at least one
 * of the ways (compared without case). There is nothing to give (undefined) where the pattern asks for no such word, or uses syntax this reader
 * does not follow. Expects a pattern RE2 has accepted.
 */
export function requiredWords(pattern: string): readonly Way[] | undefined {
  const scanner = createScanner(pattern);
  const ways = alternation(scanner).map(tellingWords);
  if (scanner.isLost() || !scanner.ended() || ways.some((words) => words.length === 0)) return undefined;
  return [...new Map(ways.map((words) => [JSON.stringify(words), words])).values()];
}

/** How many ways are told apart. */
const MOST = 64;
/** How many places of a way are looked at, how many units a word has, and how many words a way. */
const MOST_TOKENS = 256;
const MOST_UNITS = 16;
const MOST_WORDS = 4;
/** Bits of surprise below which a word is too common to be looked for. */
const TELLING = 5;

type Scanner = ReturnType<typeof createScanner>;
type Tokens = readonly Token[];

function alternation(scanner: Scanner): readonly Tokens[] {
  const ways: Tokens[] = [];
  do ways.push(...concatenation(scanner)); while (scanner.takes('|'));
  return ways.length > MOST ? [[GAP]] : ways;
}

function concatenation(scanner: Scanner): readonly Tokens[] {
  let ways: readonly Tokens[] = [[]];
  while (!scanner.atEnd()) {
    const group = scanner.group();
    if (group === 'flags') continue;
    const part = group === 'group' ? alternation(scanner) : [scanner.single()];
    if (group === 'group' && !scanner.takes(')')) scanner.lose();
    ways = joined(ways, repeated(part, scanner.repeat()));
  }
  return ways;
}

/** What must stand there of a part that is repeated. Where there is a choice, no more than the first or the last of it is known. */
function repeated(part: readonly Tokens[], { least, fixed }: Repeat): readonly Tokens[] {
  if (least === 0) return [[GAP]];
  if (least === 1 && fixed) return part;
  return part.map((tokens) => {
    if (tokens.length === 0 || !tokens.every((token) => 'unit' in token)) return [...tokens, GAP];
    const times = part.length > 1 ? 1 : Math.max(1, Math.min(least, Math.floor(MOST_UNITS / tokens.length)));
    const units = Array.from({ length: times }, () => tokens).flat();
    return fixed && times === least ? units : [...units, { more: units.length }];
  });
}

/** One after the other, in every combination; where these are too many, the more telling of the two. */
function joined(left: readonly Tokens[], right: readonly Tokens[]): readonly Tokens[] {
  if (left.length * right.length <= MOST) return left.flatMap((before) => (before.length < MOST_TOKENS ? right.map((after) => [...before, ...after]) : [open(before)]));
  return surpriseOfAll(left) >= surpriseOfAll(right) ? left.map(open) : right.map((after) => [GAP, ...after]);
}

const open = (tokens: Tokens): Tokens => (tokens.at(-1) === GAP ? tokens : [...tokens, GAP]);

const surpriseOfAll = (ways: readonly Tokens[]): number => Math.min(...ways.map((tokens) => Math.max(0, ...wordsOf(tokens).map(surprise))));

const tellingWords = (tokens: Tokens): Way => {
  const words = wordsOf(tokens).filter(telling).sort((a, b) => surprise(b) - surprise(a));
  return [...new Map(words.map((word) => [JSON.stringify(word), word])).values()].slice(0, MOST_WORDS);
};

function wordsOf(tokens: Tokens): readonly Word[] {
  const words: Word[] = [];
  let units: string[] = [];
  let atEdge = false;
  const flush = (ends: boolean): void => {
    if (units.length > 0) words.push({ units, ends });
    units = [];
  };
  for (const token of tokens) {
    if ('unit' in token) {
      if (units.length === MOST_UNITS) flush(false);
      units.push(token.unit);
      atEdge = false;
    } else if ('more' in token) {
      // The last of them may begin a word, the first of them may end one.
      if (units.length !== token.more) flush(false);
    } else if (token.mark === 'edge') atEdge = true;
    else flush(token.mark === 'stop' || (atEdge && endsAtEdge(units)));
  }
  flush(atEdge && endsAtEdge(units));
  return words;
}

/** Behind a letter that has a form beyond ASCII (Kelvin sign, long s), the boundary of a word may be its beginning. */
const endsAtEdge = (units: readonly string[]): boolean => {
  const last = units.at(-1) ?? '';
  return Array.from(last).every((char) => WORD.test(char)) && !/[ks]/.test(last);
};

/** How rare a word is in ordinary text, in bits, roughly. */
const surprise = ({ units, ends }: Word): number => units.reduce((bits, unit) => bits + surpriseOf(unit), ends ? 1 : 0);

export const telling = (word: Word): boolean => surprise(word) >= TELLING;

const surpriseOf = (unit: string): number => Math.max(0, -Math.log2(Array.from(unit, (char) => (/[a-z]/.test(char) ? 1 / 26 : /\d/.test(char) ? 1 / 400 : 1 / 200)).reduce((a, b) => a + b)));
