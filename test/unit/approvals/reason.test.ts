import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanReason } from '../../../src/main/approvals/reason.ts';

test.each([
  [null, null],
  ['', null],
  [' \n\t ', null],
  ['\u200b\u2060\u00ad', null],
  ['no', 'no'],
  ['  two\r\nlines\tand  more ', 'two lines and more'],
  ['abc\u202edef\u2066', 'abcdef'],
  ['a\u0000b\u001b[31mc\u0085d', 'ab[31mc d'],
  ['naïve 日本 👍', 'naïve 日本 👍'],
])('%j is kept as %j', (given, kept) => {
  expect(cleanReason(given)).toBe(kept);
});

test('500 characters are kept, and none of them is cut in half', () => {
  const kept = cleanReason('👍'.repeat(600)) ?? '';
  expect(Array.from(kept)).toHaveLength(500);
  expect(kept).not.toMatch(/\p{Cs}/u);
});

test('what is kept holds nothing unseen, has no blank at its ends, and is clean already', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (given) => {
      const kept = cleanReason(given);
      if (kept === null) return;
      expect(kept).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(kept).toBe(kept.trim());
      expect(Array.from(kept).length).toBeLessThanOrEqual(500);
      expect(cleanReason(kept)).toBe(kept);
    }),
    { numRuns: 2_000 },
  );
});
