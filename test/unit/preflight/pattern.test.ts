import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/main/preflight/index.ts';
import type { CompiledPattern } from '../../../src/main/preflight/index.ts';
import { requiredWords } from '../../../src/main/preflight/fragments.ts';
import { joinings, spacings } from '../../../src/main/preflight/normalise.ts';
import type { Toll } from '../../../src/main/preflight/pattern.ts';
import { disguised, sample, words } from '../../support/preflight/patterns.ts';

const compiled = (text: string): CompiledPattern => {
  const result = compilePattern(text);
  if (!result.ok) throw new Error(result.at);
  return result.value;
};
const free: Toll = Object.assign((): void => undefined, { timed: (run: () => boolean) => run() });

/** The words of each way, a class in brackets, a word that ends there with a `>`. */
const ways = (text: string): readonly string[] | undefined =>
  requiredWords(text)?.map((way) => way.map(({ units, ends }) => units.map((unit) => (unit.length === 1 ? unit : `[${unit}]`)).join('') + (ends ? '>' : '')).join(' & '));

describe('the words a pattern needs', () => {
  it.each([
    ['DROP|TRUNCATE|DELETE', ['drop', 'truncate', 'delete']],
    ['drop\\s+table|rm\\s+-rf|\\bdelete\\b|/etc/passwd', ['table & drop>', '-rf & rm>', 'delete>', '/etc/passwd']],
    ['prod_secrets|\\.env', ['prod_secrets', '.env']],
    ['DROP TABLE', ['table & drop>']],
    ['(?-i)DROP', ['drop']],
    ['(?i)dr(?-i)op', ['drop']],
    ['(?i:abc)d?e+fg', ['abc & efg']],
    ['a(?:bcd|efg)h', ['abcdh', 'aefgh']],
    ['\\b(?:rm|dd|mkfs)\\b', ['rm>', 'dd>', 'mkfs']],
    ['rm\\W|of\\z|as$', ['rm>', 'of>', 'as>']],
    ['rm\\B|of\\b-|at\\b*', ['rm', 'of-', 'at']],
    ['ab{2,}cd*ef', ['abb & ef']],
    ['ab{3}c|x{0}yz', ['abbbc', 'yz']],
    ['(ab)+cd|x(ab)+cd', ['abcd', 'xab & cd']],
    ['(foo){0,3}bar', ['bar']],
    ['(?:ab|cd){2}ef', ['abef', 'cdef']],
    ['gh[pousr]_', ['gh[oprsu]_']],
    ['AKIA[0-9]{2}', ['akia[0123456789][0123456789]']],
    ['\\d{4}-\\d{4}', ['[0123456789][0123456789][0123456789][0123456789]-[0123456789][0123456789][0123456789][0123456789]']],
    ['[0-9]{40}', [Array.from({ length: 16 }, () => '[0123456789]').join('')]],
    ['x\\w{3}', undefined],
    ['curl [^|]{0,200}\\| *sh', ['curl> & sh & |']],
    ['-----BEGIN [A-Z ]*PRIVATE KEY-----', ['-----begin> & key----- & private>']],
    ['ignore (?:all )?previous instructions', ['instructions & previous> & ignore>']],
    ['rm\\s+-[a-z]*r[a-z]*f', ['rm> & -']],
    ['\\.\\./\\.\\./', ['../../']],
    ['[[:alpha:]\\]x]drop[^]a]', ['drop']],
    ['[+-[:]of[#-&]', ['[+,-./0123456789:;<=>?@[abcdefghijklmnopqrstuvwxyz]of[#$%&]']],
    ['[]-]x|[^]]of', ['[-]]x', 'of']],
    ['[\\x41-\\x{5a}\\pL\\p{Greek}]of|\\p{L}at|\\x{41}in|\\101on', ['of', 'at', 'in', 'on']],
    ['x{drop}|y{02}', ['x{drop}', 'y{02}']],
    ['drab?c|dr(?:ab)?ef', ['dra', 'dr & ef']],
    ['dra{0}bc', ['dr & bc']],
    ['cafés', ['caf']],
  ])('of %s are known', (pattern, expected) => {
    expect(ways(pattern)).toEqual(expected);
  });

  it.each(['.*', 'a|b', 'drop|', '[a-z]+', 'drop|[a-z]{16}', 'drop?|\\w', '\\Qdrop\\E', 'ab(?i)*cd', '(abc)*', 'удалить', '(?:drop|)', Array.from({ length: 65 }, (_, index) => `no${index}`).join('|')])('of %s are not known', (pattern) => {
    expect(ways(pattern)).toBeUndefined();
  });

  it('are the more telling where combining them would make too many', () => {
    const letters = '(?:aa|bb|cc|dd|ee|ff|gg|hh|ii)';
    expect(ways(`${letters}${letters}`)).toHaveLength(9);
    expect(ways(`${letters}_secret_${letters}`)?.[0]).toBe('aa_secret_');
  });
});

