import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { name, text } from '../../support/json/arbitrary.ts';
import { ENCODINGS, SPELLINGS } from '../../support/preflight/disguises.ts';
import { trappedAt } from '../../support/preflight/inspect.ts';

const payload = 'DROP TABLE users';
const around = fc.tuple(text(), text()).map(([before, after]) => [before.replace(/['"`\\/*#%&<>-]|\p{M}/gu, ''), after.replace(/^[\p{L}\p{M}\p{N}]+/u, '')] as const);

/** A value with the given text somewhere inside. */
const holding = (written: string): fc.Arbitrary<JsonValue> =>
  fc.tuple(fc.array(fc.oneof(fc.constant('list'), name()), { maxLength: 3 }), name()).map(([way, key]) =>
    way.reduce<JsonValue>((inside, step) => (step === 'list' ? ['first', inside, 3] : { other: true, [step]: inside }), { [key]: written }));

describe('the guard never passes what matches in some view', () => {
  it('a text as it stands, anywhere in the arguments, among anything', () => {
    fc.assert(fc.property(around.chain(([before, after]) => holding(`${before}${payload}${after}`)), (args) => {
      expect(trappedAt('drop\\s+table', args)).toBeDefined();
    }), { numRuns: 300 });
  });

  it('as a member name', () => {
    fc.assert(fc.property(text(), text(), (before, after) => {
      expect(trappedAt('drop\\s+table', { a: { [`${before}${payload}${after}`]: 1 } })).toBeDefined();
    }), { numRuns: 200 });
  });

  it('in any spelling inside up to three encodings', () => {
    const disguise = fc.tuple(fc.constantFrom(...SPELLINGS), fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 3 }));
    fc.assert(fc.property(disguise.chain(([spell, encodings]) => holding(encodings.reduce((written, encode) => encode(written), spell(payload)))), (args) => {
      expect(trappedAt('drop\\s+table', args)).toBeDefined();
    }), { numRuns: 600 });
  });

  it('cut into the elements of a list', () => {
    fc.assert(fc.property(fc.array(fc.nat(payload.length), { maxLength: 5 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), payload.length];
      const parts = at.slice(1).map((end, index) => payload.slice(at[index], end));
      expect(trappedAt('drop\\s+table', { parts })).toBeDefined();
    }), { numRuns: 200 });
  });
});
