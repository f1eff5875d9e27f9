import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { name, text } from '../../support/json/arbitrary.ts';
import { trappedAt } from '../../support/preflight/inspect.ts';

type Disguise = (written: string) => string;

/** Ways to write a text that leave its meaning to whoever decodes it; any may be put around any other. */
const ENCODINGS: readonly Disguise[] = [
  (written) => JSON.stringify(written),
  (written) => JSON.stringify({ a: 1, inner: [written] }),
  (written) => Array.from(Buffer.from(written), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  (written) => Buffer.from(` ${written} and more`).toString('base64'),
  (written) => Buffer.from(` ${written} and more`).toString('base64url'),
  (written) => Buffer.from(written).toString('hex'),
  (written) => Array.from(written, (char) => `&#${char.codePointAt(0)};`).join(''),
];

/** Ways to write words that a reader, or the program behind, takes for the same words. */
const SPELLINGS: readonly Disguise[] = [
  (written) => written.replace(/ /g, '\n\t'),
  (written) => written.replace(/ /g, '/* so */'),
  (written) => written.replace(/ /g, ' -- so\n'),
  (written) => written.replace(/ /g, '\u00a0'),
  (written) => written.replace(/[A-Z]/gi, '$&\u200b'),
  (written) => written.replace(/[A-Z]/gi, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)),
  (written) => written.replace(/[oO]/g, '\u043e').replace(/[aA]/g, '\u0430').replace(/[eE]/g, '\u0435'),
  (written) => written.replace(/[A-Z]/gi, '$&\u0301'),
  (written) => written.replace(/o/gi, "o''"),
  (written) => written.toLowerCase(),
];

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
