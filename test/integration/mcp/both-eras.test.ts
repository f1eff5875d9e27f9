import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { until, worker } from '../../support/workers/harness.ts';
import { answerOf, ask } from './stateless-client.ts';

const everything = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-eras-'));
let server: ChildProcess;
let product: Product;
let tokens: { readonly ada: string; readonly bob: string };

beforeAll(async () => {
  const file = path.join(folder, 'port');
  server = spawn(process.execPath, ['--import', pathToFileURL(worker('loopback.mjs')).href, everything, 'streamableHttp'], { env: { ...process.env, PORT: '0', WORKER_PORT_FILE: file }, stdio: 'ignore' });
  await until(() => existsSync(file), 20_000);
  const rule = { preflight_pattern: 'button:DROP', elicitations: 'client' };
  product = await startProduct({
    servers: {
      every: { url: `http://127.0.0.1:${readFileSync(file, 'utf8')}/mcp`, ...rule },
      daemon: { command: 'node', args: [worker('sample.mjs')], ...rule },
    },
  });
  const added = async (name: string): Promise<string> => {
    const { json } = await product.control('POST', '/v1/countersign/clients', { name, roles: [] });
    return (json as unknown as { token: string }).token;
  };
  tokens = { ada: await added('ada'), bob: await added('bob') };
});
afterAll(async () => {
  await product.close();
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const at = (where: string): URL => new URL(product.url + where);
const init = (token: string): { requestInit: RequestInit } => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';
const queue = () => product.composition.approvals.queue();
const approve = (of: string): void => {
  const parked = queue().find(({ client }) => client === of);
  if (parked === undefined) throw new Error(`nothing of ${of} waits`);
  product.composition.approvals.approve({ id: parked.id, hash: parked.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
};

async function modern(token: string, where = '/v1/mcp-gateway/every/mcp') {
  const client = new Client({ name: 'modern', version: '1' }, { capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} }, versionNegotiation: { mode: 'auto' } });
  client.setRequestHandler('sampling/createMessage', () => ({ model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'sampled by the client' } }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///mine', name: 'mine' }] }));
  await client.connect(new StreamableHTTPClientTransport(at(where), init(token)));
  return client;
}

async function legacy(token: string, where = '/v1/mcp-gateway/every/mcp') {
  const client = new LegacyClient({ name: 'legacy', version: '1' });
  await client.connect(new LegacyTransport(at(where), init(token)));
  return client;
}

describe('a client that speaks both eras, in front of server-everything', () => {
  it('is served in the newer one, and finds every feature of the server behind', async () => {
    const client = await modern(tokens.ada);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'get-structured-content', 'trigger-sampling-request']));
    expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toBe('Echo: hi');
    expect(await client.callTool({ name: 'get-structured-content', arguments: { location: 'New York' } })).toHaveProperty('structuredContent');
    // Looked at on the wire: this client lets go of what arrives together with the answer.
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 }, _meta: { progressToken: 'mine' } };
    const { told } = await answerOf(ask(product, 'tools/call', long, { token: tokens.ada, path: '/v1/mcp-gateway/every/mcp' }));
    expect(told.map(({ params }: { params?: { progressToken: unknown; progress: unknown } }) => params && [params.progressToken, params.progress])).toEqual([['mine', 1], ['mine', 2], undefined]);
    expect(JSON.stringify(await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'p', maxTokens: 10 } }))).toContain('sampled by the client');
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    expect((await client.readResource({ uri: resources[0]!.uri })).contents).toHaveLength(1);
    await client.close();
  });
});

describe('two clients at once, one of each era, with the same ids and the same risky call', () => {
  const risky = { name: 'echo', arguments: { message: 'DROP TABLE t' } };

  it('have a parked call each, are each told of their own alone, and get the one result that was approved for them', async () => {
    const ada = ask(product, 'tools/call', risky, { id: 1, token: tokens.ada, path: '/v1/mcp-gateway/every/mcp' });
    const bob = await legacy(tokens.bob);
    const held = bob.callTool(risky);
    await until(() => queue().length === 2, 10_000);
    expect(queue().map(({ client }) => client).sort()).toEqual(['ada', 'bob']);
    const waiting = await answerOf(ask(product, 'tools/call', { name: 'countersign__pending', arguments: {} }, { token: tokens.ada }));
    expect(waiting.result).toMatchObject({ resultType: 'complete', structuredContent: { pending: [{ name: 'every__echo', status: 'parked' }] } });

    approve('bob');
    expect(textOf(await held)).toBe('Echo: DROP TABLE t');
    expect(queue().map(({ client }) => client)).toEqual(['ada']);
    approve('ada');
    expect((await answerOf(ada)).result).toMatchObject({ resultType: 'complete', content: [{ text: 'Echo: DROP TABLE t' }] });
    await bob.close();
  });

  it('a stateless client that goes away takes its own call along and not the other’s', async () => {
    const gone = new AbortController();
    const ada = ask(product, 'tools/call', risky, { token: tokens.ada, path: '/v1/mcp-gateway/every/mcp', signal: gone.signal }).then((response) => response.text()).catch(() => undefined);
    const bob = await legacy(tokens.bob);
    const held = bob.callTool(risky);
    await until(() => queue().length === 2, 10_000);
    gone.abort();
    await ada;
    await until(() => queue().length === 1, 10_000);
    expect(queue().map(({ client }) => client)).toEqual(['bob']);
    approve('bob');
    await held;
    await bob.close();
  });

  it('50 passing calls of each cross nothing', async () => {
    const [ada, bob] = [await modern(tokens.ada, '/mcp'), await legacy(tokens.bob, '/mcp')];
    const said = (who: string, count: number) => ({ name: 'every__echo', arguments: { message: `${who} ${count}` } });
    const results = await Promise.all(Array.from({ length: 50 }, async (_, count) => [textOf(await ada.callTool(said('ada', count))), textOf(await bob.callTool(said('bob', count)))]));
    expect(results).toEqual(Array.from({ length: 50 }, (_, count) => [`Echo: ada ${count}`, `Echo: bob ${count}`]));
    await ada.close();
    await bob.close();
  });
});

describe('a token that is revoked', () => {
  it('ends the open requests and streams of its client', async () => {
    const { json } = await product.control('POST', '/v1/countersign/clients', { name: 'eve', roles: [] });
    const { token } = json as unknown as { token: string };
    const stream = await ask(product, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, { token });
    const ended = stream.text().then(() => 'ended', () => 'ended');
    await product.control('DELETE', '/v1/countersign/clients/eve');
    expect(await ended).toBe('ended');
    expect((await ask(product, 'server/discover', {}, { token })).status).toBe(401);
  });
});
