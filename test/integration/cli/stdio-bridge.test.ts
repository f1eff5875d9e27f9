import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openChannel } from '../../../src/main/cli/channel.ts';
import { createStdioBridge } from '../../../src/main/cli/stdio/bridge.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

interface Asked {
  readonly method: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly message: { readonly id?: number; readonly method?: string } | undefined;
}

/** A bridge to an HTTP server that answers as a test says; `said` is what its client reads. */
async function aBridge(serve: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void) {
  const asked: Asked[] = [];
  const said: string[] = [];
  const heard = new Set<() => void>();
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      const one: Asked = { method: request.method ?? '', headers: request.headers, text, message: text === '' ? undefined : (JSON.parse(text) as Asked['message']) };
      asked.push(one);
      if (one.method === 'GET') response.writeHead(405).end();
      else if (one.method === 'DELETE') response.writeHead(204).end();
      else serve(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const bridge = createStdioBridge({
    connect: () => openChannel({ port, prove: async (exchange) => { await exchange({ method: 'DELETE', path: '/', patienceMs: 1_000 }); } }),
    token: 'cs_token', path: '/mcp', pause: (ms) => new Promise((resolve) => void setTimeout(resolve, ms).unref()),
    out(line) {
      said.push(line);
      for (const look of heard) look();
    },
  });
  undo.push(async () => {
    await bridge.end();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    bridge, asked, said,
    posts: () => asked.filter(({ method }) => method === 'POST'),
    lines: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (said.length < count) return;
          heard.delete(look);
          resolve();
        };
        heard.add(look);
        look();
      }),
  };
}
const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const request = (id: number, method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialized = { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } } };

