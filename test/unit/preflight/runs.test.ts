import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../../src/main/preflight/comments.ts';
import { notable } from '../../../src/main/preflight/notable.ts';
import { runs } from '../../../src/main/preflight/runs.ts';

describe('runs of encoded characters', () => {
  it.each([['base64', /[A-Za-z0-9+/_-]{16,}/g], ['hex', /[0-9a-fA-F]{8,}/g]] as const)('%s: all that are long enough, and no other', (kind, expected) => {
    const part = fc.tuple(fc.constantFrom('a', 'F', '0'), fc.nat(20), fc.constantFrom(' ', '.', ';', 'é', '!')).map(([char, count, gap]) => char.repeat(count) + gap);
    fc.assert(fc.property(fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')), (text) => {
      expect(runs(text)[kind]).toEqual(Array.from(text.matchAll(expected), (match) => ({ run: match[0], start: match.index })));
    }), { numRuns: 500 });
  });

  it('are found wherever a long text, which is read in parts, has them', () => {
    const kinds = [['base64', 'Q', /[A-Za-z0-9+/_-]{16,}/g], ['hex', 'f', /[0-9a-fA-F]{8,}/g]] as const;
    fc.assert(fc.property(fc.constantFrom(...kinds), fc.integer({ min: -40, max: 40 }), fc.integer({ min: 6, max: 60 }), fc.nat(2), ([kind, char, expected], shift, count, parts) => {
      const text = `${'. '.repeat(65_536 * (parts + 1)).slice(0, 131_072 * (parts + 1) + shift)}${char.repeat(count)}${'. '.repeat(70_000)}${char.repeat(count)}`;
      expect(runs(text)[kind]).toEqual(Array.from(text.matchAll(expected), (match) => ({ run: match[0], start: match.index })));
    }), { numRuns: 60 });
    expect(runs(`! ${'Q'.repeat(300_000)}`).base64).toEqual([{ run: 'Q'.repeat(300_000), start: 2 }]);
  });

  it('are put together over the lines their encoder broke', () => {
    const line = 'QUJD'.repeat(15);
    expect(runs(`x: ${line}\r\n${line}\nQUJD. ${line}`).base64).toEqual([{ run: `${line}${line}QUJD`, start: 3 }, { run: line, start: 132 }]);
    expect(runs('QUJDQUJDQUJDQUJD\nQUJD').base64).toEqual([{ run: 'QUJDQUJDQUJDQUJD', start: 0 }]);
  });
});

describe('texts with another view', () => {
  it('are found among many, by index', () => {
    const texts = ['plain words', '', 'a@b.c', "it's", 'one-two', 'a--b', '1 < 2', '<!x', 'http://x', '7 %', 'é', 'a'.repeat(16), '12 ab 34 ', 'deadbeef', '{}', 'x'];
    expect(notable(texts, texts.join('\n'))).toEqual([3, 5, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(notable([], '')).toEqual([]);
  });
});

describe('comments', () => {
  it.each([
    ['a/* x */b', ['block'], 'a b'],
    ['a/* x', ['block'], 'a/* x'],
    ['a -- x\nb', ['dashes'], 'a  b'],
    ['a -- x', ['dashes'], 'a -- x'],
    ['a # x\nb -- y\nc', ['hash'], 'a  b -- y\nc'],
    ['a<!-- x -->b', ['block'], 'a b'],
    ['/* -- */ x', ['dashes'], '/* -- */ x'],
  ] as const)('%j without %j', (text, kinds, expected) => {
    expect(withoutComments(text, kinds, ' ')).toBe(expected);
  });

  it('do not begin between quotes where quotes are kept', () => {
    expect(withoutComments("'#' a # b\nc", ['hash'], ' ', 'kept')).toBe("'#' a  c");
    expect(withoutComments("'#' a # b\nc", ['hash'], ' ')).toBe("' c");
  });
});
