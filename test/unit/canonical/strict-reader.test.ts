import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, readStrict, readStrictText } from '../../../src/main/canonical/index.ts';
import type { JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { jsonValue } from '../../support/json/arbitrary.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) => readStrict(bytes(text));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('the strict reader refuses, with the place', () => {
  it.each([
    ['a name given twice', '{"params":{"arguments":{"amount":1,"amount":1000000}}}', 'params.arguments.amount'],
    ['a name given twice with equal values', '{"a":1,"a":1}', 'a'],
    ['a name given twice, once escaped', '{"params":{"delete":1,"\\u0064elete":2}}', 'params.delete'],
    ['a name of the prototype given twice', '{"toString":1,"toString":1}', 'toString'],
    ['a __proto__ name', '{"a":[{"__proto__":{"admin":true}}]}', 'a[0].__proto__'],
    ['a NUL in a name', '{"a":{"path\\u0000x":1}}', 'a["path\\u0000x"]'],
    ['an escaped __proto__ name', '{"\\u005f_proto__":1}', '__proto__'],
    ['an unsafe integer', '{"params":{"n":9007199254740993}}', 'params.n'],
    ['an unsafe integer that a double holds', '[9007199254740992]', '[0]'],
    ['an unsafe integer of many digits', '{"n":1000000000000000000000}', 'n'],
    ['an unsafe integer written with an exponent', '{"n":1e16}', 'n'],
    ['an overflow', '{"n":1e400}', 'n'],
    ['an underflow', '{"n":1e-400}', 'n'],
    ['minus zero', '[1,-0]', '[1]'],
    ['minus zero with a fraction', '[-0.0]', '[0]'],
    ['digits a double cannot keep', '{"n":0.1000000000000000055}', 'n'],
    ['a lone high surrogate', '{"a":"x\\ud800"}', 'a'],
    ['a lone low surrogate', '["\\udc00y"]', '[0]'],
    ['surrogates the wrong way round', '["\\ude02\\ud83d"]', '[0]'],
    ['depth 65', nested(65), '[0]'.repeat(64).slice(0, 120) + ' … ' + '[0]'.repeat(64).slice(-100)],
    ['an awkward name, safe to show', '{"na\\u202eme.x":1e400}', '["na\\u202eme.x"]'],
  ])('%s', (_what, text, at) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    const result = read(text);
    expect(result).toMatchObject({ ok: false, code: 'invalid-json' });
    if (text.length < 120) expect(result).toMatchObject({ at });
  });

  it.each([
    ['nothing at all', '', 'line 1, column 1'],
    ['space only', ' \n ', 'line 2, column 2'],
    ['text after the value', '{"a":1} {"b":2}', 'line 1, column 9'],
    ['a byte order mark', '\ufeff{}', 'line 1, column 1'],
    ['a trailing comma', '{"a":1,}', 'line 1, column 8'],
    ['a trailing comma in an array', '[1,]', 'line 1, column 4'],
    ['a comment', '{\n "a": 1 // x\n}', 'line 2, column 9'],
    ['single quotes', "{'a':1}", 'line 1, column 2'],
    ['a raw line break in a string', '"a\nb"', 'line 1, column 3'],
    ['the last raw control character in a string', '"\u001f"', 'line 1, column 2'],
    ['a raw tab in a name', '{"a\tb":1}', 'line 1, column 4'],
    ['an escape that is none', '"\\x41"', 'line 1, column 2'],
    ['half an escape', '"\\u00g0"', 'line 1, column 2'],
    ['a string that does not end', '{"a":"b', 'line 1, column 8'],
    ['a leading zero', '[01]', 'line 1, column 3'],
    ['a plus sign', '[+1]', 'line 1, column 2'],
    ['a bare fraction', '[.5]', 'line 1, column 2'],
    ['NaN', '[NaN]', 'line 1, column 2'],
    ['a word cut short', '[tru', 'line 1, column 2'],
    ['no-break space between tokens', '[1,\u00a02]', 'line 1, column 4'],
  ])('%s', (_what, text, at) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(read(text)).toEqual({ ok: false, code: 'invalid-json', at });
  });

  it('bytes that are not UTF-8: stray, cut short, overlong, and encoded surrogates', () => {
    for (const wrong of [[0x22, 0xff, 0x22], [0x22, 0xc3], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
      expect(readStrict(Uint8Array.from(wrong))).toEqual({ ok: false, code: 'invalid-json', at: 'encoding (not UTF-8)' });
    }
  });

  it('raw lone surrogates in text', () => {
    expect(readStrictText('"\ud800"')).toMatchObject({ ok: false, code: 'invalid-json' });
    expect(readStrictText('{"\udc00":1}')).toMatchObject({ ok: false, code: 'invalid-json' });
  });

  it('more members than the limit, in objects and arrays together', () => {
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect(read(keys(100_000))).toMatchObject({ ok: true });
    expect(read(keys(100_001))).toEqual({ ok: false, code: 'invalid-json', at: 'k100000' });
    expect(read(`[${nested(1)}${',1'.repeat(100_000)}]`)).toEqual({ ok: false, code: 'invalid-json', at: '[100000]' });
    expect(readStrict(bytes('[1,2,3]'), { depth: 1, members: 2 })).toMatchObject({ ok: false, at: '[2]' });
  });

  it('a hundred thousand brackets without running out of stack', () => {
    expect(read(nested(100_000))).toMatchObject({ ok: false, code: 'invalid-json' });
  });
});