describe('the bridge between stdio and HTTP', () => {
  it('sends messages to the byte, with token, session and version, in their order', async () => {
    let answer: (() => void) | undefined;
    const { bridge, posts, said, lines } = await aBridge((one, response) => {
      if (one.message?.method === 'initialize') answer = () => json(response, initialized, 200, { 'mcp-session-id': 'abc' });
      else if (one.message?.id === undefined) response.writeHead(202).end();
      else json(response, { jsonrpc: '2.0', id: one.message.id, result: {} });
    });
    const call = '{"jsonrpc":"2.0", "id":2,"method":"tools/call","params":{"name":"a","arguments":{"n":1.0,"text":"\\u20ac \u2028"}}}';
    for (const line of [request(1, 'initialize'), '{"jsonrpc":"2.0","method":"notifications/initialized"}', call, '   ']) bridge.take(line);
    await expect.poll(() => answer).toBeDefined();
    answer?.();
    await lines(2);
    expect(posts().map(({ text }) => text)).toEqual([request(1, 'initialize'), '{"jsonrpc":"2.0","method":"notifications/initialized"}', call]);
    expect(posts().map(({ headers }) => [headers.authorization, headers['mcp-session-id'], headers['mcp-protocol-version']])).toEqual([
      ['Bearer cs_token', undefined, undefined], ['Bearer cs_token', 'abc', '2025-11-25'], ['Bearer cs_token', 'abc', '2025-11-25'],
    ]);
    expect(said.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
  });

  it('brings every message of an event stream, one a line, and says so when the answer never came', async () => {
    let breakOff: (() => void) | undefined;
    const { bridge, said, lines } = await aBridge((one, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      breakOff = () => void response.destroy();
      response.write(': hello\r\n\r\nevent: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress",\r\ndata: "params":{}}\r\n\r\n');
      if (one.message?.id === 1) response.end('data: {"jsonrpc":"2.0","id":1,"result":{"text":"€"}}\n\n');
    });
    bridge.take(request(1, 'tools/call'));
    await lines(2);
    bridge.take(request(2, 'tools/call'));
    await lines(3);
    breakOff?.();
    await lines(4);
    expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { method: 'notifications/progress' }, { id: 1, result: { text: '€' } },
      { method: 'notifications/progress' }, { id: 2, error: { message: expect.stringContaining('not known') } },
    ]);
    expect(said.join('')).not.toContain('\n');
  });

  it('opens a forgotten session anew with the client’s own words, and sends the refused request once more', async () => {
    let sessions = 0;
    const { bridge, posts, said, lines } = await aBridge((one, response) => {
      if (one.message?.method === 'initialize') json(response, initialized, 200, { 'mcp-session-id': `s${(sessions += 1)}` });
      else if (one.message?.id === undefined) response.writeHead(202).end();
      else if (one.headers['mcp-session-id'] === 's1') json(response, { jsonrpc: '2.0', id: null, error: { code: 40402, message: 'This session is not known, or has ended.' } }, 404);
      else json(response, { jsonrpc: '2.0', id: one.message.id, result: { in: one.headers['mcp-session-id'] } });
    });
    for (const line of [request(1, 'initialize'), '{"jsonrpc":"2.0","method":"notifications/initialized"}', request(2, 'tools/list')]) bridge.take(line);
    await lines(2);
    expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id: 1 }, { id: 2, result: { in: 's2' } }]);
    expect(posts().map(({ message }) => message?.method)).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'initialize', 'notifications/initialized', 'tools/list']);
  });

  it('gives a refusal the id of its request, and answers what is no message', async () => {
    const { bridge, said, lines } = await aBridge((_, response) => json(response, { jsonrpc: '2.0', id: null, error: { code: 40101, message: 'The bearer token is missing or not known.' } }, 401));
    bridge.take('not json');
    bridge.take(request(7, 'tools/list'));
    await lines(2);
    expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id: null, error: { code: -32700 } }, { id: 7, error: { code: 40101 } }]);
  });

  it('speaks for a stateless client: its version and names in the headers, no session, and a cancel that closes the answer', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { bridge, posts, lines } = await aBridge((_, response, incoming) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n');
      incoming.socket.once('close', () => closed?.());
    });
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    bridge.take(request(5, 'tools/call', { name: 'naïve', arguments: {}, _meta: meta }));
    await expect.poll(() => posts().length).toBe(1);
    expect(posts()[0]!.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': `=?base64?${Buffer.from('naïve').toString('base64')}?=` });
    expect(posts()[0]!.headers).not.toHaveProperty('mcp-session-id');
    await lines(1); // the head of the answer is there
    bridge.take(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5, _meta: meta } }));
    await gone;
    expect(posts()).toHaveLength(1);
  });

  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const cancel = (requestId: number): string => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

  it('closes the answer of a stateless request that is cancelled before it began, though the cancel says nothing of its version, and tells nothing more of it', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { bridge, posts, said, lines } = await aBridge((one, response, incoming) => {
      if (one.message?.id === 6) json(response, { jsonrpc: '2.0', id: 6, result: {} });
      else incoming.socket.once('close', () => closed?.()); // a call that passes is silent until it is done
    });
    bridge.take(request(5, 'tools/call', { name: 'slow', arguments: {}, _meta: meta }));
    await expect.poll(() => posts().length).toBe(1);
    bridge.take(cancel(5));
    await gone;
    bridge.take(request(6, 'tools/list', { _meta: meta }));
    await lines(1);
    expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ id: 6, result: {} }]);
    expect(posts().map(({ message }) => message?.method)).toEqual(['tools/call', 'tools/list']);
  });

  it('sends the cancel of a session on, and is silent when the answer then ends with nothing in it', async () => {
    const held: ServerResponse[] = [];
    const { bridge, said, lines } = await aBridge((one, response) => {
      if (one.message?.method === 'initialize') json(response, initialized, 200, { 'mcp-session-id': 'abc' });
      else if (one.message?.method === 'notifications/cancelled') {
        response.writeHead(202).end();
        held[0]?.end();
      } else if (one.message?.method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        held.push(response);
      } else json(response, { jsonrpc: '2.0', id: one.message?.id, result: {} });
    });
    bridge.take(request(1, 'initialize'));
    bridge.take(request(2, 'tools/call', { name: 'risky', arguments: {} }));
    await expect.poll(() => held.length).toBe(1);
    bridge.take(cancel(2));
    bridge.take(request(3, 'ping'));
    await lines(2);
    await expect.poll(() => held[0]!.closed).toBe(true);
    expect(said.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 3]);
  });

  it('says again in headers what the stateless revision wants said there: ids of tasks, names that look encoded, and the arguments a listed tool marks', async () => {
    const region = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    const { bridge, posts, lines } = await aBridge((one, response) => json(response, { jsonrpc: '2.0', id: one.message?.id, result: one.message?.method === 'tools/list' ? { tools: [{ name: 'move', inputSchema: region }] } : {} }));
    bridge.take(request(1, 'tools/list', { _meta: meta }));
    await lines(1);
    bridge.take(request(2, 'tools/call', { name: 'move', arguments: { region: 'Zürich' }, _meta: meta }));
    bridge.take(request(3, 'tasks/get', { taskId: 'txn_1_abc', _meta: meta }));
    bridge.take(request(4, 'prompts/get', { name: '=?base64?eA==?=', _meta: meta }));
    await lines(4);
    const of = (id: number): http.IncomingHttpHeaders => posts().find(({ message }) => message?.id === id)!.headers;
    const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    expect(of(2)).toMatchObject({ 'mcp-name': 'move', 'mcp-param-region': encoded('Zürich') });
    expect(of(3)).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': 'txn_1_abc' });
    expect(of(4)).toMatchObject({ 'mcp-name': encoded('=?base64?eA==?=') });
  });
});
