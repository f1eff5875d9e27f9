import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { startHttpWorker } from '../../support/workers/http-worker.ts';
import type { Exchange } from '../../support/workers/http-worker.ts';
import { aCall, anHttpTarget, harness, textOf } from '../../support/workers/harness.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

const MIB = 1024 * 1024;
const resultOf = ({ seen }: Exchange, text: string) => ({ jsonrpc: '2.0', id: seen.message?.id, result: { content: [{ type: 'text', text }] } });
const elsewhere = await startHttpWorker();

/** A redirect to another server, and one to another address of the same server. */
const redirect = (status: number, to: string) => ({ response }: Exchange) => void response.writeHead(status, { location: to }).end();
const plain = (status: number, type: string, body: string) => ({ response }: Exchange) => void response.writeHead(status, { 'content-type': type }).end(body);

const tools: Record<string, (exchange: Exchange) => void> = {
  echo: (exchange) => exchange.result('fine'),
  'says 401': plain(401, 'text/plain', 'no'),
  'says 403': plain(403, 'application/json', '{}'),
  'says 429': ({ response }) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  'says 500': plain(500, 'text/plain', 'oops'),
  'says 502 in HTML': plain(502, 'text/html', '<h1>Bad gateway</h1>'),
  'says 500 with a JSON-RPC error': ({ json, seen }) => json({ jsonrpc: '2.0', id: seen.message?.id, error: { code: -32050, message: 'broken inside' } }, 500),
  'answers with a JSON-RPC error': ({ json, seen }) => json({ jsonrpc: '2.0', id: seen.message?.id, error: { code: -32051, message: 'refused', data: [1] } }),
  'says 204': ({ response }) => void response.writeHead(204).end(),
  'says 202': ({ response }) => void response.writeHead(202).end(),
  'answers in HTML': plain(200, 'text/html', '<p>hello</p>'),
  'lies about its type': plain(200, 'application/json', 'data: {}'),
  'hangs before the head': () => undefined,
  'drips its body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  'cuts its body short': ({ response, socket }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"jsonrpc":');
    setTimeout(() => socket.destroy(), 20);
  },
  'cuts its stream short': ({ stream, socket }) => {
    stream().raw('data: {"jsonrpc":"2.0",');
    setTimeout(() => socket.destroy(), 20);
  },
  'ends its stream without the answer': ({ stream }) => {
    const open = stream();
    open.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    open.end();
  },
  'answers another request': ({ json }) => json({ jsonrpc: '2.0', id: 987_654, result: {} }),
  'answers another request on its stream': ({ stream }) => {
    const open = stream();
    open.event({ jsonrpc: '2.0', id: 987_654, result: {} });
    open.end();
  },
  ...Object.fromEntries([301, 302, 303, 307, 308].flatMap((status) => [[`redirects ${status} to itself`, redirect(status, '/mcp')], [`redirects ${status} away`, redirect(status, elsewhere.url)]])),
  'sends a gzip bomb': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
  'sends a brotli bomb on a stream': ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'br' }).end(brotliBomb),
  'chains encodings': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': Array(100).fill('gzip').join(', ') }).end('x'),
  'answers compressed': (exchange) => void exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(resultOf(exchange, 'small')))),
  'breaks its encoding': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('not gzip'),
  'answers with too much': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2 * MIB)}"`),
  'streams one event that is too much': ({ stream }) => stream().raw(`data: ${'x'.repeat(2 * MIB)}`),
  'nests too deeply': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(100_000)),
  'sends huge headers': ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'x-pad': 'x'.repeat(100_000) }).end('{}'),
  'resets the connection': ({ socket }) => void socket.resetAndDestroy(),
  'speaks no HTTP': ({ socket }) => void socket.end('220 mail ready\r\n'),
};
const bomb = gzipSync(Buffer.alloc(200 * MIB, 0x20));
const brotliBomb = brotliCompressSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(64 * MIB, 0x20)]));

const worker = await startHttpWorker({ tools });
const made = harness({ specs: () => [anHttpTarget('faulty', worker.url, { headers: { Authorization: 'Bearer ours' } })], limits: { answerBytes: MIB } });
afterAll(async () => {
  await made.close();
  await Promise.all([worker.close(), elsewhere.close()]);
});

