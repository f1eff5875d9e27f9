import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { wordsOf } from './words.ts';
import type { Words } from './words.ts';
import { crosses } from './written.ts';

/** What an inspection pays with its time; throws when it has to end. */
export interface Toll {
  /** Paid between the parts of the work, with the number of characters that come next. */
  (characters: number): void;
  /** Runs the engine over a part of a long text. What the operator's pattern costs is bounded by itself. */
  timed(run: () => boolean): boolean;
}

/** An operator's pattern, ready to search with. Case does not count unless it begins `(?-i)`; searching takes time linear in the text. */
export interface CompiledPattern {
  readonly text: string;
  /** Whether the text matches anywhere. */
  hits(text: string, toll: Toll): boolean;
  /** The same, for a text that may match by its words. */
  reads(text: string, toll: Toll): boolean;
  /** False only when none of the texts matches: they come in one, a line break after each. Undefined where that cannot be told together. */
  readonly readsLines: ((lines: string, toll: Toll) => boolean) | undefined;
  /** Where the first match stands, in UTF-16 offsets. */
  find(text: string): { readonly start: number; readonly end: number } | undefined;
  /** The words it needs. */
  readonly words: Words;
  /** Whether a match may reach from one member into another. */
  readonly crosses: boolean;
}

export const PATTERN_LIMITS = { characters: 2_000, instructions: 3_000 } as const;

/** From here on a text is tried in growing parts first, so that a slow search ends soon after its time is over. */
const LONG = 65_536;
const FIRST_PART = 16_384;

/**
 * Makes a pattern ready, or refuses it with `invalid-pattern` and the reason: it is empty, too long, too large when its repetitions are written
 * out, needs lookaround or a backreference (no linear-time engine has them), or is not a pattern.
 */
export function compilePattern(text: string): Result<CompiledPattern> {
  if (text === '') return refused('invalid-pattern', 'it is empty');
  if (text.length > PATTERN_LIMITS.characters) return refused('invalid-pattern', `it is longer than ${PATTERN_LIMITS.characters} characters`);
  let exact: RE2JS;
  let byLine: RE2JS;
  try {
    exact = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
    byLine = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
  } catch (fault) {
    if (fault instanceof RE2JSException) return refused('invalid-pattern', reasonOf(fault, text));
    throw fault;
  }
  if (exact.programSize() > PATTERN_LIMITS.instructions) return refused('invalid-pattern', 'it is too large when its repetitions are written out');

  const words = wordsOf(text);
  const separable = !/\\[AzQ]|\(\?[^)P<:]*m/.test(text);
  return ok({
    text,
    words,
    crosses: crosses(text),
    hits: (where, toll) => words.mayHit([where]) && search(exact, where, toll),
    reads: (where, toll) => search(exact, where, toll),
    readsLines: separable ? (lines, toll) => search(byLine, lines, toll) : undefined,
    find: (where) => {
      const matcher = exact.matcher(where);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  });
}

function search(engine: RE2JS, text: string, toll: Toll): boolean {
  if (text.length > LONG) {
    for (let part = FIRST_PART; part < text.length; part *= 4) {
      toll.timed(() => engine.test(text.slice(0, part)));
    }
    return toll.timed(() => engine.test(text));
  }
  return engine.test(text);
}

function reasonOf(fault: RE2JSException, pattern: string): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'lookaround is not available';
  if (/\\[1-9]|\\k|\(\?P=/.test(pattern)) return 'backreferences are not available';
  return fault instanceof RE2JSSyntaxException ? fault.error : 'it is not a pattern';
}
