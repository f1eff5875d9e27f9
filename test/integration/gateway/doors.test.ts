import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from './mcp-client.ts';
import { raw, wire, type RawRequest } from './raw.ts';
import { call, CONTROL_TOKEN, ENDPOINT_KEY, openStand, type Stand } from './stand.ts';
import { listenerProof } from '../../../src/main/platform/listener-proof.ts';

const LIMIT = 4096;
let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ limits: { bodyBytes: LIMIT, requestMs: 600, headersMs: 500 } });
});
afterAll(() => stand.close());

const INVOKE = '/v1/mcp-gateway/fs/invoke';
const send = (request: RawRequest) => raw(stand.port, { path: INVOKE, ...request });

/** The header lines of a good call, with some of them changed or left out (null). */
function lines(changes: Record<string, string | null> = {}): string[] {
  const good: Record<string, string | null> = {
    host: `127.0.0.1:${stand.port}`,
    authorization: 'Bearer token-alpha',
    'content-type': 'application/json',
    ...changes,
  };
  return Object.entries(good).flatMap(([name, value]) => (value === null ? [] : [name, value]));
}
const good = JSON.stringify(call(1));

describe('the order of the doors', () => {
  // Each request carries every fault from its own on; the first that counts must answer.
  const faults: { readonly door: string; readonly status: number; readonly code: string; readonly request: () => RawRequest }[] = [
    { door: 'route', status: 404, code: 'not-found', request: () => ({ path: '/nothing', lines: ['host', 'evil.example', 'origin', 'https://evil.example', 'content-type', 'text/plain'], body: '{' }) },
    { door: 'host', status: 403, code: 'host-not-allowed', request: () => ({ method: 'PATCH', lines: ['host', 'evil.example', 'origin', 'https://evil.example', 'content-type', 'text/plain'], body: '{' }) },
    { door: 'origin', status: 403, code: 'origin-not-allowed', request: () => ({ method: 'PATCH', lines: lines({ origin: 'https://evil.example', authorization: null, 'content-type': 'text/plain' }), body: '{' }) },
    { door: 'method', status: 405, code: 'method-not-allowed', request: () => ({ method: 'PATCH', lines: lines({ authorization: null, 'content-type': 'text/plain' }), body: '{' }) },
    { door: 'token', status: 401, code: 'unauthorized', request: () => ({ lines: lines({ authorization: 'Bearer wrong', 'content-type': 'text/plain' }), body: 'x'.repeat(LIMIT + 1) }) },
    { door: 'content type', status: 415, code: 'content-type-not-supported', request: () => ({ lines: lines({ 'content-type': 'text/plain' }), body: 'x'.repeat(LIMIT + 1) }) },
    { door: 'size', status: 413, code: 'body-too-large', request: () => ({ lines: lines(), body: '{'.repeat(LIMIT + 1) }) },
    { door: 'strict JSON', status: 400, code: 'invalid-json', request: () => ({ lines: lines(), body: '{"id":1,"id":2,"method":1}' }) },
    { door: 'envelope', status: 400, code: 'invalid-request', request: () => ({ lines: lines({ 'x-idempotency-key': 'no spaces please' }), body: '{"jsonrpc":"2.0","id":1,"Method":"tools/call"}' }) },
  ];
  it.each(faults)('refuses at the $door whatever else is wrong', async ({ status, code, request }) => {
    const answer = await send(request());
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code, next: expect.any(String) as string } } });
    expect(stand.seen.submissions).toEqual([]);
  });
});