const fault = (code: string, sent = true) => ({ kind: 'fault', code, sent });
const lost = { kind: 'lost' };
const expected: Record<string, object> = {
  'says 401': fault('upstream-unauthorized'),
  'says 403': fault('upstream-unauthorized'),
  'says 429': fault('upstream-fault'),
  'says 500': fault('upstream-fault'),
  'says 502 in HTML': fault('upstream-fault'),
  'says 500 with a JSON-RPC error': { kind: 'error', error: { code: -32050, message: 'broken inside' } },
  'answers with a JSON-RPC error': { kind: 'error', error: { code: -32051, message: 'refused', data: [1] } },
  'says 204': fault('upstream-fault'),
  'says 202': fault('upstream-fault'),
  'answers in HTML': fault('upstream-fault'),
  'lies about its type': lost,
  'hangs before the head': lost,
  'drips its body': lost,
  'cuts its body short': lost,
  'cuts its stream short': lost,
  'ends its stream without the answer': lost,
  'answers another request': lost,
  'answers another request on its stream': lost,
  ...Object.fromEntries([301, 302, 303, 307, 308].flatMap((status) => [[`redirects ${status} to itself`, fault('upstream-fault')], [`redirects ${status} away`, fault('upstream-fault')]])),
  'sends a gzip bomb': fault('upstream-too-large'),
  'sends a brotli bomb on a stream': fault('upstream-too-large'),
  'chains encodings': lost,
  'breaks its encoding': lost,
  'answers with too much': fault('upstream-too-large'),
  'streams one event that is too much': fault('upstream-too-large'),
  'nests too deeply': lost,
  'sends huge headers': fault('upstream-too-large'),
  'resets the connection': lost,
  'speaks no HTTP': lost,
};

describe('an HTTP target that', () => {
  it.each(Object.entries(expected))('%s ends the call in time and correctly, is asked once, and leaves other calls alone', async (tool, outcome) => {
    const healthy = made.targets.call(aCall('faulty', 'echo'));
    const began = performance.now();
    const memory = process.memoryUsage().rss;
    const answer = await made.targets.call(aCall('faulty', tool, {}, { deadlineMs: 500 }));
    expect(answer).toMatchObject(outcome);
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(process.memoryUsage().rss - memory).toBeLessThan(64 * MIB);
    expect(worker.calls(tool)).toBe(1);
    expect(textOf(await healthy)).toBe('fine');
    expect(textOf(await made.targets.call(aCall('faulty', 'echo')))).toBe('fine');
  });

  it('redirects is never followed: nothing arrives elsewhere', () => {
    expect(elsewhere.seen).toEqual([]);
    expect(worker.seen.every(({ method, headers }) => method === 'POST' || headers.accept === 'text/event-stream')).toBe(true);
  });

  it('answers in one common encoding is understood', async () => {
    expect(textOf(await made.targets.call(aCall('faulty', 'answers compressed')))).toBe('small');
  });

  it('is told that a call was given up', async () => {
    await made.targets.call(aCall('faulty', 'hangs before the head', {}, { deadlineMs: 100 }));
    expect(worker.seen.some(({ message }) => message?.method === 'notifications/cancelled')).toBe(true);
  });
});

describe('an HTTP target that is not there', () => {
  const ask = async (url: string): Promise<Answer> => {
    const alone = harness({ specs: () => [anHttpTarget('gone', url)] });
    const answer = await alone.targets.call(aCall('gone', 'echo', {}, { deadlineMs: 1_000 }));
    await alone.close();
    return answer;
  };

  it('refuses the connection: nothing was sent', async () => {
    const free = net.createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    expect(await ask(`http://127.0.0.1:${port}/mcp`)).toMatchObject(fault('upstream-unreachable', false));
  });

  it('has a name that does not resolve: nothing was sent', async () => {
    expect(await ask('http://no-such-host.invalid/mcp')).toMatchObject(fault('upstream-unreachable', false));
  });

  it('does not speak TLS, or with a certificate nobody vouches for: nothing was sent', async () => {
    expect(await ask(worker.url.replace('http:', 'https:'))).toMatchObject(fault('upstream-unreachable', false));
  });

  it('refuses us in the handshake: nothing of the call was sent', async () => {
    const closed = await startHttpWorker({ first: ({ response }) => (response.writeHead(401).end(), true) });
    expect(await ask(closed.url)).toMatchObject(fault('upstream-unauthorized', false));
    await closed.close();
  });

  it('hangs in the handshake: nothing of the call was sent', async () => {
    const silent = await startHttpWorker({ first: () => true });
    expect(await ask(silent.url)).toMatchObject(fault('upstream-timeout', false));
    await silent.close();
  });
});
