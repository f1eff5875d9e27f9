import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/main/preflight/index.ts';
import type { CompiledPattern } from '../../../src/main/preflight/index.ts';
import { requiredFragments } from '../../../src/main/preflight/fragments.ts';
import { joinings, spacings } from '../../../src/main/preflight/normalise.ts';

const compiled = (text: string): CompiledPattern => {
  const result = compilePattern(text);
  if (!result.ok) throw new Error(result.at);
  return result.value;
};
const free = (): void => undefined;

describe('the words a pattern needs', () => {
  it.each([
    ['DROP|TRUNCATE|DELETE', ['drop', 'truncate', 'delete']],
    ['drop\\s+table|rm\\s+-rf|\\bdelete\\b|/etc/passwd', ['table', '-rf', 'delete', '/etc/passwd']],
    ['prod_secrets|\\.env', ['prod_secrets', '.env']],
    ['(?-i)DROP', ['drop']],
    ['(?i:abc)d?e+f', ['abc']],
    ['a(?:bcd|efg)h', ['bcd', 'efg']],
    ['ab{2,}cd*ef', ['ab']],
    ['(foo){0,3}bar', ['bar']],
    ['[[:alpha:]\\]x]drop[^]a]', ['drop']],
    ['x{drop}', ['x{drop}']],
    ['drab?c', ['dra']],
    ['dr(?:ab)?ef', ['dr']],
    ['dra{0}bc', ['dr']],
    ['DROP TABLE', ['table']],
  ])('%s', (pattern, fragments) => {
    expect(requiredFragments(pattern)).toEqual(fragments);
  });

  it.each(['.*', 'a|b', 'drop|', '[a-z]+', 'drop|[0-9]{16}', 'drop?|\\d', '\\Qdrop\\E', '\\x41bc', '\\p{L}abc', '(abc)*', 'удалить'])('are not known of %s', (pattern) => {
    expect(requiredFragments(pattern)).toBeUndefined();
  });
});

const atom = fc.constantFrom('a', 'b', 'k', 's', 'dr', 'op', 'k', '-', '/', '\\.', '.', '\\s', '\\b', '\\B', '^', '$', '[ab]', '[^a]', '[]a]', '\\w', '=', '"', ' ', 'é');
const sign = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,1}', '{1,}', '+?', '*?');
const pattern = fc.letrec<{ pattern: string; group: string }>((tie) => ({
  group: fc.oneof(
    { depthSize: 'small' },
    atom,
    fc.tuple(fc.constantFrom('(', '(?:', '(?i:', '(?-i:', '(?P<n>', '(?s:', '(?m:'), tie('pattern')).map(([open, inside]) => `${open}${inside})`),
  ),
  pattern: fc.array(fc.array(fc.tuple(tie('group'), sign).map(([what, how]) => what + how), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')), { minLength: 1, maxLength: 3 }).map((branches) => branches.join('|')),
})).pattern;
const words = fc.array(fc.constantFrom('a', 'b', 'k', 's', 'K', 'S', '\u212a', '\u017f', 'dr', 'op', 'DROP', '-', '/', '.', '=', '"', "'", ' ', '\n', '\\', '/*', '*/', '--', '#', 'é', '+', '$IFS'), { maxLength: 12 }).map((parts) => parts.join(''));

describe('a compiled pattern', () => {
  it('finds what the engine finds, and nothing else', () => {
    fc.assert(fc.property(pattern, words, (text, where) => {
      let engine: RE2JS;
      try {
        engine = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
      } catch {
        return;
      }
      const found = engine.matcher(where).find();
      expect(engine.test(where)).toBe(found);
      expect(compiled(text).hits(where, free)).toBe(found);
      const span = compiled(text).find(where);
      expect(span === undefined).toBe(!found);
      if (span !== undefined) expect(span.start <= span.end && span.end <= where.length).toBe(true);
    }), { numRuns: 600 });
  });

  it('takes a letter for another of the same case-folding, whatever the words it needs', () => {
    expect(compiled('ok').hits('o\u212a', free)).toBe(true);
    expect(compiled('pass').hits('pa\u017fs', free)).toBe(true);
  });

  it('stays linear where its words hold what may stand between letters', () => {
    const { mayJoin } = compiled('d\\.\\.\\.x|a\\+\\+b');
    const began = process.cpuUsage().user;
    expect(mayJoin(`d${'.'.repeat(200_000)}`)).toBe(true);
    expect(process.cpuUsage().user - began).toBeLessThan(500_000);
  });

  it('never rules out by its words, alone or together, a text that matches in some spacing or joining', () => {
    fc.assert(fc.property(pattern, fc.array(words, { minLength: 1, maxLength: 6 }), fc.nat(5), (text, many, which) => {
      const result = compilePattern(text);
      if (!result.ok) return;
      const { hits, mayHit, mayJoin, mayHitLines } = result.value;
      const where = many[which % many.length] ?? '';
      if (hits(where, free)) expect(mayHitLines?.(many.join('\n'), free) ?? true).toBe(true);
      for (const form of spacings(where)) if (hits(form, free)) expect(mayHit(where)).toBe(true);
      if (!where.includes('/*')) for (const form of joinings(where)) for (const spaced of [form, ...spacings(form)]) if (hits(spaced, free)) expect(mayJoin(where)).toBe(true);
    }), { numRuns: 800 });
  });

  it('is refused by reason, never with what it says', () => {
    for (const [text, at] of [['', 'it is empty'], ['a(?=secret)', 'lookaround is not available'], ['(secret)\\1', 'backreferences are not available'], ['secret)', /unexpected \)/], ['a{9999}', /repeat/], ['x'.repeat(2_001), 'it is longer than 2000 characters'], ['a{1000}b{1000}c{1000}d{1000}', 'it is too large when its repetitions are written out']] as const) {
      const result = compilePattern(text);
      expect(result).toMatchObject({ ok: false, code: 'invalid-pattern', at: typeof at === 'string' ? at : expect.stringMatching(at) as string });
      expect(JSON.stringify(result)).not.toContain('secret');
    }
  });
});
