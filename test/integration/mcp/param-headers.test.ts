/* eslint-disable @typescript-eslint/no-deprecated -- the low-level server lists what the high-level one would not take */
/** Arguments that a tool wants said again in headers (MCP 2026-07-28, custom headers from tool parameters), on both sides of the gateway. */
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveModern, type ModernServer } from '../../support/modern-server.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { until, worker } from '../../support/workers/harness.ts';
import { answerOf, ask } from './stateless-client.ts';

const REGION = { type: 'string', 'x-mcp-header': 'Region' };
const schema = (header = 'Region') => ({ type: 'object' as const, properties: { region: { type: 'string', 'x-mcp-header': header }, count: { type: 'integer', 'x-mcp-header': 'Count' }, sql: { type: 'string' } } });

let product: Product;
let web: ModernServer;
let mixed: ModernServer;
let header = 'Region';

beforeAll(async () => {
  web = await serveModern(() => {
    const server = new McpServer({ name: 'web', version: '1' });
    server.registerTool('route', { inputSchema: fromJsonSchema(schema(header)) }, (given) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] }));
    return server;
  });
  mixed = await serveModern(() => {
    const server = new Server({ name: 'mixed', version: '1' }, { capabilities: { tools: {} } });
    const tool = (name: string, region: object) => ({ name, inputSchema: { type: 'object', properties: { region } } });
    server.setRequestHandler('tools/list', () => ({ tools: [tool('good', REGION), tool('bad', { type: 'string', 'x-mcp-header': 'two words' })] }) as never);
    return server;
  });
  const rule = { preflight_pattern: 'button:DROP' };
  product = await startProduct({ servers: { web: { url: web.url, ...rule }, mixed: { url: mixed.url, ...rule }, daemon: { command: 'node', args: [worker('mirroring.mjs')], ...rule } } });
});
afterAll(async () => {
  await product.close();
  web.close();
  mixed.close();
});
beforeEach(() => {
  header = 'Region';
});

const at = (target: string): URL => new URL(`${product.url}/v1/mcp-gateway/${target}/mcp`);
const requestInit = (): RequestInit => ({ headers: { authorization: `Bearer ${product.token}` } });
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

async function modern(target: string): Promise<Client> {
  const client = new Client({ name: 'modern', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(at(target), { requestInit: requestInit() }));
  return client;
}

describe('towards a target of the stateless revision', () => {
  it.each(['us-west1', 'zürich', ' padded ', '=?base64?eA==?=', ''])('the argument %j is said again, whoever calls', async (region) => {
    const args = { count: 7, region };
    const before = web.calls.length;
    const client = await modern('web');
    await client.listTools();
    expect(textOf(await client.callTool({ name: 'route', arguments: args }))).toBe(JSON.stringify(args));
    await client.close();
    const older = new LegacyClient({ name: 'legacy', version: '1' });
    await older.connect(new LegacyTransport(at('web'), { requestInit: requestInit() }));
    expect(textOf(await older.callTool({ name: 'route', arguments: args }))).toBe(JSON.stringify(args));
    await older.close();
    const { json } = await product.call('web', 'route', args);
    expect(textOf(json.result)).toBe(JSON.stringify(args));
    const sent = web.calls.slice(before);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((headers) => headers['mcp-param-region'])).size).toBe(1);
    expect(sent[0]).toMatchObject({ 'mcp-param-count': '7', 'mcp-name': 'route' });
  });

  it('an approved call goes out with them too, though its stored text has no headers', async () => {
    const before = web.calls.length;
    const { status } = await product.call('web', 'route', { region: 'eu', sql: 'DROP' });
    expect(status).toBe(202);
    const [parked] = product.composition.approvals.queue();
    product.composition.approvals.approve({ id: parked!.id, hash: parked!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    await until(() => web.calls.length > before);
    expect(web.calls.at(-1)).toMatchObject({ 'mcp-param-region': 'eu' });
    expect(web.calls.at(-1)).not.toHaveProperty('mcp-param-count');
  });

  it('a tool with an annotation that is none is not offered, and the others are', async () => {
    const client = await modern('mixed');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['good']);
    await client.close();
  });

  it('one that wants other headers than it listed refuses, and the client that lists again gets through', async () => {
    const client = new LegacyClient({ name: 'legacy', version: '1' });
    await client.connect(new LegacyTransport(at('web'), { requestInit: requestInit() }));
    await client.listTools();
    header = 'Area';
    const call = () => client.callTool({ name: 'route', arguments: { region: 'eu' } });
    await expect(call()).rejects.toMatchObject({ code: -32020 });
    await client.listTools();
    expect(textOf(await call())).toContain('eu');
    expect(web.calls.at(-1)).toMatchObject({ 'mcp-param-area': 'eu' });
    await client.close();
  });
});

describe('from a client of the stateless revision', () => {
  const call = (over: { target?: string; name?: string; args?: object; path?: string; head: Record<string, string> }) => {
    const { target = 'web', name = 'route', args = { region: 'eu' }, path = `/v1/mcp-gateway/${target}/mcp`, head } = over;
    return answerOf(ask(product, 'tools/call', { name, arguments: args }, { token: product.token, path, head, id: 9 }));
  };
  const refused = { id: 9, status: 400, error: { code: -32020, data: { code: 'header-mismatch', at: 'Mcp-Param-Region' } } };

  it.each(['web', 'daemon'])('a call of %s whose headers do not say what its arguments say is refused and goes nowhere', async (target) => {
    const list = (): Promise<unknown> => answerOf(ask(product, 'tools/list', {}, { token: product.token, path: `/v1/mcp-gateway/${target}/mcp` }));
    await list();
    const before = web.calls.length;
    expect(await call({ target, head: {} })).toMatchObject(refused);
    expect(await call({ target, head: { 'mcp-param-region': 'us' } })).toMatchObject(refused);
    expect(await call({ target, head: { 'mcp-param-region': 'EU' } })).toMatchObject(refused);
    expect(await call({ target, head: { 'mcp-param-region': '=?base64?ZXU?=' } })).toMatchObject(refused);
    expect(await call({ target, path: '/mcp', name: `${target}__route`, head: {} })).toMatchObject(refused);
    expect(await call({ target, args: { region: 'eu', sql: 'DROP' }, head: { 'mcp-param-region': 'us' } })).toMatchObject(refused);
    expect(web.calls).toHaveLength(before);
    expect(product.composition.approvals.queue()).toEqual([]);
    for (const head of [{ 'Mcp-Param-Region': 'eu' }, { 'mcp-param-region': '=?base64?ZXU=?=' }, { 'mcp-param-region': 'eu', 'mcp-param-other': 'unknown' }]) expect(await call({ target, head })).toMatchObject({ status: 200, result: { resultType: 'complete' } });
    expect(await call({ target, args: { region: null }, head: {} })).not.toMatchObject(refused);
    expect(await call({ target, args: {}, head: { 'mcp-param-region': 'for nothing' } })).toMatchObject({ status: 200 });
  });

  it('one it does not know of does not reach the target', async () => {
    await call({ head: { 'mcp-param-region': 'eu', 'mcp-param-other': 'unknown' } });
    expect(web.calls.at(-1)).not.toHaveProperty('mcp-param-other');
  });

  it('is judged by the admitted definition, also after a restart and before anybody lists', async () => {
    await answerOf(ask(product, 'tools/list', {}, { token: product.token, path: '/v1/mcp-gateway/daemon/mcp' }));
    await product.restart();
    expect(await call({ target: 'daemon', head: {} })).toMatchObject(refused);
  });
});
