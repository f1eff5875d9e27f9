import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startHttpWorker } from '../../support/workers/http-worker.ts';
import type { Exchange, HttpWorker, HttpWorkerOptions } from '../../support/workers/http-worker.ts';
import { aCall, anHttpTarget, aRelay, downstream, harness, id, textOf, until } from '../../support/workers/harness.ts';
import type { Harness, HarnessOptions } from '../../support/workers/harness.ts';

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
  open = [];
});
async function start(options: HttpWorkerOptions = {}, over: HarnessOptions = {}): Promise<{ worker: HttpWorker; made: Harness }> {
  const worker = await startHttpWorker(options);
  const made = harness({ specs: () => [anHttpTarget('remote', worker.url, { headers: { Authorization: 'Bearer of-the-entry', 'X-Key': 'k' } })], ...over });
  open.push(worker, made);
  return { worker, made };
}
const methods = (worker: HttpWorker): string[] => worker.seen.map(({ method, message }) => message?.method ?? method);

describe('sessions with an HTTP target', () => {
  it('are opened on the first need, with what the client declared, and carry id, version and the headers of the entry', async () => {
    const { worker, made } = await start();
    expect(worker.seen).toHaveLength(0);
    made.targets.beginSession(downstream('s', { roots: {} }), () => undefined);
    await made.targets.call(aCall('remote', 'x', { a: 1 }, { session: 's' }));
    // A server may ask such a client something, and many ask on the stream that belongs to no request.
    expect(methods(worker)).toEqual(['initialize', 'notifications/initialized', 'GET', 'tools/call']);
    const [first, ready, , call] = worker.seen;
    expect(first?.message?.params).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'test', version: '1' } });
    expect(first?.headers).not.toHaveProperty('mcp-session-id');
    for (const one of [ready, call]) expect(one?.headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25', authorization: 'Bearer of-the-entry', 'x-key': 'k', 'accept-encoding': 'identity', accept: 'application/json, text/event-stream' });
    expect(call?.text).toContain('"params":{"arguments":{"a":1},"name":"x"}}');
  });

  it('speak for the gateway itself when no client stands behind them', async () => {
    const { worker, made } = await start({}, { capabilities: { elicitation: {} } });
    await made.targets.call(aCall('remote', 'x', {}, { session: 'rest:local' }));
    expect(worker.seen[0]?.message?.params).toMatchObject({ capabilities: { elicitation: {} }, clientInfo: { name: 'countersign' } });
  });

  it('open no stream of their own for a client that can be asked nothing', async () => {
    const { worker, made } = await start({}, { capabilities: {} });
    made.targets.beginSession(downstream('s'), () => undefined);
    await made.targets.call(aCall('remote', 'x', {}, { session: 's' }));
    expect(methods(worker)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('call before a server has taken up that stream, when it lets them wait for it', async () => {
    const { worker, made } = await start({ first: ({ seen }) => seen.method === 'GET' });
    expect((await made.targets.call(aCall('remote', 'x'))).kind).toBe('result');
    expect(methods(worker)).toContain('GET');
  });

  it('are one for each downstream session, shared by its concurrent calls', async () => {
    const { worker, made } = await start();
    await Promise.all(['a', 'a', 'a', 'b'].map((session) => made.targets.call(aCall('remote', 'x', {}, { session }))));
    expect(methods(worker).filter((method) => method === 'initialize')).toHaveLength(2);
    const used = worker.seen.filter(({ message }) => message?.method === 'tools/call').map(({ headers }) => headers['mcp-session-id']);
    expect(used.filter((one) => one === used[0])).toHaveLength(3);
  });

  it('are ended with a DELETE when the downstream session ends, or when nobody has used them for long', async () => {
    const { worker, made } = await start({}, { limits: { sessionIdleMs: 100 } });
    await made.targets.call(aCall('remote', 'x', {}, { session: 'a' }));
    made.targets.endSession('a');
    await until(() => methods(worker).includes('DELETE'));
    await made.targets.call(aCall('remote', 'x', {}, { session: 'b' }));
    await until(() => methods(worker).filter((method) => method === 'DELETE').length === 2);
    expect(worker.seen.at(-1)?.headers['mcp-session-id']).toBe('session-2');
  });

  it('are opened anew once when the server says 404, and the call is sent again once', async () => {
    let forgets = 1;
    const forget = ({ seen, json }: Exchange): boolean => {
      if (seen.message?.method !== 'tools/call' || forgets === 0) return false;
      forgets -= 1;
      json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
      return true;
    };
    const { worker, made } = await start({ first: forget });
    expect((await made.targets.call(aCall('remote', 'x'))).kind).toBe('result');
    expect(methods(worker).filter((method) => method === 'tools/call')).toHaveLength(2);
    expect(methods(worker).filter((method) => method === 'initialize')).toHaveLength(2);

    forgets = 2;
    expect(await made.targets.call(aCall('remote', 'x'))).toMatchObject({ kind: 'fault', sent: false });
    expect(worker.calls('x')).toBe(4);
  });

  it('are not opened anew for a 404 of a server that has no sessions', async () => {
    const { worker, made } = await start({ sessions: false, first: ({ seen, response }) => seen.message?.method === 'tools/call' && (response.writeHead(404).end(), true) });
    expect(await made.targets.call(aCall('remote', 'x'))).toMatchObject({ kind: 'fault', code: 'upstream-fault', sent: true });
    expect(worker.calls('x')).toBe(1);
  });

  it('are tried again with the next call when the handshake has failed', async () => {
    let down = true;
    const { made } = await start({ first: ({ response }) => down && (response.writeHead(503).end(), true) });
    expect(await made.targets.call(aCall('remote', 'x'))).toMatchObject({ kind: 'fault', sent: false });
    expect(made.targets.status(id('remote'))).toMatchObject({ state: 'failed' });
    down = false;
    expect((await made.targets.call(aCall('remote', 'x'))).kind).toBe('result');
    expect(made.targets.status(id('remote'))).toMatchObject({ state: 'running', activeSandboxes: 0 });
  });

  it('pass a notification of the client on, where they are open', async () => {
    const { worker, made } = await start();
    made.targets.tell('a', 'notifications/roots/list_changed', {});
    await made.targets.call(aCall('remote', 'x', {}, { session: 'a' }));
    made.targets.tell('a', 'notifications/roots/list_changed', {});
    await until(() => methods(worker).includes('notifications/roots/list_changed'));
    expect(methods(worker)[0]).toBe('initialize');
  });
});

describe('connections to an HTTP target', () => {
  it('are kept from call to call, and one the server has closed meanwhile loses nothing', async () => {
    const { worker, made } = await start({ closesUnusedAfterMs: 150 });
    for (let n = 0; n < 10; n += 1) await made.targets.call(aCall('remote', 'x'));
    expect(worker.connections()).toBeLessThanOrEqual(2);
    const before = worker.connections();
    await until(() => worker.openConnections() === 0);
    expect((await made.targets.call(aCall('remote', 'x'))).kind).toBe('result');
    expect(worker.connections()).toBe(before + 1);
    expect(worker.calls('x')).toBe(11);
  });

  it('that cannot be made any more carry nothing: the call was not sent', async () => {
    // No connection is kept, so that the next call has to make one.
    const { worker, made } = await start({ first: ({ response }) => (response.setHeader('connection', 'close'), false) });
    await made.targets.call(aCall('remote', 'x'));
    await worker.close();
    expect(await made.targets.call(aCall('remote', 'x'))).toMatchObject({ kind: 'fault', code: 'upstream-unreachable', sent: false });
  });

  it('are made over IPv6 as well', async () => {
    const worker = await startHttpWorker({ host: '::1' });
    const made = harness({ specs: () => [anHttpTarget('six', `http://[::1]:${worker.port}/mcp`)] });
    open.push(worker, made);
    expect((await made.targets.call(aCall('six', 'x'))).kind).toBe('result');
    expect(worker.seen[0]?.headers.host).toBe(`[::1]:${worker.port}`);
  });
});

describe('what an HTTP target tells of its own accord', () => {
  const listening = (streams: ReturnType<Exchange['stream']>[], gets: Exchange[]) => (exchange: Exchange): boolean => {
    if (exchange.seen.method !== 'GET') return false;
    gets.push(exchange);
    streams.push(exchange.stream());
    return true;
  };

  it('is heard on a stream that is opened when a list is asked for; lists are kept while it is open', async () => {
    const streams: ReturnType<Exchange['stream']>[] = [];
    const gets: Exchange[] = [];
    const { worker, made } = await start({ capabilities: { tools: { listChanged: true } }, first: listening(streams, gets) });
    const changes: unknown[] = [];
    const told: unknown[] = [];
    made.targets.onChanged((_, what) => changes.push(what));
    made.targets.beginSession(downstream(), (target, method, params) => told.push([target, method, params]));
    const list = () => made.targets.list(id('remote'), 'tools/list', downstream());
    const lists = () => methods(worker).filter((method) => method === 'tools/list').length;
    await list();
    await until(() => streams.length === 1);
    expect(gets[0]?.seen.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 'session-1' });
    streams[0]?.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }, 'e1');
    await until(() => told.length === 1);
    expect(told).toEqual([['remote', 'notifications/message', { level: 'info', data: 'x' }]]);
    await list();
    const before = lists();
    await list();
    expect(lists()).toBe(before);
    streams[0]?.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until(() => changes.length === 1);
    expect(changes).toEqual(['tools']);
    await list();
    expect(lists()).toBe(before + 1);

    // The stream breaks: nothing is kept until it is open again, and then all may have changed.
    streams[0]?.raw('retry: 10\n\n');
    streams[0]?.end();
    await until(() => streams.length === 2);
    expect(gets[1]?.seen.headers['last-event-id']).toBe('e1');
    await until(() => changes.length === 4);
    await list();
    expect(lists()).toBe(before + 2);
  });

  it('is not asked for again when the server has no such stream', async () => {
    const { worker, made } = await start({ capabilities: { tools: { listChanged: true } } });
    for (let n = 0; n < 3; n += 1) await made.targets.list(id('remote'), 'tools/list', downstream());
    expect(methods(worker).filter((method) => method === 'GET')).toHaveLength(1);
    expect(methods(worker).filter((method) => method === 'tools/list')).toHaveLength(3);
  });
});

