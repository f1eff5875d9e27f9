import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { listed, openStand, tool, type Stand, type StandOptions } from './stand.ts';

let stand: Stand;
const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  await stand.close();
});

async function connect(path = '/mcp', token = 'token-alpha', capabilities = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(stand.url + path), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  open.push(client);
  return client;
}

const twoTargets: StandOptions = {
  targets: {
    fs: { lists: { 'tools/list': listed('tools', [tool('read', { 'x-unknown': { kept: true } })]) } },
    db: { lists: { 'tools/list': listed('tools', [tool('read')]) } },
  },
};

describe('an official client', () => {
  it('lists the tools of all targets under their target names and calls one', async () => {
    stand = await openStand(twoTargets);
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['countersign__pending', 'fs__read', 'db__read']);
    const result = await client.callTool({ name: 'db__read', arguments: { a: 1 } });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ name: 'read', arguments: { a: 1 } }) }]);
    expect(stand.seen.submissions[0]?.call).toMatchObject({ client: 'alpha', target: 'db', method: 'tools/call' });
  });
});
