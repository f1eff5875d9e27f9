import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBytes } from '../../../src/main/targets/rpc/json-bytes.ts';

describe('JSON in bytes', () => {
  it('is what JSON.parse gives, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseJsonBytes(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is undefined for what is none, or is not UTF-8', () => {
    for (const bytes of ['', '{', 'undefined', '{"a":1}x'].map((text) => Buffer.from(text))) expect(parseJsonBytes(bytes)).toBeUndefined();
    expect(parseJsonBytes(Buffer.from([0x22, 0xc3, 0x22]))).toBeUndefined();
  });

  it('is refused beyond a depth that could still be written out, and brackets in strings do not count', () => {
    const nested = (depth: number): Buffer => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    expect(parseJsonBytes(nested(1_000))).toBeDefined();
    expect(parseJsonBytes(nested(1_001))).toBeUndefined();
    expect(parseJsonBytes(nested(5_000_000))).toBeUndefined();
    expect(parseJsonBytes(Buffer.from(JSON.stringify({ text: `\\"${'[{'.repeat(2_000)}\\` })))).toBeDefined();
  });
});