describe('the stream of a call', () => {
  it('carries progress, questions and the answer, each to its own call', async () => {
    const answers: unknown[] = [];
    const tools = {
      ask: ({ seen, stream }: Exchange) => {
        const out = stream();
        const token = (seen.message?.params as { _meta?: { progressToken?: unknown } })._meta?.progressToken;
        out.event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
        out.event({ jsonrpc: '2.0', id: `q${String(seen.message?.id)}`, method: 'elicitation/create', params: { message: seen.message?.params?.arguments?.['who'] } });
        pending.push(() => {
          out.event({ jsonrpc: '2.0', id: seen.message?.id, result: { content: [{ type: 'text', text: String(seen.message?.params?.arguments?.['who']) }] } });
          out.end();
        });
      },
    };
    const pending: (() => void)[] = [];
    const first = ({ seen, response }: Exchange): boolean => {
      if (seen.message === undefined || seen.message.method !== undefined) return false;
      answers.push(seen.message);
      response.writeHead(202).end();
      return true;
    };
    const { made } = await start({ tools, first });
    const ada = aRelay(() => Promise.resolve({ action: 'accept' }), 'token-ada');
    const bob = aRelay(() => Promise.resolve({ action: 'decline' }), 'token-bob');
    const calls = [made.targets.call(aCall('remote', 'ask', { who: 'ada' }, { relay: ada.relay })), made.targets.call(aCall('remote', 'ask', { who: 'bob' }, { relay: bob.relay }))];
    await until(() => answers.length === 2);
    pending.forEach((finish) => finish());
    expect((await Promise.all(calls)).map(textOf)).toEqual(['ada', 'bob']);
    expect(ada.asked).toMatchObject([{ params: { message: 'ada' } }]);
    expect(bob.asked).toMatchObject([{ params: { message: 'bob' } }]);
    expect(ada.notes).toMatchObject([{ params: { progressToken: 'token-ada' } }]);
  });

  it('is taken up again with a GET where the server said how, and the call is never posted again', async () => {
    const resumed: Exchange[] = [];
    const tools = {
      slow: ({ stream, seen }: Exchange) => {
        ids.push(seen.message?.id);
        const out = stream();
        out.raw('retry: 20\n\n');
        out.event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }, 'event-7');
        out.end();
      },
    };
    const ids: unknown[] = [];
    const first = (exchange: Exchange): boolean => {
      if (exchange.seen.method !== 'GET' || exchange.seen.headers['last-event-id'] === undefined) return false;
      resumed.push(exchange);
      const out = exchange.stream();
      out.event({ jsonrpc: '2.0', id: ids[0], result: { content: [{ type: 'text', text: 'late' }] } });
      out.end();
      return true;
    };
    const { worker, made } = await start({ tools, first });
    expect(textOf(await made.targets.call(aCall('remote', 'slow')))).toBe('late');
    expect(resumed[0]?.seen.headers).toMatchObject({ 'last-event-id': 'event-7', 'mcp-session-id': 'session-1', accept: 'text/event-stream' });
    expect(worker.calls('slow')).toBe(1);
  });
});