describe('the route', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server', '/register', '/mcp/', '/MCP', '/%6dcp', '//mcp', '/v1/../mcp', '/v1/mcp-gateway/a/b/invoke', 'http://127.0.0.1/mcp'])(
    'does not know %s',
    async (path) => {
      const answer = await send({ method: 'GET', path, lines: lines() });
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.json.error.data.code).toBe('not-found');
    },
  );

  it.each(['/api/nothing', '/apis/x'])('does not know %s, and says so as the registry does', async (path) => {
    const answer = await send({ method: 'GET', path, lines: lines() });
    expect([answer.status, answer.json]).toEqual([404, { error: 'RESOURCE_NOT_FOUND', message: 'There is nothing at this address.', suggestion: expect.any(String) as string, code: 404 }]);
  });

  it.each(['OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'HEAD'])('takes no %s on /mcp and says what it takes', async (method) => {
    const answer = await send({ method, path: '/mcp', lines: lines() });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST, GET, DELETE');
  });

  it('gives a browser no permission to read anything', async () => {
    const preflight = await send({ method: 'OPTIONS', path: '/mcp', lines: lines({ origin: `http://localhost:${stand.port}`, 'access-control-request-method': 'POST' }) });
    const answer = await send({ lines: lines({ origin: `http://localhost:${stand.port}` }), body: good });
    expect(answer.status).toBe(200);
    for (const { headers } of [preflight, answer]) expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('Host', () => {
  it.each([(port: number) => `127.0.0.1:${port}`, (port: number) => `localhost:${port}`, (port: number) => `LocalHost:${port}`, (port: number) => `[::1]:${port}`])('takes a loopback name with our port (%#)', async (host) => {
    expect((await send({ lines: lines({ host: host(stand.port) }), body: good })).status).toBe(200);
  });

  it.each([
    (port: number) => `evil.com:${port}`,
    () => 'localhost:1',
    () => 'localhost',
    () => '127.0.0.1',
    (port: number) => `localhost.evil.example:${port}`,
    (port: number) => `127.0.0.1:${port}@evil.example`,
    (port: number) => `127.0.0.2:${port}`,
    (port: number) => `localhost.:${port}`,
    () => '',
  ])('refuses any other (%#)', async (host) => {
    const answer = await send({ lines: lines({ host: host(stand.port) }), body: good });
    expect([answer.status, answer.json.error.data.code]).toEqual([403, 'host-not-allowed']);
  });

  it('refuses an absent one', async () => {
    expect((await send({ lines: lines({ host: null }), body: good })).status).toBe(403);
  });

  it('refuses one that is given twice, whichever is good', async () => {
    const twice = `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nHost: evil.example\r\nAuthorization: Bearer token-alpha\r\nContent-Type: application/json\r\nContent-Length: ${good.length}\r\nConnection: close\r\n\r\n${good}`;
    const answer = await wire(stand.port, twice);
    expect(answer).toMatch(/^HTTP\/1\.1 (403|400) /);
    expect(answer).not.toContain('"result"');
  });
});

describe('Origin', () => {
  it.each(['https://evil.example', 'null', 'chrome-extension://abcdefgh', 'http://localhost.evil.example', 'http://127.0.0.1@evil.example', 'file://', 'http://localhost:1/path', 'http://user@localhost:1', 'http://10.0.0.1', ''])('refuses %j', async (origin) => {
    const answer = await send({ lines: lines({ origin }), body: good });
    expect([answer.status, answer.json.error.data.code]).toEqual([403, 'origin-not-allowed']);
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1:8080', 'https://localhost', 'http://[::1]:5173'])('takes a page of this machine: %s', async (origin) => {
    expect((await send({ lines: lines({ origin }), body: good })).status).toBe(200);
  });

  it('refuses what a browser marks as sent by another site, and one given twice', async () => {
    expect((await send({ lines: lines({ 'sec-fetch-site': 'cross-site' }), body: good })).status).toBe(403);
    expect((await send({ lines: [...lines({ origin: 'http://localhost:1' }), 'origin', 'http://localhost:2'], body: good })).status).toBe(403);
    expect((await send({ lines: lines({ 'sec-fetch-site': 'none' }), body: good })).status).toBe(200);
  });
});

describe('the token', () => {
  it.each([[null], ['Bearer'], ['Bearer '], ['Basic dG9rZW4tYWxwaGE6'], ['token-alpha'], ['Bearer token-alph'], ['Bearer token-alpha x'], [`Bearer ${CONTROL_TOKEN}`]])('refuses %j on a client route', async (authorization) => {
    const answer = await send({ lines: lines({ authorization }), body: good });
    expect([answer.status, answer.json.error.data.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="countersign"');
  });

  it('is never taken from the address, and never when it is given twice', async () => {
    expect((await send({ path: `${INVOKE}?access_token=token-alpha&token=token-alpha`, lines: lines({ authorization: null }), body: good })).status).toBe(401);
    const twice = `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer token-alpha\r\nAuthorization: Bearer token-alpha\r\nContent-Type: application/json\r\nContent-Length: ${good.length}\r\nConnection: close\r\n\r\n${good}`;
    expect(await wire(stand.port, twice)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('of a client opens no control route', async () => {
    for (const path of ['/v1/mcp-gateway/targets', '/v1/mcp-gateway/handles', '/v1/countersign/doctor', '/v1/countersign/audit/export']) {
      expect((await send({ method: 'GET', path, lines: lines() })).status).toBe(401);
    }
  });

  it('is taken whatever the case of its scheme', async () => {
    expect((await send({ lines: lines({ authorization: 'bearer token-alpha' }), body: good })).status).toBe(200);
  });
});

describe('the content type', () => {
  it.each([[null], ['text/plain'], ['application/x-www-form-urlencoded'], ['multipart/form-data; boundary=x'], ['application/json-rpc'], ['application/json; charset=utf-16'], ['application/json, text/plain'], ['text/json']])('refuses %j', async (type) => {
    const answer = await send({ lines: lines({ 'content-type': type }), body: good });
    expect([answer.status, answer.json.error.data.code]).toEqual([415, 'content-type-not-supported']);
  });

  it.each(['application/json', 'Application/JSON', 'application/json;charset=utf-8', 'application/json; charset="UTF-8"'])('takes %s', async (type) => {
    expect((await send({ lines: lines({ 'content-type': type }), body: good })).status).toBe(200);
  });

  it('refuses a compressed body', async () => {
    expect((await send({ lines: lines({ 'content-encoding': 'gzip' }), body: good })).status).toBe(415);
  });
});

describe('the size', () => {
  it('is judged by its announcement before a byte of the body is read', async () => {
    const head = `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer token-alpha\r\nContent-Type: application/json\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`;
    expect(await wire(stand.port, head)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is judged as it grows when it is not announced', async () => {
    const chunk = 'x'.repeat(1000);
    const body = Array.from({ length: 6 }, () => `3e8\r\n${chunk}\r\n`).join('');
    const answer = await wire(stand.port, `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer token-alpha\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body-too-large');
  });

  it.each([['413', 'token-alpha'], ['401', 'wrong']])('a client that is still sending reads the refusal (%s) and may go on, since its connection is not broken under it', async (status, token) => {
    const half = 'x'.repeat(100_000);
    const head = (bearer: string, length: number) => `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer ${bearer}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      let seen = '';
      const socket = net.connect(stand.port, '127.0.0.1', () => socket.write(head(token, 2 * half.length) + half));
      socket.setEncoding('latin1').on('data', (part: string) => {
        if (seen === '') socket.write(half + head('token-alpha', good.length) + good);
        seen += part;
        if (seen.includes('"result"')) socket.destroy();
      });
      socket.on('error', reject).on('close', () => resolve(seen));
    });
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('"result"');
  });

  it.each([['413', 'token-alpha', 'application/json'], ['401', 'wrong', 'application/json'], ['415', 'token-alpha', 'text/plain']])('a client that sends its last request to the end reads the refusal (%s) too, and is let go after it', async (status, token, type) => {
    const [part, parts] = ['x'.repeat(100_000), 50];
    const text = await new Promise<string>((resolve, reject) => {
      let seen = '';
      const head = `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${parts * part.length}\r\nConnection: close\r\n\r\n`;
      const socket = net.connect(stand.port, '127.0.0.1', () => socket.write(head));
      const send = (left: number): unknown => left > 0 && socket.write(part, () => send(left - 1));
      socket.setEncoding('latin1').on('data', (more: string) => {
        if (seen === '') send(parts);
        seen += more;
      });
      socket.on('error', reject).on('close', () => (socket.bytesWritten === head.length + parts * part.length ? resolve(seen) : reject(new Error(`closed after ${socket.bytesWritten} bytes`))));
    });
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('may reach the limit', async () => {
    const room = LIMIT - JSON.stringify(call(1, 'echo', { text: '' })).length;
    expect((await send({ lines: lines(), body: JSON.stringify(call(1, 'echo', { text: 'x'.repeat(room) })) })).status).toBe(200);
  });

  it('lets a client that asks first know before it sends', async () => {
    const head = (length: number, token: string) => `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
    expect(await wire(stand.port, head(good.length, 'wrong'))).toMatch(/^HTTP\/1\.1 401 /);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = net.connect(stand.port, '127.0.0.1', () => socket.write(head(good.length, 'token-alpha')));
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
        if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(good);
        if (text.includes('"result"')) socket.destroy();
      });
      socket.on('error', reject).on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

describe('strict JSON', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"amount":1,"amount":2}}}', 'params.arguments.amount'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":9007199254740993}}}', 'params.arguments.n'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"__proto__":{}}}}', 'params.arguments'],
  ])('refuses %s with the place', async (body, at) => {
    const answer = await send({ lines: lines(), body });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: -32700, data: { code: 'invalid-json' } });
    expect(answer.json.error.data.at).toContain(at);
  });

  it.each([
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]'],
    ['{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{}}'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{}}'],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"extra":1}'],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/call"}'],
    ['{"jsonrpc":"2.0","method":"tools/call","params":{}}'],
    ['{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{}}'],
    ['{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['7'],
  ])('refuses the envelope %s', async (body) => {
    const answer = await send({ lines: lines(), body });
    expect([answer.status, answer.json.error.code]).toEqual([400, -32600]);
  });
});

describe('the listener', () => {
  it('cuts a sender that dawdles in its head or in its body', async () => {
    expect(await wire(stand.port, 'POST /mcp HTTP/1.1\r\nHost: ')).toMatch(/^HTTP\/1\.1 408 /);
    const answer = await wire(stand.port, `POST ${INVOKE} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer token-alpha\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers what is no HTTP, and heads without end, with JSON', async () => {
    const garbage = await wire(stand.port, 'hello\r\n\r\n');
    expect(garbage).toMatch(/^HTTP\/1\.1 400 [\s\S]*"invalid-request"/);
    expect(await wire(stand.port, `GET /mcp HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('writes no refusal into an answer that is under way', async () => {
    const session = await openSession(stand);
    const head = `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\nAuthorization: Bearer token-alpha\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\n\r\n`;
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = net.connect(stand.port, '127.0.0.1', () => socket.write(head));
      socket.setEncoding('latin1').on('data', (part: string) => {
        if (received === '') socket.write('garbage\r\n\r\n');
        received += part;
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text.match(/HTTP\/1\.1/g)).toEqual(['HTTP/1.1']);
  });

  it('says that it is alive, and proves who it is to whoever asks', async () => {
    const challenge = 'c0ffee'.repeat(8);
    expect((await send({ method: 'GET', path: '/healthz', lines: lines({ authorization: null }) })).json).toEqual({ status: 'ok' });
    const proven = await send({ method: 'GET', path: `/healthz?challenge=${challenge}`, lines: lines({ authorization: null }) });
    expect(proven.json).toEqual({ status: 'ok', proof: listenerProof(ENDPOINT_KEY, challenge, stand.port) });
    expect((await send({ method: 'GET', path: '/healthz?challenge=XYZ', lines: lines() })).status).toBe(400);
    expect((await send({ method: 'GET', path: '/healthz', lines: lines({ host: 'evil.example' }) })).status).toBe(403);
    expect((await send({ method: 'HEAD', path: '/healthz', lines: lines() })).status).toBe(200);
  });

  it('that is closing cuts a request which never comes to its end as soon as it is told to', async () => {
    const own = await openStand();
    const socket = net.connect(own.port, '127.0.0.1');
    const cut = new Promise((resolve) => socket.once('close', resolve));
    const goes = new Promise((resolve) => socket.once('data', resolve));
    socket.on('error', () => undefined);
    socket.write([`POST ${INVOKE} HTTP/1.1`, `host: 127.0.0.1:${own.port}`, 'authorization: Bearer token-alpha', 'content-type: application/json', 'expect: 100-continue', 'content-length: 1000', '', ''].join('\r\n'));
    expect(String(await goes)).toContain('100 Continue');
    const closed = own.gateway.close(600_000);
    await own.gateway.close(0);
    await Promise.all([closed, cut]);
  });

  it('listens on 127.0.0.1 alone, and refuses a port that somebody holds without speaking to the holder', async () => {
    let spokenTo = 0;
    const holder = net.createServer(() => (spokenTo += 1));
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as net.AddressInfo;
    const second = await openStand();
    try {
      await second.gateway.close(0);
      expect(await second.gateway.listen(port)).toEqual({ ok: false, code: 'port-taken' });
      expect(spokenTo).toBe(0);
    } finally {
      holder.close();
    }
    await expect(new Promise((resolve, reject) => net.connect(stand.port, '127.0.0.2', () => resolve('open')).on('error', reject))).rejects.toThrow(/ECONNREFUSED/);
  });
});
