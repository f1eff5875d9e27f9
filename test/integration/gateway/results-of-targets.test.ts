/** What a target says, put so that this client, on this endpoint, can use it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { answerOf, ask } from '../mcp/stateless-client.ts';
import { openSession, speak } from './mcp-client.ts';
import { executed, listed, openStand, tool, type Stand } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());

type Said = Record<string, unknown>;
const FS = '/v1/mcp-gateway/fs/mcp';

/** Makes every target answer each call with this. */
function answering(result: Said): void {
  stand.play.submit = () => ({ kind: 'answered', replay: false, answer: { kind: 'result', result } });
}

/** One request in an era, and what came back. */
type Era = 'with sessions' | 'stateless';
async function client(era: Era, path = '/mcp'): Promise<(method: string, params: JsonObject) => Promise<{ result?: any; error?: any }>> { // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came
  if (era === 'stateless') return (method, params) => answerOf(ask(stand, method, params, { path }));
  const session = await openSession(stand, { path });
  let id = 0;
  return (method, params) => answerOf(speak(stand, { jsonrpc: '2.0', id: (id += 1), method, params }, { path, session }));
}

describe('an output schema that is not of an object', () => {
  const tools = [tool('rows', { outputSchema: { type: 'array' } }), tool('either', { outputSchema: { anyOf: [] } }), tool('row', { outputSchema: { type: 'object', properties: {} } }), tool('plain')];
  const open = async (): Promise<void> => {
    stand = await openStand({ targets: { fs: { lists: { 'tools/list': listed('tools', tools) } } } });
  };

  it.each(['/mcp', FS])('does not cost a client with a session the list (%s)', async (path) => {
    await open();
    const sdk = new Client({ name: 'test', version: '1' });
    await sdk.connect(new StreamableHTTPClientTransport(new URL(stand.url + path), { requestInit: { headers: { authorization: 'Bearer token-alpha' } } }));
    const schemas = (await sdk.listTools()).tools.slice(0, 4).map(({ outputSchema }) => outputSchema);
    expect(schemas).toEqual([undefined, undefined, { type: 'object', properties: {} }, undefined]);
    answering({ content: [{ type: 'text', text: '[1]' }], structuredContent: [1] });
    const name = path === FS ? 'rows' : 'fs__rows';
    expect(await sdk.callTool({ name, arguments: {} })).toEqual({ content: [{ type: 'text', text: '[1]' }], structuredContent: { result: [1] } });
    answering({ content: [], structuredContent: { n: 1 } });
    expect((await sdk.callTool({ name, arguments: {} })).structuredContent).toEqual({ n: 1 });
    await sdk.close();
  });

  it('reaches a stateless client as it is, and so does what fits it', async () => {
    await open();
    const send = await client('stateless', FS);
    expect((await send('tools/list', {})).result.tools).toEqual(tools);
    answering({ content: [], structuredContent: [1] });
    expect((await send('tools/call', { name: 'rows', arguments: {} })).result.structuredContent).toEqual([1]);
  });

  it('is no matter for a result that a human had to allow', async () => {
    await open();
    const send = await client('with sessions');
    stand.play.submit = (submission) => {
      const parked = stand.park(submission);
      return { ...parked, handle: stand.settle(parked.handle.id, executed({ content: [], structuredContent: 'done' })) };
    };
    expect((await send('tools/call', { name: 'fs__rows', arguments: {} })).result).toEqual({ content: [], structuredContent: { result: 'done' } });
  });
});

