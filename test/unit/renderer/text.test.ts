import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { blocks } from '../../../src/renderer/ui/blocks.ts';
import { clockText } from '../../../src/renderer/ui/countdown.tsx';
import { directionRuns } from '../../../src/renderer/ui/directions.ts';
import { Path, Pieces, plain } from '../../../src/renderer/ui/pieces.tsx';
import type { Piece } from '../../../src/shared/contract/display.ts';
import { chip, lineBreak, text } from '../../support/approval-items.ts';

const anyPiece: fc.Arbitrary<Piece> = fc.record({ kind: fc.constantFrom('text', 'chip', 'break'), text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), marked: fc.boolean() });

describe('long text in blocks', () => {
  const others = (pieces: readonly Piece[]): readonly Piece[] => pieces.filter((piece) => piece.kind !== 'text');

  it('is the same text again when the blocks are joined', () => {
    fc.assert(fc.property(fc.array(anyPiece, { maxLength: 30 }), fc.integer({ min: 4, max: 40 }), (pieces, limit) => {
      const cut = blocks(pieces, limit).flat();
      expect(cut.map((piece) => piece.text).join('')).toBe(pieces.map((piece) => piece.text).join(''));
      expect(others(cut)).toEqual(others(pieces));
    }));
  });

  it('keeps to the limit, but for pieces that are longer by themselves and are no text', () => {
    fc.assert(fc.property(fc.array(anyPiece, { maxLength: 30 }), (pieces) => {
      for (const block of blocks(pieces, 50)) expect(block.reduce((sum, piece) => sum + piece.text.length, 0)).toBeLessThanOrEqual(50);
    }));
  });

  it('never parts a surrogate pair, or a letter from its marks', () => {
    const cut = blocks([text('a\u0301'.repeat(100))], 7).flat();
    expect(cut.every((piece) => !piece.text.startsWith('\u0301'))).toBe(true);
    const faces = blocks([text('\u{1f600}'.repeat(100))], 7).flat();
    expect(faces.every((piece) => !/\p{Cs}/u.test(piece.text))).toBe(true);
  });
});

describe('directions of writing', () => {
  it('keeps right-to-left words apart from everything else', () => {
    expect(directionRuns('to \u05e9\u05dc\u05d5\u05dd 123 \u05d0\u05d1 \u05d2 (x)')).toEqual([
      { text: 'to ', rtl: false }, { text: '\u05e9\u05dc\u05d5\u05dd', rtl: true }, { text: ' 123 ', rtl: false }, { text: '\u05d0\u05d1 \u05d2', rtl: true }, { text: ' (x)', rtl: false },
    ]);
  });

  it('drops and adds nothing, and leaves no right-to-left letter outside its own run', () => {
    const unit = fc.constantFrom('a', ' ', '1', '.', '\u05d0', '\u0661', '\u0301', '\u{10a00}', '\u{1f600}', '(');
    fc.assert(fc.property(fc.string({ unit, maxLength: 40 }), (value) => {
      const runs = directionRuns(value);
      expect(runs.map((run) => run.text).join('')).toBe(value);
      for (const run of runs) expect(/[\u0590-\u08ff\u{10800}-\u{10fff}]/u.test(run.text)).toBe(run.rtl);
      for (const run of runs.filter(({ rtl }) => rtl)) expect(run.text).not.toMatch(/[a1.(]/);
    }));
  });
});

describe('pieces on the page', () => {
  it('become text and never markup', () => {
    const html = renderToStaticMarkup(createElement(Pieces, { pieces: [text('<img src=x onerror=alert(1)>&lt;'), chip('U+202E RLO')] }));
    expect(html).toBe('<bdi>&lt;img src=x onerror=alert(1)&gt;&amp;lt;</bdi><span class="chip">U+202E RLO</span>');
  });

  it('mark the match and show line breaks', () => {
    const html = renderToStaticMarkup(createElement(Pieces, { pieces: [text('a '), text('DROP', true), lineBreak] }));
    expect(html).toContain('<mark><bdi>DROP</bdi></mark>');
    expect(html).toContain('↵');
    expect(html.endsWith('\n')).toBe(true);
  });

  it('let a path break after dots and before brackets only', () => {
    expect(renderToStaticMarkup(createElement(Path, { pieces: [text('body.items[0].name')] }))).toBe('<bdi>body.</bdi><wbr/><bdi>items</bdi><wbr/><bdi>[0].</bdi><wbr/><bdi>name</bdi>');
  });

  it('name chips in plain text', () => {
    expect(plain([text('a'), chip('U+200B ZWSP'), lineBreak, text('b')])).toBe('a‹U+200B ZWSP› b');
  });
});

describe('the time that remains', () => {
  it.each([[581, '9:41'], [0.2, '0:01'], [0, '0:00'], [-3, '0:00'], [59.1, '1:00'], [3_723, '1:02:03']])('%s s reads %s', (seconds, shown) => {
    expect(clockText(seconds)).toBe(shown);
  });
});
