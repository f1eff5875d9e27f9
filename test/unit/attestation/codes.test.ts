import { describe, expect, it } from 'vitest';
import { cleanCode, matchCode, stepAt } from '../../../src/main/attestation/totp.ts';
import { base32, crockford } from '../../../src/main/attestation/base32.ts';
import { cleanRecovery, RECOVERY_BYTES, recoveryCode } from '../../../src/main/attestation/recovery.ts';

const RFC_SECRET = base32(Buffer.from('12345678901234567890'));

describe('codes by the book', () => {
  // RFC 6238, appendix B, SHA-1: the last six digits of its eight-digit values.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('RFC 6238 at second %i', (second, code) => {
    expect(matchCode(RFC_SECRET, code, second * 1000, -1)).toEqual({ kind: 'fresh', step: Math.floor(second / 30) });
  });

  // RFC 4226, appendix D: the counter is our time step.
  it.each(['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map((code, counter) => [counter, code] as const))('RFC 4226 at counter %i', (counter, code) => {
    expect(matchCode(RFC_SECRET, code, counter * 30_000 + 29_999, -1)).toEqual({ kind: 'fresh', step: counter });
  });

  it('base32 by RFC 4648', () => {
    for (const [text, encoded] of [['f', 'MY'], ['fo', 'MZXQ'], ['foo', 'MZXW6'], ['foob', 'MZXW6YQ'], ['fooba', 'MZXW6YTB'], ['foobar', 'MZXW6YTBOI']] as const)
      expect(base32(Buffer.from(text))).toBe(encoded);
    expect(crockford(Buffer.from([0xff, 0xff]))).toBe('ZZZG');
  });
});

describe('the window of steps', () => {
  it('is the present step and the one before, at its first and its last millisecond', () => {
    const present = '353130';
    const at = stepAt(20_000_000_000_000);
    for (const offset of [0, 29_999]) {
      expect(matchCode(RFC_SECRET, present, at * 30_000 + offset, -1).kind).toBe('fresh');
      expect(matchCode(RFC_SECRET, present, (at + 1) * 30_000 + offset, -1).kind).toBe('fresh');
      expect(matchCode(RFC_SECRET, present, (at + 2) * 30_000 + offset, -1).kind).toBe('wrong');
      expect(matchCode(RFC_SECRET, present, (at - 1) * 30_000 + offset, -1).kind).toBe('wrong');
      expect(matchCode(RFC_SECRET, present, (at - 2) * 30_000 + offset, -1).kind).toBe('wrong');
    }
  });

  it('says of a step that is used up that it was used, and of no other', () => {
    const at = stepAt(20_000_000_000_000);
    expect(matchCode(RFC_SECRET, '353130', at * 30_000, at - 1).kind).toBe('fresh');
    expect(matchCode(RFC_SECRET, '353130', at * 30_000, at).kind).toBe('used');
    expect(matchCode(RFC_SECRET, '353131', at * 30_000, at).kind).toBe('wrong');
  });
});

describe('what a person types', () => {
  it.each([
    ['123456', '123456'],
    [' 123456\n', '123456'],
    ['123 456', '123456'],
    ['\t12 3456 ', '123456'],
    ['000000', '000000'],
  ])('%j is a code', (typed, code) => expect(cleanCode(typed)).toBe(code));

  it.each([
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['two blanks', '12 34 56'],
    ['a double blank', '123  456'],
    ['Arabic-Indic digits', '١٢٣٤٥٦'],
    ['full-width digits', '１２３４５６'],
    ['mathematical digits', '𝟏𝟐𝟑𝟒𝟓𝟔'],
    ['an inner non-breaking space', '123\u00a0456'],
    ['a hyphen', '123-456'],
    ['a sign', '+12345'],
    ['letters', '12345a'],
    ['a NUL', '123456\u0000'],
    ['a second line', '123456\n1'],
    ['nothing', ''],
    ['blanks', '      '],
    ['a number', 123456],
    ['null', null],
    ['undefined', undefined],
    ['an array', ['123456']],
    ['an object', { toString: () => '123456' }],
    ['100,000 characters', '1'.repeat(100_000)],
    ['a code in 100,000 blanks', `${' '.repeat(100_000)}123456`],
  ])('%s is no code', (_what, typed) => expect(cleanCode(typed)).toBeUndefined());
});

describe('recovery codes', () => {
  it('carry 100 bits in four groups of five and survive how people copy them', () => {
    const code = recoveryCode(Buffer.from('00443214c74254b635cf84653a56d7c675', 'hex').subarray(0, RECOVERY_BYTES));
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/u);
    const bare = code.replaceAll('-', '');
    for (const typed of [code, bare, code.toLowerCase(), ` ${code.replaceAll('-', ' ')}\n`, code.replaceAll('0', 'O').replaceAll('1', 'l')]) expect(cleanRecovery(typed)).toBe(bare);
  });

  it('are nothing else', () => {
    for (const typed of ['', 'ABCDE', 'U'.repeat(20), 'A'.repeat(19), 'A'.repeat(21), 'A'.repeat(100_000), null, 5]) expect(cleanRecovery(typed)).toBeUndefined();
  });
});
