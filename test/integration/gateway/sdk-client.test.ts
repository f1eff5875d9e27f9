import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { listed, openStand, tool, type Stand, type StandOptions } from './stand.ts';

let stand: Stand;
const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  await stand.close();
});

async function connect({ path = '/mcp', token = 'token-alpha', capabilities = {} } = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(stand.url + path), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  open.push(client);
  return client;
}

const twoTargets: StandOptions = {
  targets: {
    fs: { lists: { 'tools/list': listed('tools', [tool('read', { 'x-unknown': { kept: true } })]), 'prompts/list': listed('prompts', [{ name: 'ask' }]) } },
    db: { lists: { 'tools/list': listed('tools', [tool('read')]) } },
  },
};
const read = { name: 'fs__read', arguments: {} };

/** Answers the next call with what the target's question came to. */
function asking(method: string, params?: Record<string, unknown>): void {
  stand.play.submit = async ({ relay }) => {
    const said: Record<string, unknown> = await relay!.ask(method, params).catch((fault: unknown) => {
      const { code, message, data } = fault as { code: number; message: string; data: unknown };
      return { refused: { code, message, data } };
    });
    return { kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [], said } } };
  };
}

describe('an official client', () => {
  it('lists the tools of all targets under their target names, and calls one', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['fs__read', 'db__read', 'countersign__pending']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['fs__ask']);
    expect((await client.listResources()).resources).toEqual([]);
    const result = await client.callTool({ name: 'db__read', arguments: { a: 1 } });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ name: 'read', arguments: { a: 1 } }) }]);
    expect(stand.seen.submissions[0]?.call).toMatchObject({ client: 'alpha', target: 'db', method: 'tools/call' });
    await client.ping();
  });

  it('uses one target under its own names', async () => {
    stand = await openStand(twoTargets);
    const client = await connect({ path: '/v1/mcp-gateway/fs/mcp' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read']);
    expect(client.getServerVersion()?.name).toBe('fs');
    await client.callTool({ name: 'read', arguments: {} });
    expect(stand.seen.submissions[0]?.call).toMatchObject({ target: 'fs', params: { name: 'read' } });
  });

  it('gets the progress of its call under its own token', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    stand.play.submit = (submission) => {
      for (const progress of [1, 2]) submission.relay?.notify?.('notifications/progress', { progressToken: submission.relay.progressToken, progress, total: 2 });
      return stand.pass(submission);
    };
    const seen: number[] = [];
    await client.callTool(read, undefined, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
    expect(stand.seen.submissions[0]?.relay?.progressToken).toBeDefined();
  });

  it('gets log messages of a target, and hears that a list changed', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    const heard: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('changed'));
    stand.play.submit = (submission) => {
      submission.relay?.notify?.('notifications/message', { level: 'info', data: 'in the call' });
      return stand.pass(submission);
    };
    await client.callTool(read);
    stand.changed('fs', 'tools');
    await expect.poll(() => heard).toEqual(['in the call', 'changed']);
  });

  it('cancels a passing call, and the target is told', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    const told = new Promise<void>((resolve) => {
      stand.play.submit = ({ signal }) =>
        new Promise((done) => {
          signal?.addEventListener('abort', () => {
            done({ kind: 'answered', replay: false, answer: { kind: 'lost', note: 'cancelled' } });
            resolve();
          });
        });
    });
    const cancelling = new AbortController();
    const asked = client.callTool(read, undefined, { signal: cancelling.signal });
    await expect.poll(() => stand.seen.submissions.length).toBe(1);
    cancelling.abort('enough');
    await expect(asked).rejects.toThrow(/enough/);
    await told;
  });

  it('answers the questions of a target on the stream of the call, nothing stripped', async () => {
    stand = await openStand(twoTargets);
    const client = await connect({ capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } } });
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a', odd: 1 }], odd: 2 }));
    client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'hi' } }));
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: 'accept' as const, content: { asked: params.message } }));
    asking('roots/list');
    expect((await client.callTool(read))['said']).toEqual({ roots: [{ uri: 'file:///a', odd: 1 }], odd: 2 });
    asking('sampling/createMessage', { messages: [], maxTokens: 1 });
    expect((await client.callTool(read))['said']).toMatchObject({ model: 'm' });
    asking('elicitation/create', { message: 'really?', requestedSchema: { type: 'object', properties: {} } });
    expect((await client.callTool(read))['said']).toEqual({ action: 'accept', content: { asked: 'really?' } });
    asking('ping');
    expect((await client.callTool(read))['said']).toEqual({});
  });

  it('is not asked what it did not declare', async () => {
    stand = await openStand(twoTargets);
    const client = await connect({ capabilities: { elicitation: {} } });
    for (const [method, params] of [['roots/list', undefined], ['sampling/createMessage', {}], ['elicitation/create', { mode: 'url', url: 'https://x', message: 'm' }]] as const) {
      asking(method, params);
      expect((await client.callTool(read))['said']).toMatchObject({ refused: { data: { code: 'unsupported-by-client' } } });
    }
  });

  it('refuses a question in its own words, without a prefix on them', async () => {
    stand = await openStand(twoTargets);
    const client = await connect({ capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, () => {
      throw new McpError(-32050, 'not mine to tell', { a: 1 });
    });
    asking('roots/list');
    const { refused } = (await client.callTool(read))['said'] as { refused: { code: number; message: string; data: unknown } };
    // The client's SDK puts one prefix on what its handler throws; ours adds none.
    expect(refused).toEqual({ code: -32050, message: 'MCP error -32050: not mine to tell', data: { a: 1 } });
  });

  it('that is gone is not asked, and its call goes on', async () => {
    stand = await openStand(twoTargets);
    const client = await connect({ capabilities: { roots: {} } });
    let said: unknown;
    stand.play.submit = async (submission) => {
      await client.close();
      await expect.poll(() => submission.relay?.ask('roots/list', undefined).then(() => 'asked', (fault: unknown) => (fault as Error).name)).toBe('RelayRefusal');
      said = 'ended';
      return stand.pass(submission);
    };
    await expect(client.callTool(read)).rejects.toThrow();
    await expect.poll(() => said).toBe('ended');
  });

  it('shares nothing with another client: both make 50 calls at once', async () => {
    stand = await openStand(twoTargets);
    const [alpha, beta] = [await connect(), await connect({ token: 'token-beta' })];
    stand.play.submit = ({ call }) => ({ kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [], client: call.client, arguments: call.params['arguments'] } } });
    const ask = (client: Client, of: string) => Array.from({ length: 50 }, async (_, n) => {
      const result = await client.callTool({ name: 'fs__read', arguments: { n } });
      expect([result['client'], result['arguments']]).toEqual([of, { n }]);
    });
    await Promise.all([...ask(alpha, 'alpha'), ...ask(beta, 'beta')]);
  });

  it('ends its session', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    expect(stand.seen.ended.length).toBe(1);
  });
});
