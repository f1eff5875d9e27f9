/** What a hostile or broken client tries at the MCP endpoints of the composed product, in both eras. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startFixture } from '../../conformance/fixture/server.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { until, worker } from '../../support/workers/harness.ts';
import { startHttpWorker, type HttpWorker } from '../../support/workers/http-worker.ts';
import { raw } from '../gateway/raw.ts';
import { initialize } from '../gateway/mcp-client.ts';
import { answerOf, ask, META, type Told } from '../mcp/stateless-client.ts';

let product: Product;
let fixture: Awaited<ReturnType<typeof startFixture>>;
let heard: HttpWorker;
let bob: string;

beforeAll(async () => {
  fixture = await startFixture();
  heard = await startHttpWorker();
  const daemon = (preflight_pattern: string) => ({ command: 'node', args: [worker('sample.mjs')], preflight_pattern });
  product = await startProduct({ servers: { brief: { ...daemon('button:DROP'), expires_after_s: 1 }, one: daemon('button:DROP'), two: daemon('button:SELECT'), web: { url: fixture.url, preflight_pattern: 'button:DROP' }, heard: { url: heard.url, preflight_pattern: 'button:DROP' } } });
  bob = String((await product.control('POST', '/v1/countersign/clients', { name: 'bob', roles: [] })).json['token']);
});
afterAll(async () => {
  await product.close();
  await fixture.close();
  await heard.close();
});
const queue = () => product.composition.approvals.queue();
afterEach(() => {
  for (const { id, request } of queue()) product.composition.approvals.decline({ id, hash: request.hash, reason: null, actor: 'window' });
});

const ADDRESSES = ['/mcp', '/v1/mcp-gateway/invoke', '/v1/mcp-gateway/one/mcp'] as const;
const port = (): number => Number(new URL(product.url).port);
const BOTH = 'application/json, text/event-stream';
const lines = (over: Readonly<Record<string, string | undefined>> = {}): string[] =>
  Object.entries<string | undefined>({ host: `127.0.0.1:${port()}`, authorization: `Bearer ${product.token}`, 'content-type': 'application/json', accept: BOTH, ...over }).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
const hello = JSON.stringify(initialize());

describe.each(ADDRESSES)('the address %s', (path) => {
  it.each<[string, Readonly<Record<string, string | undefined>>, number]>([
    ['Host of somewhere else', { host: 'evil.example:8356' }, 403],
    ['Host with another port', { host: 'localhost:1' }, 403],
    ['no Host', { host: undefined }, 403],
    ['Origin of somewhere else', { origin: 'https://evil.example' }, 403],
    ['Origin null', { origin: 'null' }, 403],
    ['Origin of an extension', { origin: 'chrome-extension://abcdefgh' }, 403],
    ['content that is text', { 'content-type': 'text/plain' }, 415],
    ['content of a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['content of no kind', { 'content-type': undefined }, 415],
    ['no token', { authorization: undefined }, 401],
    ['another token', { authorization: 'Bearer nobody' }, 401],
  ])('lets nobody in with %s', async (_, over, status) => {
    expect((await raw(port(), { path, lines: lines(over), body: hello })).status).toBe(status);
  });

  it('takes no token from the address, and nobody in without an Origin but with a token is kept out', async () => {
    expect((await raw(port(), { path: `${path}?access_token=${product.token}`, lines: lines({ authorization: undefined }), body: hello })).status).toBe(401);
    expect((await raw(port(), { path, lines: lines(), body: hello })).status).toBe(200);
  });

  it.each<[string, string]>([
    ['a batch', `[${hello},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one__echo","arguments":{"text":"DROP"}}}]`],
    ['"Method"', hello.replace('"method"', '"Method"')],
    ['a look-alike of params', hello.replace('"params"', '"param\u017f"')],
    ['one member more', hello.replace('{', '{"extra":1,')],
    ['the same member twice', hello.replace('"id":0', '"id":0,"id":1')],
  ])('takes no message with %s', async (_, body) => {
    const answer = await raw(port(), { path, lines: lines(), body });
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe(answer.json.error.data.code === 'invalid-json' ? -32700 : -32600);
    expect(queue()).toEqual([]);
  });

  it('asks a stateless client for headers that say what the body says, and knows no sessions of it', async () => {
    const call = (head: Record<string, string | undefined>): Promise<Told> => answerOf(ask(product, 'tools/call', { name: path.includes('one') ? 'echo' : 'one__echo', arguments: { text: 'hi' } }, { token: product.token, path, head }));
    for (const head of [{ 'mcp-name': 'safe' }, { 'mcp-name': undefined }, { 'mcp-method': undefined }, { 'mcp-name': `=?base64?${Buffer.from('safe').toString('base64')}?=` }]) expect(await call(head)).toMatchObject({ status: 400, error: { code: -32020 } });
    expect(await call({ 'mcp-session-id': 'made-up', 'last-event-id': '7' })).toMatchObject({ status: 200, result: { content: [{ text: 'hi' }] } });
    for (const method of ['GET', 'DELETE']) {
      const answer = await raw(port(), { method, path, lines: lines({ 'content-type': undefined, accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' }) });
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
    }
  });
});

describe('one guard for whatever is asked', () => {
  const risky: readonly [string, string, Record<string, unknown>, string][] = [
    ['a tool call', 'tools/call', { name: 'echo', arguments: { text: 'DROP TABLE t' } }, 'one'],
    ['a tool call with the risk in its _meta', 'tools/call', { name: 'echo', arguments: {}, _meta: { note: 'DROP' } }, 'one'],
    ['a tool call with the risk in a member nobody knows', 'tools/call', { name: 'echo', arguments: {}, also: 'DROP' }, 'one'],
    ['a read', 'resources/read', { uri: 'test://DROP' }, 'web'],
    ['a prompt', 'prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'DROP', arg2: 'b' } }, 'web'],
    ['a completion', 'completion/complete', { ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'DROP' } }, 'web'],
    ['input that nobody asked for', 'tools/call', { name: 'echo', arguments: {}, inputResponses: { approval: { action: 'accept', content: { sql: 'DROP' } } } }, 'one'],
  ];
  it.each(risky)('%s is parked for a stateless client', async (_, method, params, target) => {
    const gone = new AbortController();
    const held = ask(product, method, params, { token: product.token, path: `/v1/mcp-gateway/${target}/mcp`, capabilities: { extensions: { [`${META}tasks`]: {} } }, signal: gone.signal }).then((response) => response.text()).catch(() => undefined);
    while (queue().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(queue()).toMatchObject([{ request: { target, method } }]);
    gone.abort();
    await held;
  });

  const session = async (path: string, token = product.token): Promise<string> => String((await raw(port(), { path, lines: lines({ authorization: `Bearer ${token}` }), body: hello })).headers['mcp-session-id']);
  const post = (path: string, id: string, message: object, token = product.token) => raw(port(), { path, lines: lines({ authorization: `Bearer ${token}`, 'mcp-session-id': id }), body: JSON.stringify({ jsonrpc: '2.0', ...message }) });

  it.each(risky)('%s is parked for a client with a session', async (_, method, given, target) => {
    // Another call than that of the stateless client, whose end would be told to the next that asks for the same.
    const params = { ...given, of: 'a session' };
    const path = `/v1/mcp-gateway/${target}/mcp`;
    const id = await session(path);
    const held = post(path, id, { id: 5, method, params });
    while (queue().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(queue()).toMatchObject([{ request: { target, method } }]);
    await post(path, id, { method: 'notifications/cancelled', params: { requestId: 5 } });
    await held;
    expect(queue()).toEqual([]);
  });

  it('what is told without waiting for an answer reaches no target when it would be trapped', async () => {
    const path = '/v1/mcp-gateway/heard/mcp';
    const id = await session(path);
    for (const [method, params] of [['notifications/fine', { sql: 'none' }], ['notifications/evil', { sql: 'DROP' }], ['notifications/roots/list_changed', {}]] as const) expect((await post(path, id, { method, params })).status).toBe(202);
    const told = (): unknown[] => heard.seen.flatMap(({ message }) => (message?.method?.startsWith('notifications/') === true ? [message.method] : []));
    await until(() => told().includes('notifications/roots/list_changed'));
    expect(told()).toEqual(['notifications/initialized', 'notifications/fine', 'notifications/roots/list_changed']);
  });

  it('a rule is of its target, though two have a tool of the same name', async () => {
    const said = async (target: string, text: string): Promise<string> => {
      const gone = AbortSignal.timeout(1_000);
      return answerOf(ask(product, 'tools/call', { name: `${target}__echo`, arguments: { text } }, { token: product.token, signal: gone })).then(({ result }) => String(result.content[0].text), () => 'parked');
    };
    expect(await Promise.all([said('one', 'SELECT'), said('two', 'DROP'), said('one', 'DROP'), said('two', 'SELECT')])).toEqual(['SELECT', 'DROP', 'parked', 'parked']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['approved:true', { approved: true, sql: 'DROP' }],
    ['a handle', { handle: 'txn_1792523154_ad45a9be4329', sql: 'DROP' }],
    ['a code', { totp: '123456', sql: 'DROP' }],
  ])('%s among the arguments changes nothing', async (_, args) => {
    const gone = new AbortController();
    const held = ask(product, 'tools/call', { name: 'echo', arguments: args }, { token: product.token, path: '/v1/mcp-gateway/one/mcp', signal: gone.signal }).catch(() => undefined);
    while (queue().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(queue()[0]?.state.status).toBe('parked');
    gone.abort();
    await held;
  });

  it('another client sees and ends nothing of it: no session, no task, no pending call', async () => {
    const id = await session('/mcp');
    expect((await post('/mcp', id, { id: 1, method: 'ping' }, bob)).status).toBe(404);
    expect((await raw(port(), { method: 'DELETE', lines: lines({ 'content-type': undefined, authorization: `Bearer ${bob}`, 'mcp-session-id': id }) })).status).toBe(404);
    expect((await post('/mcp', id, { id: 1, method: 'ping' })).status).toBe(200);

    const tasks = { capabilities: { extensions: { [`${META}tasks`]: {} } } };
    const { result } = await answerOf(ask(product, 'tools/call', { name: 'one__echo', arguments: { text: 'DROP' } }, { token: product.token, ...tasks }));
    const foreign = async (method: string, taskId: string): Promise<unknown> => (await answerOf(ask(product, method, { taskId }, { token: bob, ...tasks }))).error;
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) expect(await foreign(method, String(result.taskId))).toEqual(await foreign(method, 'txn_1792523154_ad45a9be4329'));
    expect((await answerOf(ask(product, 'tools/call', { name: 'countersign__pending', arguments: {} }, { token: bob }))).result).toMatchObject({ structuredContent: { pending: [] } });
    expect(queue()).toHaveLength(1);
  });
});

describe('a flood', () => {
  it('of calls beyond the twentieth is refused, and neither the queue nor what is harmless suffers from it', async () => {
    const tasks = { capabilities: { extensions: { [`${META}tasks`]: {} } } };
    const call = (text: string, token: string): Promise<Told> => answerOf(ask(product, 'tools/call', { name: 'one__echo', arguments: { text } }, { token, ...tasks }));
    for (let count = 0; count < 20; count += 1) expect((await call(`DROP ${count}`, bob)).result).toMatchObject({ resultType: 'task' });
    const over = await Promise.all(Array.from({ length: 200 }, (_, count) => call(`DROP more ${count}`, bob)));
    for (const { result } of over) expect(result).toMatchObject({ isError: true, _meta: { 'countersign/refusal': { code: 'too-many-pending' } } });
    const began = performance.now();
    const harmless = await Promise.all(Array.from({ length: 50 }, (_, count) => call(`fine ${count}`, product.token)));
    expect(harmless.map(({ result }) => String(result.content[0].text))).toEqual(Array.from({ length: 50 }, (_, count) => `fine ${count}`));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(queue()).toHaveLength(20);
    expect(queue().every(({ client }) => client === 'bob')).toBe(true);
    expect(readFileSync(product.dir.clientToken, 'utf8').trim()).toBe(product.token);
  });
});

describe('clients at once', () => {
  const slow = (token: string, id: number): Promise<Told> => answerOf(ask(product, 'tools/call', { name: 'progress', arguments: {}, _meta: { progressToken: 'p' } }, { token, id, path: '/v1/mcp-gateway/one/mcp' }));

  it('with the same ids and the same progress tokens get their own answers and their own progress', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, count) => slow(count % 2 === 0 ? product.token : bob, 7)));
    for (const { told, id, result } of answers) {
      expect(id).toBe(7);
      expect(told.slice(0, -1).map(({ params }: { params: { progressToken: unknown; progress: unknown } }) => [params.progressToken, params.progress])).toEqual([['p', 1], ['p', 2]]);
      expect(result).toMatchObject({ resultType: 'complete' });
    }
  });

  it('that hang up in the middle of five megabytes take nothing along', async () => {
    const text = 'x'.repeat(5 * 1024 * 1024);
    const rest = { path: '/v1/mcp-gateway/one/invoke', body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text } } } };
    await Promise.all(
      Array.from({ length: 12 }, async (_, count) => {
        const gone = new AbortController();
        const response =
          count % 2 === 0
            ? ask(product, 'tools/call', { name: 'echo', arguments: { text } }, { token: product.token, path: '/v1/mcp-gateway/one/mcp', signal: gone.signal })
            : fetch(product.url + rest.path, { method: 'POST', headers: { authorization: `Bearer ${product.token}`, 'content-type': 'application/json' }, body: JSON.stringify(rest.body), signal: gone.signal });
        const reader = (await response).body!.getReader();
        await reader.read();
        gone.abort();
      }),
    );
    expect((await answerOf(ask(product, 'tools/call', { name: 'echo', arguments: { text: 'alive' } }, { token: bob, path: '/v1/mcp-gateway/one/mcp' }))).result).toMatchObject({ content: [{ text: 'alive' }] });
  });
});

describe('a target that logs as it likes', () => {
  it.each<[string | undefined, number]>([[undefined, 0], ['error', 0], ['info', 1], ['debug', 1]])('is heard by a stateless request that asks for %s %i times', async (level, times) => {
    const { told, result } = await answerOf(ask(product, 'tools/call', { name: 'log', arguments: {}, ...(level !== undefined && { _meta: { [`${META}logLevel`]: level } }) }, { token: product.token, path: '/v1/mcp-gateway/one/mcp' }));
    expect(result).toMatchObject({ content: [{ text: 'logged' }] });
    expect(told.filter(({ method }: { method?: string }) => method === 'notifications/message')).toHaveLength(times);
  });
});

describe('a call whose time runs out while it is held', () => {
  it('is told then and there that it expired and did not run; the same call after that is a new one', async () => {
    const call = (signal?: AbortSignal): Promise<Told> => answerOf(ask(product, 'tools/call', { name: 'brief__echo', arguments: { text: 'DROP' } }, { token: product.token, ...(signal && { signal }) }));
    const { result } = await call();
    expect(result).toMatchObject({ isError: true, _meta: { 'countersign/refusal': { code: 'expired' } } });
    const gone = new AbortController();
    const again = call(gone.signal).catch(() => undefined);
    await until(() => queue().length === 1);
    expect(queue()[0]?.id).not.toBe(result._meta['countersign/refusal'].handle);
    gone.abort();
    await again;
  });
});
