import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineFraming } from '../../../src/main/targets/stdio/line-framing.ts';

const LIMIT = 1_000;

/** Feeds bytes in pieces of the given sizes and tells what came of it. */
function framed(bytes: Buffer, sizes: readonly number[] = [bytes.length]): { messages: unknown[]; noise: number; tooLong: number } {
  const told = { messages: [] as unknown[], noise: 0, tooLong: 0 };
  const framing = createLineFraming(LIMIT, { message: (value) => told.messages.push(value), noise: () => void (told.noise += 1), tooMuch: () => void (told.tooLong += 1) });
  let at = 0;
  for (let n = 0; at < bytes.length; n += 1) {
    const size = Math.max(1, sizes[n % sizes.length] ?? 1);
    framing.push(bytes.subarray(at, at + size));
    at += size;
  }
  return told;
}

describe('line framing', () => {
  it('gives the same messages however the bytes are cut, characters of several bytes included', () => {
    const line = fc.oneof(fc.record({ id: fc.integer(), text: fc.string({ unit: 'binary' }) }).map((value) => JSON.stringify(value)), fc.constantFrom('plain noise', '', '{"half":', '☃', '42'));
    fc.assert(
      fc.property(fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([text, end]) => text + end).join(''));
        expect(framed(bytes, sizes)).toEqual(framed(bytes));
      }),
    );
  });

  it('reads lines that end in CRLF, skips empty ones, and holds back one that has not ended', () => {
    expect(framed(Buffer.from('{"a":1}\r\n\r\n\n{"a":2}\n{"a":3}')).messages).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('takes a batch apart', () => {
    expect(framed(Buffer.from('[{"a":1},{"a":2}]\n')).messages).toEqual([{ a: 1 }, { a: 2 }]);
    expect(framed(Buffer.from(`[${Array(101).fill('1').join(',')}]\n`))).toMatchObject({ messages: [], noise: 1 });
  });

  it('counts what is no JSON, no UTF-8, or nested too deeply as noise', () => {
    const bytes = Buffer.concat([Buffer.from('Listening…\n{"a":\n'), Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n'), Buffer.from('{"a":1}\n')]);
    expect(framed(bytes)).toEqual({ messages: [{ a: 1 }], noise: 3, tooLong: 0 });
  });

  it('stops when broken messages come without end, and goes on through any amount of plain noise', () => {
    expect(framed(Buffer.from(`${'{"x}\n'.repeat(10_001)}{"a":1}\n`))).toEqual({ messages: [], noise: 10_001, tooLong: 1 });
    expect(framed(Buffer.from(`${'{ x: 1 }\nnoise\n'.repeat(10_001)}{"a":1}\n`))).toEqual({ messages: [{ a: 1 }], noise: 20_002, tooLong: 0 });
  });

  it('reads a message with blanks before and in it', () => {
    expect(framed(Buffer.from(' \t{ "a": 1 }\n { }\n')).messages).toEqual([{ a: 1 }, {}]);
  });

  it('stops at a line beyond the limit, once, whether it ended or not', () => {
    expect(framed(Buffer.from(`{"a":1}\n"${'x'.repeat(LIMIT)}"\n{"a":2}\n`))).toEqual({ messages: [{ a: 1 }], noise: 0, tooLong: 1 });
    expect(framed(Buffer.alloc(LIMIT * 3, 0x78), [100])).toEqual({ messages: [], noise: 0, tooLong: 1 });
    expect(framed(Buffer.from(`"${'x'.repeat(LIMIT - 2)}"\n`)).tooLong).toBe(0);
  });
});
