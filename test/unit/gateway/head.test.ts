import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopbackOrigin, isOurHost } from '../../../src/main/gateway/http/loopback.ts';
import { readHead } from '../../../src/main/gateway/http/head.ts';
import { createRouter, type Route } from '../../../src/main/gateway/http/route.ts';
import { acceptedOf } from '../../../src/main/gateway/mcp/accept.ts';

describe('the head of a request', () => {
  const read = (...rawHeaders: string[]) => readHead({ method: 'POST', url: '/mcp?a=b?c', rawHeaders });

  it('names headers without regard to case, and what came twice', () => {
    const head = read('HOST', ' a ', 'X-Idempotency-Key', 'k', 'other', 'x', 'host', 'b');
    expect([head.path, head.query]).toEqual(['/mcp', 'a=b?c']);
    expect(head.headers).toEqual({ host: 'a', 'x-idempotency-key': 'k' });
    expect(head.twice).toEqual(['host']);
  });

  it('joins what may come in several lines', () => {
    expect(read('accept', 'application/json', 'Accept', 'text/event-stream')).toMatchObject({ headers: { accept: 'application/json, text/event-stream' }, twice: [] });
  });
});

describe('a loopback name', () => {
  it('with our port is ours, and no other text is', () => {
    fc.assert(fc.property(fc.string(), fc.integer({ min: 81, max: 65535 }), (text, port) => { expect(isOurHost(`${text}.example:${port}`, port)).toBe(false); }));
    fc.assert(fc.property(fc.integer({ min: 1, max: 65534 }), (port) => { expect([isOurHost(`localhost:${port}`, port), isOurHost(`localhost:${port}`, port + 1)]).toEqual([true, false]); }));
    expect([isOurHost('localhost', 80), isOurHost('localhost', 8356)]).toEqual([true, false]);
  });

  it('is the only host of an origin that is let in', () => {
    fc.assert(fc.property(fc.webUrl(), (url) => { expect(isLoopbackOrigin(new URL(url).origin)).toBe(false); }));
    fc.assert(fc.property(fc.string(), (text) => { expect(isLoopbackOrigin(text)).toBe(false); }));
  });
});

describe('the router', () => {
  const route = (path: string): Route => ({ path, door: 'open', uses: {} });
  const find = createRouter([route('/a'), route('/a/b'), route('/a/{x}'), route('/a/{x}/go'), route('/{x}/b')]);
  const pathOf = (path: string) => [find(path)?.route.path, find(path)?.captured];

  it('takes fixed paths before captured ones, earlier ones before later ones, and one segment only', () => {
    expect(pathOf('/a/b')).toEqual(['/a/b', '']);
    expect(pathOf('/a/c')).toEqual(['/a/{x}', 'c']);
    expect(pathOf('/a/c/go')).toEqual(['/a/{x}/go', 'c']);
    expect(pathOf('/z/b')).toEqual(['/{x}/b', 'z']);
    expect(pathOf('/a/c%2fd%20e')).toEqual(['/a/{x}', 'c/d e']);
    for (const path of ['/a/', '/a/c/d', '/A', '', '/', '/a/%zz', '/a//go', '/a/b/']) expect(find(path)).toBeUndefined();
  });
});

describe('Accept', () => {
  it.each([
    [undefined, { json: true, stream: true }],
    ['application/json, text/event-stream', { json: true, stream: true }],
    ['text/event-stream;q=0.9, Application/JSON ; charset=utf-8', { json: true, stream: true }],
    ['*/*', { json: true, stream: true }],
    ['application/*', { json: true, stream: false }],
    ['text/event-stream', { json: false, stream: true }],
    ['text/html, image/png', undefined],
    ['', undefined],
  ])('%j allows %j', (header, accepted) => {
    expect(acceptedOf(header)).toEqual(accepted);
  });
});
