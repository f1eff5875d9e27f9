import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, NotCanonical, sha256Hex } from '../../../src/main/canonical/index.ts';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { documents, numbers } from '../../fixtures/jcs/vectors.ts';
import { jsonValue } from '../../support/json/arbitrary.ts';

const double = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE();

describe('canonical text', () => {
  it.each(documents)('gives the published bytes for the document $name', ({ input, bytes }) => {
    expect(Buffer.from(canonicalText(JSON.parse(input) as JsonValue)).toString('hex')).toBe(bytes);
  });

  it.each(numbers)('writes the double %s as %s', (bits, text) => {
    if (text === null) expect(() => canonicalText(double(bits))).toThrow(NotCanonical);
    else expect(canonicalText(double(bits))).toBe(text);
  });

  it('sorts names by UTF-16 code units, integer-like ones too', () => {
    expect(canonicalText({ '10': 1, '9': 2, '\ufb33': 3, '\u{1f602}': 4, a: 5 })).toBe('{"10":1,"9":2,"a":5,"\u{1f602}":4,"\ufb33":3}');
  });

  it('has no text for what is not JSON, and says where', () => {
    const wrong = [{ a: ['x', '\ud800'] }, { '\udc00': 1 }, { a: undefined }, [() => 1], Symbol('x'), 1n] as unknown as JsonValue[];
    for (const value of wrong) expect(() => canonicalText(value)).toThrow(NotCanonical);
    expect(() => canonicalText({ a: ['x', '\ud800'] })).toThrow('a[1]');
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => canonicalText(cycle as unknown as JsonValue)).toThrow(NotCanonical);
  });

  it('is read back as the same value, and is its own canonical text', () => {
    fc.assert(fc.property(jsonValue(), (value) => {
      const text = canonicalText(value);
      const back = JSON.parse(text) as JsonValue;
      expect(back).toEqual(value);
      expect(canonicalText(back)).toBe(text);
    }));
  });

  it('is the same for two values exactly when they are equal', () => {
    const pair = jsonValue().chain((a) => fc.tuple(fc.constant(a), fc.oneof(fc.constant(structuredClone(a)), jsonValue())));
    fc.assert(fc.property(pair, ([a, b]) => {
      let equal = true;
      try {
        expect(b).toEqual(a);
      } catch {
        equal = false;
      }
      expect(canonicalText(a) === canonicalText(b)).toBe(equal);
    }));
  });

  it('hashes the UTF-8 bytes of a text', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256Hex('ö')).not.toBe(sha256Hex('o\u0308'));
  });
});
