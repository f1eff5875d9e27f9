/** Every feature of the servers behind, through the composed gateway, for clients of both eras. */
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceServer, serveEverything } from '../../support/everything.ts';
import { serveLegacy } from '../../support/legacy-server.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { until, worker } from '../../support/workers/harness.ts';
import { answerOf, ask, META } from './stateless-client.ts';

let product: Product;
let everything: Awaited<ReturnType<typeof serveEverything>>;
let studio: Awaited<ReturnType<typeof serveLegacy>>;
/** server-everything without anything in between, to compare with. */
let direct: LegacyClient;

/** Logs at two levels, and tells that a resource is another one. */
function createStudio(): McpServer {
  const mcp = new McpServer({ name: 'studio', version: '1' }, { capabilities: { logging: {}, resources: { subscribe: true } } });
  const subscribed = new Set<string>();
  mcp.registerResource('track', 'studio://track', {}, () => ({ contents: [{ uri: 'studio://track', text: 'la' }] }));
  mcp.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  mcp.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  mcp.registerTool('log', {}, async ({ sessionId }) => {
    for (const level of ['debug', 'error'] as const) await mcp.sendLoggingMessage({ level, data: `at ${level}` }, sessionId);
    // The messages go another way than the answer, and must not come after it.
    await pause(100);
    return { content: [] };
  });
  mcp.registerTool('touch', {}, async () => {
    for (const uri of subscribed) await mcp.server.sendResourceUpdated({ uri });
    return { content: [] };
  });
  return mcp;
}

beforeAll(async () => {
  everything = await serveEverything('streamableHttp');
  studio = await serveLegacy(createStudio);
  direct = new LegacyClient({ name: 'direct', version: '1' });
  await direct.connect(new StdioClientTransport({ command: process.execPath, args: [referenceServer('everything')], stderr: 'ignore' }));
  const stdio = (program: string) => ({ command: 'node', args: [program], preflight_pattern: 'button:DROP' });
  product = await startProduct({
    servers: {
      web: { url: everything.url, preflight_pattern: 'button:DROP' },
      daemon: stdio(referenceServer('everything')),
      studio: { url: studio.url, preflight_pattern: 'button:DROP' },
      odd: stdio(worker('odd.mjs')),
      sample: stdio(worker('sample.mjs')),
    },
  });
});
afterAll(async () => {
  await direct.close();
  await product.close();
  await everything.close();
  studio.close();
});

type Kind = 'v1' | 'v2';
type Said = Record<string, unknown>;