const cases = sample.chain(({ pattern, text }) => fc.tuple(fc.constant(pattern), disguised(text), fc.array(words, { maxLength: 5 })));

describe('a compiled pattern', () => {
  it('finds what the engine finds, and nothing else', () => {
    fc.assert(fc.property(cases, ([text, where]) => {
      const result = compilePattern(text);
      if (!result.ok) return;
      const engine = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
      const found = engine.matcher(where).find();
      expect(engine.test(where)).toBe(found);
      expect(result.value.hits(where, free)).toBe(found);
      const span = result.value.find(where);
      expect(span === undefined).toBe(!found);
      if (span !== undefined) expect(span.start <= span.end && span.end <= where.length).toBe(true);
    }), { numRuns: 600 });
  });

  it('takes a letter for another of the same case-folding, whatever the words it needs', () => {
    expect(compiled('ok').hits('o\u212a', free)).toBe(true);
    expect(compiled('pass').hits('pa\u017fs', free)).toBe(true);
  });

  it.each([
    ['ok\\b', 'o\u212ax'],
    ['rm\\b', 'rm\u212a'],
    ['xy(ab)+cd', 'xyababcd'],
    ['drop[a ]', 'dropa'],
    ['ab(?i)*cd', 'acd'],
    ['[+-[:]of', 'Aof'],
    ['of{02}', 'of{02}'],
  ])('%s: %j is not ruled out by a word it does not need', (text, where) => {
    expect(RE2JS.compile(text, RE2JS.CASE_INSENSITIVE).test(where)).toBe(true);
    expect(compiled(text).hits(where, free)).toBe(true);
  });

  it('stays linear where its words hold what may stand between letters', () => {
    const { mayJoin } = compiled('dd\\.\\.\\.xx|a\\+\\+b|[0-9]{16}[a-z]').words;
    const began = process.cpuUsage().user;
    expect(mayJoin(`d${'.'.repeat(200_000)}`)).toBe(false);
    expect(mayJoin('1234567890123451'.repeat(6_000))).toBe(true);
    expect(mayJoin("123456789012345'".repeat(6_000))).toBe(true);
    expect(mayJoin('123456789012345x'.repeat(6_000))).toBe(false);
    expect(process.cpuUsage().user - began).toBeLessThan(500_000);
  });

  it('never rules out by its words, alone or together, a text that matches in some spacing or joining', () => {
    fc.assert(fc.property(cases, ([text, where, others]) => {
      const result = compilePattern(text);
      if (!result.ok) return;
      const { reads, readsLines, words: { mayHit, mayJoin, behindEscape, plain } } = result.value;
      const lines = [...others, where].join('\n');
      if (reads(where, free)) expect([mayHit([where]), mayHit([lines]), readsLines?.(lines, free) ?? true]).toEqual([true, true, true]);
      for (const form of spacings(where)) if (reads(form, free)) expect(mayHit([where])).toBe(true);
      if (!where.includes('/*')) for (const form of joinings(where)) for (const spaced of [form, ...spacings(form)]) if (reads(spaced, free)) expect(mayJoin(where)).toBe(true);
      const json = JSON.stringify({ [where]: others });
      if (plain && reads(json, free)) expect(mayHit(['{', ...others, where, '}']) || behindEscape(json)).toBe(true);
    }), { numRuns: 1_200 });
  });

  it('is refused by reason, never with what it says', () => {
    for (const [text, at] of [['', 'it is empty'], ['a(?=secret)', 'lookaround is not available'], ['(secret)\\1', 'backreferences are not available'], ['secret)', /unexpected \)/], ['a{9999}', /repeat/], ['x'.repeat(2_001), 'it is longer than 2000 characters'], ['a{1000}b{1000}c{1000}d{1000}', 'it is too large when its repetitions are written out']] as const) {
      const result = compilePattern(text);
      expect(result).toMatchObject({ ok: false, code: 'invalid-pattern', at: typeof at === 'string' ? at : expect.stringMatching(at) as string });
      expect(JSON.stringify(result)).not.toContain('secret');
    }
  });
});