describe.each(['with sessions', 'stateless'] as const)('a resource of which a target speaks, on the endpoint of all (%s)', (era) => {
  const resources = (...uris: string[]): JsonObject[] => uris.map((uri) => ({ uri, name: uri }));
  const open = async (): Promise<void> => {
    stand = await openStand({
      targets: {
        fs: { lists: { 'resources/list': listed('resources', resources('x:both', 'x:fs')), 'resources/templates/list': listed('resourceTemplates', [{ uriTemplate: 't:{id}', name: 't' }]) } },
        db: { lists: { 'resources/list': listed('resources', resources('x:both', 'x:db')), 'resources/templates/list': listed('resourceTemplates', [{ uriTemplate: 't:{id}', name: 't' }]) } },
      },
    });
  };
  type Send = Awaited<ReturnType<typeof client>>;
  const listAll = async (send: Send): Promise<void> => {
    for (const method of ['resources/list', 'resources/templates/list']) await send(method, {});
  };
  const link = (uri: string): JsonObject => ({ type: 'resource_link', uri, name: uri, annotations: { priority: 1 } });
  const embedded = (uri: string): JsonObject => ({ type: 'resource', resource: { uri, text: 'x' } });

  it('says whose it is where another target has the same, and only there', async () => {
    await open();
    const send = await client(era);
    await listAll(send);
    const content = [{ type: 'text', text: '{"uri":"x:both"}', uri: 'x:both' }, link('x:both'), link('x:fs'), link('t:1'), embedded('x:both'), embedded('x:fs'), link('x:db')];
    answering({ content, structuredContent: { uri: 'x:both' } });
    const { result } = await send('tools/call', { name: 'fs__look', arguments: {} });
    const own = (uri: string): string => `countersign+fs:${uri}`;
    expect(result.content).toEqual([content[0], { ...link('x:both'), uri: own('x:both') }, link('x:fs'), { ...link('t:1'), uri: own('t:1') }, embedded(own('x:both')), embedded('x:fs'), { ...link('x:db'), uri: own('x:db') }]);
    expect(result.structuredContent).toEqual({ uri: 'x:both' });
  });

  it('says so also when the other has a stored list that was not asked for yet', async () => {
    await open();
    stand.setTarget('fs', { stored: true, lists: { 'resources/list': listed('resources', resources('x:both')) } });
    const send = await client(era);
    answering({ content: [link('x:both')] });
    expect((await send('tools/call', { name: 'db__look', arguments: {} })).result.content).toEqual([{ ...link('x:both'), uri: 'countersign+db:x:both' }]);
    expect((await send('tools/call', { name: 'fs__look', arguments: {} })).result.content).toEqual([link('x:both')]);
  });

  it('is read from the target that spoke of it while it is not known who else has it, and then from the one that lists it', async () => {
    await open();
    const send = await client(era);
    const readFrom = async (uri: string): Promise<unknown> => {
      await send('resources/read', { uri });
      return stand.seen.submissions.at(-1)?.call.target;
    };
    answering({ content: [link('x:both'), link('x:fs'), link('t:1')] });
    const links = async (target: string) => ((await send('tools/call', { name: `${target}__look`, arguments: {} })).result.content as Said[]).map(({ uri }) => uri);
    expect(await links('db')).toEqual(['x:both', 'x:fs', 't:1']);
    expect(await links('fs')).toEqual(['countersign+fs:x:both', 'countersign+fs:x:fs', 'countersign+fs:t:1']);
    answering({ contents: [] });
    expect([await readFrom('x:both'), await readFrom('x:fs'), await readFrom('t:1')]).toEqual(['db', 'db', 'db']);
    expect(stand.seen.listed).toEqual([]);
    await listAll(send);
    expect([await readFrom('x:both'), await readFrom('x:fs'), await readFrom('t:1')]).toEqual(['db', 'fs', 'db']);
  });

  it('says so in the messages of a prompt too', async () => {
    await open();
    const send = await client(era);
    await listAll(send);
    answering({ messages: [{ role: 'user', content: embedded('x:both') }, { role: 'user', content: { type: 'text', text: 'and' } }, { role: 'user', content: [link('x:both'), link('x:fs')] }] });
    const { result } = await send('prompts/get', { name: 'fs__look' });
    expect((result.messages as Said[]).map(({ content }) => content)).toEqual([embedded('countersign+fs:x:both'), { type: 'text', text: 'and' }, [{ ...link('x:both'), uri: 'countersign+fs:x:both' }, link('x:fs')]]);
  });

  it('is read under the URI it was asked for by, and named by it when it is not there', async () => {
    await open();
    const send = await client(era);
    answering({ contents: [{ uri: 'x:fs', text: 'x' }] });
    for (const uri of ['x:fs', 'countersign+fs:x:fs']) expect((await send('resources/read', { uri })).result.contents).toEqual([{ uri, text: 'x' }]);
    stand.play.submit = () => ({ kind: 'answered', replay: false, answer: { kind: 'error', error: { code: -32002, message: 'gone', data: { uri: 'x:both' } } } });
    expect((await send('resources/read', { uri: 'countersign+fs:x:both' })).error.data).toEqual({ uri: 'countersign+fs:x:both' });
  });

  it('stays as it is when no list has it, and is then found with the target that spoke of it', async () => {
    await open();
    const send = await client(era);
    answering({ content: [link('y:unlisted')] });
    expect((await send('tools/call', { name: 'db__look', arguments: {} })).result.content).toEqual([link('y:unlisted')]);
    answering({ contents: [{ uri: 'y:unlisted', text: 'y' }] });
    expect((await send('resources/read', { uri: 'y:unlisted' })).result.contents).toEqual([{ uri: 'y:unlisted', text: 'y' }]);
    expect(stand.seen.submissions.at(-1)?.call).toMatchObject({ target: 'db', method: 'resources/read', params: { uri: 'y:unlisted' } });
    answering({ content: [link('y:unlisted')] });
    expect((await send('tools/call', { name: 'fs__look', arguments: {} })).result.content).toEqual([{ ...link('y:unlisted'), uri: 'countersign+fs:y:unlisted' }]);
  });

  it('is told without asking any target what it lists', async () => {
    await open();
    const send = await client(era);
    stand.play.list = () => new Promise(() => undefined);
    answering({ content: [link('x:both')] });
    expect((await send('tools/call', { name: 'fs__look', arguments: {} })).result.content).toEqual([link('x:both')]);
    expect(stand.seen.listed).toEqual([]);
  });

  it('is left alone on the endpoint of its target', async () => {
    await open();
    const send = await client(era, FS);
    answering({ content: [link('x:both')] });
    expect((await send('tools/call', { name: 'look', arguments: {} })).result.content).toEqual([link('x:both')]);
  });
});
