import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, readStrict } from '../../src/main/canonical/index.ts';
import { jsonValue } from '../support/json/arbitrary.ts';

const bytes = (written: string): Uint8Array => new TextEncoder().encode(written);

describe('the strict reader, over a hundred thousand documents', () => {
  it('accepts nothing that JSON.parse does not read to an equal value', () => {
    const token = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '"a":', '"b":', '\\', '\\u0061', '\\ud83d', '\\ude02', '\\n', '1', '12', '-', '0', '.5', 'e1', 'E-2', '+', 'true', 'false', 'null', ' ', '\n', '\t', '\r', '\u000b', '\u00a0', '\ufeff', '\u0000', 'é', '😂');
    fc.assert(fc.property(fc.array(token, { maxLength: 16 }).map((parts) => parts.join('')), (written) => {
      const result = readStrict(bytes(written));
      if (result.ok) expect(result.value).toEqual(JSON.parse(written));
      else expect(result.at).toBeTypeOf('string');
    }), { numRuns: 100_000 });
  });

  it('reads a document with one byte changed as JSON.parse does, or not at all', () => {
    fc.assert(fc.property(jsonValue(), fc.nat(), fc.nat(255), (value, where, byte) => {
      const changed = bytes(JSON.stringify(value));
      changed[where % changed.length] = byte;
      const result = readStrict(changed);
      if (result.ok) expect(result.value).toEqual(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(changed)));
    }), { numRuns: 30_000 });
  });

  it('gives a value whose canonical text is its own canonical text, and two texts only for two values', () => {
    fc.assert(fc.property(jsonValue(), (value) => {
      const written = canonicalText(value);
      const back = readStrict(bytes(written));
      expect(back).toEqual({ ok: true, value });
      expect(canonicalText(back.ok ? back.value : null)).toBe(written);
    }), { numRuns: 20_000 });
  });
});
