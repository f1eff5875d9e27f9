import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOk, parseText, piecesOf, renderText } from '../../../src/main/display/index.ts';
import { findChips } from '../../../src/main/display/find-chips.ts';
import { text } from '../../support/json/arbitrary.ts';

const shown = (value: string): string => renderText(piecesOf(value));
const chips = (value: string): readonly string[] => piecesOf(value).filter(({ kind }) => kind === 'chip').map((piece) => piece.text);
const warnings = (value: string): readonly string[] => findChips(value).warnings;

describe('a text from outside', () => {
  it('is one plain piece when there is nothing to see about it', () => {
    for (const plain of ['', 'DROP TABLE users;', '<img src=x onerror=alert(1)>', '**bold** [click](javascript:alert(1)) &lt;', 'Žluťoučký kůň', 'привет мир', 'größte “Straße” – 1…2 m²', '漢字とTシャツー', 'שלום', 'naïve café', '😀🚀']) {
      expect(piecesOf(plain)).toEqual(plain === '' ? [] : [{ kind: 'text', text: plain, marked: false }]);
    }
  });

  it.each([
    ['/safe\u202etxt.exe', '/safe‹U+202E RLO›txt.exe'],
    ['/*\u202e } \u2066if(isAdmin)\u2069 \u2066 begin admins only */', '/*‹U+202E RLO› } ‹U+2066 LRI›if(isAdmin)‹U+2069 PDI› ‹U+2066 LRI› begin admins only */'],
    ['rm\u200b -rf /', 'rm‹U+200B ZWSP› -rf /'],
    ['p\u0430ypal.com', 'p‹U+0430 CYRILLIC like a›ypal.com'],
    ['\u0430\u0440\u0440\u04cf\u0435.com', '‹U+0430 CYRILLIC like a›‹U+0440 CYRILLIC like p›‹U+0440 CYRILLIC like p›‹U+04CF CYRILLIC like l›‹U+0435 CYRILLIC like e›.com'],
    ['\u0441\u043e\u0441\u0430', '‹U+0441 CYRILLIC like c›‹U+043E CYRILLIC like o›‹U+0441 CYRILLIC like c›‹U+0430 CYRILLIC like a›'],
    ['delete\u2028_all', 'delete‹U+2028 LS›_all'],
    ['a\u00a0b\u3000c\u202fd', 'a‹U+00A0 NBSP›b‹U+3000 IDSP›c‹U+202F NNBSP›d'],
    ['\u0000\u001b[31m\u009b\u0085\u007f', '‹U+0000 NUL›‹U+001B ESC›[31m‹U+009B CSI›‹U+0085 NEL›‹U+007F DEL›'],
    ['a\tb\r\nc', 'a‹U+0009 TAB›b‹U+000D CR›\nc'],
    ['soft\u00adhyphen \u034f \u3164 \uffa0 \u115f \u2800 \ufffc', 'soft‹U+00AD SHY›hyphen ‹U+034F CGJ› ‹U+3164 HANGUL FILLER› ‹U+FFA0 HANGUL FILLER› ‹U+115F HANGUL FILLER› ‹U+2800 BRAILLE BLANK› ‹U+FFFC OBJ›'],
    ['ok\ufe0f\u{e0100}\u{e0041}\u{e0001}', 'ok‹U+FE0F VS16›‹U+E0100 VS17›‹U+E0041 TAG A›‹U+E0001 LANGUAGE TAG›'],
    ['\ue000\u{10ffff}\ud800', '‹U+E000›‹U+10FFFF›‹U+D800›'],
    ['e\u0301 \u00e9', 'e‹U+0301 MARK› é'],
    ['\u212b \u2126', '‹U+212B LATIN like Å› ‹U+2126 GREEK like Ω›'],
    ['z\u0361\u035c\u0321algo', 'z‹U+0361 MARK›‹U+035C MARK›‹U+0321 MARK›algo'],
    ['x\u0336\u0336\u0336y\u0336\u0336', 'x‹U+0336 MARK›‹U+0336 MARK›‹U+0336 MARK›y\u0336\u0336'],
    [' \u0301x', ' ‹U+0301 MARK›x'],
    ['\uff24\uff32\uff2f\uff30 \ufb01le \u{1d403}', '‹U+FF24 LATIN like D›‹U+FF32 LATIN like R›‹U+FF2F LATIN like O›‹U+FF30 LATIN like P› ‹U+FB01 LATIN like fi›le ‹U+1D403 like D›'],
    ['\u2212rf \u2215etc \u2024env', '‹U+2212 like -›rf ‹U+2215 like /›etc ‹U+2024 like .›env'],
    ['\u026apaypa\u029f', '‹U+026A LATIN like i›paypa‹U+029F LATIN like l›'],
    ['‹U+202E RLO› U+202E RLO', '‹U+2039 QUOTE›U+202E RLO‹U+203A QUOTE› U+202E RLO'],
    ['rm -rf / ', 'rm -rf /‹U+0020 SPACE›'],
    ['  one  \ntwo \n', '  one‹U+0020 SPACE›‹U+0020 SPACE›\ntwo‹U+0020 SPACE›\n'],
    ['    ', '‹U+0020 SPACE ×4›'],
    ['a\n\n\n\nb', 'a‹U+000A LF ×4›\nb'],
    ['\u200b\u200b\u200b\u200b\u200b', '‹U+200B ZWSP ×5›'],
  ])('%j is shown as %s', (value, expected) => {
    expect(shown(value)).toBe(expected);
    expect(parseText(expected)).toBe(value);
  });

  it('has a chip for every character of the classes that cannot be seen, over all planes', () => {
    const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u;
    const missed: string[] = [];
    const isDense = (code: number): boolean => code < 0x10000 || (code >= 0xe0000 && code < 0xe0200);
    for (let code = 0; code <= 0x10ffff; code += isDense(code) ? 1 : 16) {
      const char = String.fromCodePoint(code);
      if (char !== ' ' && char !== '\n' && unseen.test(char) && chips(char).length !== 1) missed.push(code.toString(16));
    }
    expect(missed).toEqual([]);
  });

  it('shows the ends of long runs of spaces in time that grows with the text', () => {
    const began = performance.now();
    piecesOf(`${' '.repeat(400_000)}x\n${' '.repeat(400_000)}x`);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('tells the host name a mixed one is looked up as', () => {
    expect(warnings('https://p\u0430ypal.com/x')).toContain('as a host name this is xn--pypal-4ve.com');
    expect(warnings('https://paypal.com/x')).toEqual([]);
  });

  it('keeps words of another script as they are where the text is plainly in that script', () => {
    expect(chips('Он сказал: рост и сосна')).toEqual([]);
    expect(chips('файл.txt')).toEqual([]);
    expect(chips('Он открыл p\u0430ypal')).toEqual(['U+0430 CYRILLIC like a']);
  });

  it('can be read back from its shown form, whatever it is', () => {
    fc.assert(fc.property(text(), (value) => {
      expect(parseText(shown(value))).toBe(value);
    }), { numRuns: 3_000 });
  });

  it('can be read back with any mark, and the mark covers the marked characters', () => {
    fc.assert(fc.property(text(), fc.nat(20), fc.nat(20), (value, a, b) => {
      const [start, end] = [Math.min(a, b), Math.max(a, b)];
      const pieces = piecesOf(value, { start, end });
      expect(parseText(renderText(pieces))).toBe(value);
      const marked = parseText(renderText(pieces.filter((piece) => piece.marked)));
      if (start < end && end <= value.length) expect(marked).toContain(value.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''));
      else expect(marked).toBe('');
    }), { numRuns: 2_000 });
  });

  it('never looks like another in a different normalisation form', () => {
    const letters = fc.array(fc.constantFrom('e', '\u0301', '\u0323', '\u00e9', '\u1eb9', '\u212b', '\u00c5', '\u1100', '\u1161', '\u11a8', '\uac00', '\uac01', '\u0915', '\u093c', '\u0958', '\ufb1d', '\uff21', 'A', '\ufefb', ' '), { maxLength: 8 }).map((parts) => parts.join(''));
    const visible = (value: string): string => JSON.stringify(piecesOf(value));
    fc.assert(fc.property(letters, fc.constantFrom<'NFC' | 'NFD' | 'NFKC' | 'NFKD'>('NFC', 'NFD', 'NFKC', 'NFKD'), (value, form) => {
      const other = value.normalize(form);
      if (other === value) return;
      expect(visible(other)).not.toBe(visible(value));
      // At least one of the two shows that it is not the usual form.
      expect(chips(value).length + chips(other).length).toBeGreaterThan(0);
    }), { numRuns: 3_000 });
  });
});

describe('a name in a sentence of ours', () => {
  it('is plain ASCII of 1 to 128 characters', () => {
    for (const good of ['query', 'fs.read-file_2', 'a'.repeat(128)]) expect(nameOk(good)).toBe(true);
    for (const bad of ['', 'a'.repeat(129), 'delete\u2028_all', 'quеry', 'a b', 'a/b', '😀', 'query\n']) expect(nameOk(bad)).toBe(false);
  });
});