describe('the strict reader reads', () => {
  it.each([
    ['1.0', 1], ['1E2', 100], ['0.1', 0.1], ['1.50', 1.5], ['0', 0], ['0.0', 0], ['0e7', 0], ['-1', -1], ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['6.022e23', 6.022e23], ['1e21', 1e21], ['5e-324', 5e-324], ['1.7976931348623157e308', Number.MAX_VALUE], ['100e-2', 1], ['0.000001', 1e-6],
  ])('the number %s', (text, value) => {
    expect(read(text)).toEqual({ ok: true, value });
  });

  it('what looks dangerous and is only data', () => {
    const text = '{"constructor":{"prototype":{"x":1}},"toString":"<script>","":"**b**"}';
    expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
  });

  it('depth 64, escapes of every kind, pairs of surrogates', () => {
    expect(read(nested(64))).toMatchObject({ ok: true });
    expect(read('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude02😂"')).toEqual({ ok: true, value: '"\\/\b\f\n\r\tA😂😂' });
  });

  it('whatever JSON.parse reads the same way, and nothing it does not read', () => {
    const noise = fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'u0041', '\\ud83d', '\\ude02', '1', '-', '0', '.', 'e', '+', 'true', 'null', 'a', ' ', '\n', '\u0001', '\ufeff', '"a":', '"a"'), { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(fc.property(noise, (text) => {
      const result = read(text);
      if (result.ok) expect(result.value).toEqual(JSON.parse(text));
      else if (parses(text)) expect(whyRefused(text), text).toBe(true);
    }), { numRuns: 5_000 });
  });

  it('every value it lets through, written with spaces or canonically, to the same value', () => {
    fc.assert(fc.property(jsonValue(), (value) => {
      expect(read(JSON.stringify(value, null, 1))).toEqual({ ok: true, value });
      expect(read(canonicalText(value))).toEqual({ ok: true, value });
    }));
  });

  it('a text it accepts is accepted again in canonical form, so that a stored request can always be read', () => {
    const numeral = fc.tuple(fc.constantFrom('', '-'), fc.nat(10 ** 9), fc.option(fc.nat(10 ** 9)), fc.option(fc.integer({ min: -330, max: 330 })))
      .map(([sign, whole, fraction, power]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`);
    fc.assert(fc.property(numeral, (text) => {
      const first = read(text);
      if (first.ok) expect(read(canonicalText(first.value))).toEqual(first);
    }), { numRuns: 3_000 });
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A second, slow opinion on texts JSON.parse takes: is there a reason to refuse? */
function whyRefused(text: string): boolean {
  const value = JSON.parse(text) as JsonValue;
  const compact = text.replace(/\s/g, '');
  const names = (text.match(/"(?:[^"\\]|\\.)*"\s*:/g) ?? []).map((name) => name.replace(/\s*:$/, ''));
  return JSON.stringify(value) !== compact || new Set(names).size !== names.length || /[\ud800-\udfff]/u.test(JSON.stringify(value)) || /\\ud/.test(JSON.stringify(value));
}
