import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseText, piecesOf, renderText } from '../../src/main/display/index.ts';
import { text } from '../support/json/arbitrary.ts';

/** Strings of any code points of any plane, lone surrogates included. */
const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)), text());

describe('what is shown, over a hundred thousand texts', () => {
  it('can be read back, so that no two texts look the same', () => {
    fc.assert(fc.property(anything, (value) => parseText(renderText(piecesOf(value))) === value), { numRuns: 100_000 });
  });

  it('holds nothing unseen as it is', () => {
    const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;
    fc.assert(fc.property(anything, (value) => piecesOf(value).every(({ kind, text: part }) => kind !== 'text' || !unseen.test(part.replaceAll(' ', '')))), { numRuns: 50_000 });
  });

  it('differs for the normalisation forms of a text', () => {
    fc.assert(fc.property(anything, fc.constantFrom<'NFC' | 'NFD'>('NFC', 'NFD'), (value, form) => {
      const other = value.normalize(form);
      const bare = (written: string): string => piecesOf(written).map(({ kind, text: part }) => (kind === 'text' ? part.normalize('NFC') : `<${part}>`)).join('');
      expect(bare(other) === bare(value)).toBe(other === value);
    }), { numRuns: 50_000 });
  });
});
