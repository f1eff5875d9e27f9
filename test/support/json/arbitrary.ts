import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';

/** Any well-formed string, with a good share of what readers and eyes stumble over. */
export const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
    fc.array(fc.constantFrom('\u202e', '\u200b', '"', '\\', '\n', '\t', '\u0000', 'а', 'a', '‹', '›', 'U+202E RLO', '{', '}', ',', ':', '_meta', '\u{1f602}', 'e\u0301', '\ufeff'), { maxLength: 8 }).map((parts) => parts.join('')),
  ).filter((value) => !/[\ud800-\udfff]/u.test(value));

/** Names, integer-like and awkward ones included, but never `__proto__` or one with a NUL. */
export const name = (): fc.Arbitrary<string> =>
  fc.oneof(text(), fc.constantFrom('_meta', '_meta2', 'Z', 'name', 'arguments', 'progressToken', 'constructor', 'toString', '', ' a'), fc.nat(99).map(String)).filter((value) => value !== '__proto__' && !value.includes('\u0000'));

/** Numbers the strict reader lets through. */
export const number = (): fc.Arbitrary<number> =>
  fc.oneof(fc.maxSafeInteger(), fc.nat(1000), fc.double({ min: -1e15, max: 1e15, noNaN: true })).map((value) => (value === 0 ? 0 : value));

/** Any JSON value the strict reader lets through. */
export const jsonValue = (): fc.Arbitrary<JsonValue> =>
  fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.oneof(fc.constantFrom(null, true, false), number(), text()), fc.array(tie('value'), { maxLength: 4 }), tie('object')),
    object: fc.dictionary(name(), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  })).value;

export const jsonObject = (): fc.Arbitrary<JsonObject> => fc.dictionary(name(), jsonValue(), { maxKeys: 5, noNullPrototype: true });
