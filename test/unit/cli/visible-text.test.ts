import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { facts, table } from '../../../src/main/cli/table.ts';
import { columnsOf, printedJson, visible, visibleHead } from '../../../src/main/cli/visible-text.ts';
import { howLong } from '../../../src/main/cli/words.ts';

/** What must never reach a terminal raw: everything but printable characters and the plain space. */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;
const anyText = fc.string({ unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom('\\', 'u', '{', '}', '2', 'e', '\u202e', '\u001b', '\n', '\ud800')) });

describe('visible text', () => {
  it.each([
    ['\u001b[2J', '\\u{1b}[2J'], ['a\r\nb', 'a\\u{d}\\u{a}b'], ['\u202egpj', '\\u{202e}gpj'], ['a\u200bb\u2060\ufeff', 'a\\u{200b}b\\u{2060}\\u{feff}'],
    ['\u00a0', '\\u{a0}'], ['\u{e0041}', '\\u{e0041}'], ['\ud800', '\\u{d800}'], ['\ufe0f', '\\u{fe0f}'], ['naïve 漢字 🙂', 'naïve 漢字 🙂'], ['C:\\users', 'C:\\users'], ['\\u{41}', '\\u{5c}u{41}'],
  ])('%j becomes %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('holds nothing a terminal could obey, for any text', () => {
    fc.assert(fc.property(anyText, (text) => !UNSEEN.test(visible(text))), { numRuns: 2_000 });
  });

  it('never makes two texts look the same', () => {
    const back = (shown: string): string => shown.replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
    fc.assert(fc.property(anyText, (text) => back(visible(text)) === text), { numRuns: 2_000 });
  });

  it('is cut at whole characters, and says by how much', () => {
    expect(visibleHead('🙂🙂🙂', 2)).toBe('🙂🙂… (+1 characters)');
    expect(visibleHead('ab', 2)).toBe('ab');
  });
});

describe('printed JSON', () => {
  it('is the same value, with nothing a terminal could obey', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const printed = printedJson({ value, [text]: text });
        expect(UNSEEN.test(printed.replaceAll('\n', ''))).toBe(false);
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify({ value, [text]: text })));
        expect(printedJson({ value, [text]: text }, 'one')).not.toContain('\n');
      }),
    );
  });
});

describe('a table', () => {
  it('aligns by the columns a terminal gives, and ends no line in blanks', () => {
    expect(table(['A', 'BB'], [['漢字', 'x'], ['e\u0301', ''], ['long', 'y']])).toBe('A     BB\n漢字  x\ne\u0301\nlong  y');
    expect(columnsOf('🙂a')).toBe(3);
  });

  it('keeps one row on one line, whatever its cells hold', () => {
    fc.assert(fc.property(fc.array(fc.tuple(anyText, anyText)), (rows) => table(['A', 'B'], rows).split('\n').length === rows.length + 1));
    expect(facts([['Name', 'a\nb']])).toBe('Name  a\\u{a}b');
  });
});

describe('a duration', () => {
  it.each([[0, 'now'], [-5_000, 'now'], [499, 'now'], [5_000, '5 s'], [590_000, '9 min 50 s'], [600_000, '10 min'], [11_520_000, '3 h 12 min'], [90_061_000, '1 d 1 h'], [86_461_000, '1 d']])('of %d ms is told as %s', (ms, words) => {
    expect(howLong(ms)).toBe(words);
  });
});