/** Both SDK clients by what they have in common. */
async function connect(kind: Kind, path: string) {
  const requestInit = { headers: { authorization: `Bearer ${product.token}` } };
  const url = new URL(product.url + path);
  const notes: { readonly method: string; readonly params: Said | undefined }[] = [];
  const client = kind === 'v1' ? new LegacyClient({ name: 'one', version: '1' }) : new Client({ name: 'two', version: '2' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.fallbackNotificationHandler = ({ method, params }) => {
    notes.push({ method, params });
    return Promise.resolve();
  };
  if (client instanceof LegacyClient) await client.connect(new LegacyTransport(url, { requestInit }));
  else await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return { client, notes, call: async (name: string, args: Said = {}): Promise<Said> => await client.callTool({ name, arguments: args }) };
}
const one = (target: string): string => `/v1/mcp-gateway/${target}/mcp`;
const cases = (['v1', 'v2'] as const).flatMap((kind) => ['web', 'daemon'].map((target) => ({ kind, target })));

describe.each(cases)('server-everything as $target, for the $kind client', ({ kind, target }) => {
  it.each([
    ['structured output', 'get-structured-content', { location: 'New York' }],
    ['an image', 'get-tiny-image', {}],
    ['links to resources', 'get-resource-links', { count: 3 }],
    ['an embedded resource', 'get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
    ['annotations of content', 'get-annotated-message', { messageType: 'error', includeImage: true }],
    ['an error of the tool', 'get-sum', { a: 'no', b: 'number' }],
  ])('%s comes as the server gives it', async (_, name, args) => {
    const { client, call } = await connect(kind, one(target));
    // A client that knows the tools checks what is structured against their schemas.
    await client.listTools();
    const bare = (result: Said): Said => JSON.parse(JSON.stringify(result, (key, value: unknown) => (key === 'resultType' ? undefined : typeof value === 'string' ? value.replace(/\d{1,2}:\d{2}:\d{2}[^"]*/g, 'now') : value))) as Said;
    expect(bare(await call(name, args))).toEqual(bare(await direct.callTool({ name, arguments: args })));
    await client.close();
  });

  it('prompts, completions, resources and templates come as the server gives them', async () => {
    const { client } = await connect(kind, one(target));
    const same = (ours: unknown, theirs: unknown): void => expect(ours).toMatchObject(theirs as object);
    same((await client.listPrompts()).prompts, (await direct.listPrompts()).prompts);
    same((await client.listResources()).resources, (await direct.listResources()).resources);
    same((await client.listResourceTemplates()).resourceTemplates, (await direct.listResourceTemplates()).resourceTemplates);
    const prompt = { name: 'args-prompt', arguments: { city: 'Oslo' } };
    same(await client.getPrompt(prompt), await direct.getPrompt(prompt));
    const part = { ref: { type: 'ref/prompt' as const, name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } };
    const { completion } = await direct.complete(part);
    expect(completion.values.length).toBeGreaterThan(0);
    same((await client.complete(part)).completion, completion);
    await client.close();
  });

  it('the same stands under the target’s name where all targets are', async () => {
    const { client, call } = await connect(kind, '/mcp');
    await client.listTools();
    expect(await call(`${target}__get-structured-content`, { location: 'Chicago' })).toHaveProperty('structuredContent');
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: `${target}__completable-prompt` }, argument: { name: 'department', value: 'E' } });
    expect(completion.values).toContain('Engineering');
    await client.close();
  });
});

describe('log messages', () => {
  it('come to a session at the level it set, and to another at its own', async () => {
    const [loud, quiet] = [await connect('v1', one('studio')), await connect('v1', one('studio'))];
    const levels = ({ notes }: typeof loud): unknown[] => notes.flatMap(({ method, params }) => (method === 'notifications/message' ? [params?.['level']] : []));
    await (loud.client as LegacyClient).setLoggingLevel('debug');
    await (quiet.client as LegacyClient).setLoggingLevel('error');
    await Promise.all([loud.call('log'), quiet.call('log')]);
    await until(() => levels(loud).length === 2 && levels(quiet).length === 1);
    expect([levels(loud), levels(quiet)]).toEqual([['debug', 'error'], ['error']]);
    await Promise.all([loud.client.close(), quiet.client.close()]);
  });

  it('come with a stateless request that asks for them, at its level, and with no other', async () => {
    const levels = async (logLevel?: string): Promise<unknown[]> => {
      const params = { name: 'log', arguments: {}, ...(logLevel !== undefined && { _meta: { [`${META}logLevel`]: logLevel } }) };
      const { told } = await answerOf(ask(product, 'tools/call', params, { token: product.token, path: one('studio') }));
      return told.flatMap((message: { method?: string; params?: { level: unknown } }) => (message.method === 'notifications/message' ? [message.params?.level] : []));
    };
    expect(await levels()).toEqual([]);
    expect(await levels('error')).toEqual(['error']);
    expect(await levels('debug')).toEqual(['debug', 'error']);
  });
});

describe('tidings', () => {
  it('of a resource reach who subscribed to it, in either era, and nobody else', async () => {
    const [older, newer, other] = [await connect('v1', one('studio')), await connect('v2', one('studio')), await connect('v1', one('studio'))];
    const updated = ({ notes }: typeof older): unknown[] => notes.flatMap(({ method, params }) => (method === 'notifications/resources/updated' ? [params?.['uri']] : []));
    await (older.client as LegacyClient).subscribeResource({ uri: 'studio://track' });
    await older.call('touch');
    await until(() => updated(older).length === 1);
    const stream = await (newer.client as Client).listen({ resourceSubscriptions: ['studio://track'] });
    await newer.call('touch');
    await until(() => updated(newer).length === 1);
    await (older.client as LegacyClient).unsubscribeResource({ uri: 'studio://track' });
    await older.call('touch');
    await other.call('touch');
    expect([updated(older), updated(newer), updated(other)]).toEqual([['studio://track'], ['studio://track'], []]);
    await stream.close();
    await Promise.all([older, newer, other].map(({ client }) => client.close()));
  });

  it('of a changed list reach every session of either era, once each', async () => {
    const sessions = [await connect('v1', one('sample')), await connect('v1', '/mcp'), await connect('v2', one('sample')), await connect('v2', '/mcp')];
    const streams = await Promise.all(sessions.flatMap(({ client }) => (client instanceof Client ? [client.listen({ toolsListChanged: true })] : [])));
    for (const { client } of sessions) await client.listTools();
    const heard = ({ notes }: (typeof sessions)[number]): number => notes.filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const before = sessions.map(heard);
    await sessions[0]!.call('grow');
    await until(() => sessions.every((session, index) => heard(session) > before[index]!));
    for (const { client } of sessions) expect((await client.listTools()).tools.map(({ name }) => name).some((name) => name.endsWith('extra'))).toBe(true);
    expect(sessions.map((session, index) => heard(session) - before[index]!)).toEqual([1, 1, 1, 1]);
    await Promise.all([...streams.map((stream) => stream.close()), ...sessions.map(({ client }) => client.close())]);
  });
});

describe('what no specification knows of', () => {
  const ODD = { 'x-odd': { deep: [1, { more: null }] }, _meta: { 'vendor/trace': 'kept', nested: { n: 1 } } };
  const requests: readonly [string, Record<string, unknown>, object][] = [
    ['tools/list', {}, { tools: [{ name: 'odd', inputSchema: { 'x-schema': true }, icons: [{ src: 'data:,' }], ...ODD }], ...ODD }],
    ['tools/call', { name: 'odd', arguments: {} }, { content: [{ annotations: { priority: 0.5 }, ...ODD }, { type: 'audio', data: 'UklGRg==' }, { type: 'new-kind', of: 'content' }], ...ODD }],
    ['prompts/list', {}, { prompts: [{ name: 'odd', ...ODD }] }],
    ['prompts/get', { name: 'odd' }, ODD],
    ['resources/list', {}, { resources: [{ uri: 'odd://1', ...ODD }] }],
    ['resources/read', { uri: 'odd://1' }, { contents: [ODD], ...ODD }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'odd' }, argument: { name: 'a', value: '' } }, { completion: { values: ['odd'], total: 1 }, ...ODD }],
  ];
  it.each(requests)('is kept in the answer to %s, in both eras', async (method, params, wanted) => {
    expect((await answerOf(ask(product, method, params, { token: product.token, path: one('odd') }))).result).toMatchObject({ ...wanted, resultType: 'complete' });
    const { status, json } = await product.send('POST', `/v1/mcp-gateway/odd/invoke`, { body: { jsonrpc: '2.0', id: 1, method, params } });
    expect([status, json.result]).toMatchObject([200, wanted]);
    const { client } = await connect('v1', one('odd'));
    const { z } = await import('zod');
    expect(await (client as LegacyClient).request({ method, params }, z.looseObject({}))).toMatchObject(wanted);
    await client.close();
  });
});
