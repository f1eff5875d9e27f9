import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser } from '../../../src/main/targets/http/sse-parser.ts';

const LIMIT = 1_000;

function parsed(bytes: Buffer, sizes: readonly number[] = [bytes.length]): { events: [string, string][]; ids: string[]; retries: number[]; tooLong: number } {
  const told = { events: [] as [string, string][], ids: [] as string[], retries: [] as number[], tooLong: 0 };
  const parser = createSseParser(LIMIT, {
    event: ({ event, data }) => told.events.push([event, Buffer.from(data).toString('utf8')]),
    id: (id) => told.ids.push(id),
    retry: (ms) => told.retries.push(ms),
    tooLong: () => void (told.tooLong += 1),
  });
  let at = 0;
  for (let n = 0; at < bytes.length; n += 1) {
    const size = Math.max(1, sizes[n % sizes.length] ?? 1);
    parser.push(bytes.subarray(at, at + size));
    at += size;
  }
  return told;
}
const events = (text: string) => parsed(Buffer.from(text)).events;

describe('an event stream', () => {
  it.each(['\n', '\r\n', '\r'])('is read with any line end (%j)', (end) => {
    expect(events(['event: endpoint', 'data: /message', '', ': a comment', 'data:one', 'data: two', '', 'data', '', ''].join(end))).toEqual([['endpoint', '/message'], ['message', 'one\ntwo'], ['message', '']]);
  });

  it('drops an event that has not ended, one without data, and fields it does not know', () => {
    expect(events('event: x\n\nfoo: bar\ndata: a\n\ndata: unfinished\n')).toEqual([['message', 'a']]);
  });

  it('takes one blank after the colon and leaves the rest', () => {
    expect(events('data:  a: b\n\n')).toEqual([['message', ' a: b']]);
  });

  it('knows ids and retry times, and refuses those that are none', () => {
    expect(parsed(Buffer.from('\uFEFFid: 7\nretry: 250\nretry: soon\nid: a\0b\ndata: x\n\n'))).toMatchObject({ ids: ['7'], retries: [250], events: [['message', 'x']] });
  });

  it('gives the same events however the bytes are cut', () => {
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const line = fc.oneof(fc.string({ unit: 'binary' }).filter((text) => !/[\r\n]/.test(text)).map((text) => `data: ${text}`), fc.constantFrom('', ': c', 'event: e', 'id: 1', 'retry: 5', 'data'));
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end), { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([text, last]) => text + last).join(''));
        expect(parsed(bytes, sizes)).toEqual(parsed(bytes));
      }),
    );
  });

  it('stops at an event beyond the limit, in one line or in many, and is not stopped by many small ones', () => {
    expect(parsed(Buffer.from(`data: ${'x'.repeat(LIMIT + 1)}\n\n`)).tooLong).toBe(1);
    expect(parsed(Buffer.from(`${'data: xxxxxxxxx\n'.repeat(LIMIT / 5)}\n`))).toMatchObject({ tooLong: 1, events: [] });
    expect(parsed(Buffer.from('data: xxxxxxxxx\n\n'.repeat(LIMIT)))).toMatchObject({ tooLong: 0 });
  });
});
