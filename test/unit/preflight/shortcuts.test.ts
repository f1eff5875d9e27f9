import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { compilePattern } from '../../../src/main/preflight/index.ts';
import { requiredWords } from '../../../src/main/preflight/fragments.ts';
import { inspect, rule } from '../../support/preflight/inspect.ts';
import { ENCODINGS, SPELLINGS } from '../../support/preflight/disguises.ts';
import { disguised, sample, words } from '../../support/preflight/patterns.ts';

/** The same pattern with a branch that matches nothing and needs no word: nothing is ruled out by words, and no texts are tried together. It names no sign of JSON. */
const plodding = (pattern: string): string => `(${pattern})|\\A\\zx`;

const same = <T>(value: T): T => value;
const args: fc.Arbitrary<readonly [pattern: string, params: JsonObject]> = sample.chain(({ pattern, text }) =>
  fc.tuple(
    fc.constant(pattern),
    fc.tuple(disguised(text), fc.constantFrom(same, ...SPELLINGS), fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 2 })).map(([written, spell, encodings]) => encodings.reduce((inside, encode) => encode(inside), spell(written))),
    fc.array(words, { maxLength: 5 }),
    fc.nat(6),
    fc.nat(text.length),
  ).map(([rules, written, others, shape, cut]) => [rules, { name: 'echo', arguments: shaped(shape, written, others, cut) }] as const));

/** The text as a value, a name, an element, in two parts, in JSON, or alone among values that are short. */
function shaped(shape: number, written: string, others: readonly string[], cut: number): JsonObject {
  const among: JsonObject = Object.fromEntries(others.map((other, index) => [`k${index}`, other]));
  const value: JsonValue = [written, { [written]: 1 }, [...others, written], [written.slice(0, cut), written.slice(cut)], JSON.stringify({ a: [written] }), { [written.slice(0, cut)]: written.slice(cut) }, 12][shape] ?? null;
  return { ...among, text: value };
}

describe('what the guard does to be quick', () => {
  it('is left out where a pattern needs no word', () => {
    fc.assert(fc.property(sample, ({ pattern }) => {
      if (compilePattern(pattern).ok) expect(requiredWords(plodding(pattern))).toBeUndefined();
    }));
  });

  it('changes no verdict', () => {
    let [trapped, passed] = [0, 0];
    fc.assert(fc.property(args, ([pattern, params]) => {
      if (!compilePattern(pattern).ok || !compilePattern(plodding(pattern)).ok) return;
      const quick = inspect(rule(pattern), params).kind;
      if (quick === 'park') trapped += 1;
      else passed += 1;
      expect(quick).toBe(inspect(rule(plodding(pattern)), params).kind);
    }), { numRuns: 2_000 });
    expect(Math.min(trapped, passed)).toBeGreaterThan(50);
  });
});