describe('the older transport', () => {
  /** A server whose stream names an endpoint of the test's choosing. */
  async function startOlder(endpoint: (port: number) => string): Promise<{ port: number; posts: string[] }> {
    const posts: string[] = [];
    let stream: http.ServerResponse | undefined;
    const server = http.createServer((request, response) => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write(`event: endpoint\ndata: ${endpoint((server.address() as AddressInfo).port)}\n\n`);
        return;
      }
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
        posts.push(request.url ?? '');
        const message = JSON.parse(text) as { id?: number; method: string };
        response.writeHead(202).end();
        if (message.method === 'tools/call') stream?.destroy();
        else if (message.id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: {} } })}\n\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    });
    return { port: (server.address() as AddressInfo).port, posts };
  }

  it.each([(port: number) => `http://localhost:${port}/message`, () => 'http://127.0.0.1:1/message', () => '//example.com/message', () => 'https://example.com/'])('refuses an endpoint on another origin (%#)', async (endpoint) => {
    const { port, posts } = await startOlder(endpoint);
    const made = harness({ specs: () => [anHttpTarget('old', `http://127.0.0.1:${port}/sse`, { transport: 'sse' })] });
    open.push(made);
    expect(await made.targets.call(aCall('old', 'x'))).toMatchObject({ kind: 'fault', code: 'upstream-unreachable', sent: false });
    expect(posts).toEqual([]);
  });

  it('loses the call when its stream breaks, and opens another for the next', async () => {
    const { port, posts } = await startOlder(() => '/message?session=1');
    const made = harness({ specs: () => [anHttpTarget('old', `http://127.0.0.1:${port}/sse`, { transport: 'sse' })] });
    open.push(made);
    expect(await made.targets.call(aCall('old', 'x'))).toMatchObject({ kind: 'lost' });
    expect(await made.targets.face(id('old'), downstream())).toMatchObject({ protocolVersion: '2024-11-05' });
    expect(posts).toEqual(['/message?session=1', '/message?session=1', '/message?session=1', '/message?session=1', '/message?session=1']);
  });
});
