import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Stateless, StreamableHTTPClientTransport as StatelessTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/main/cli/run.ts';
import type { Terminal } from '../../../src/main/cli/terminal.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { AWS, brokerAgents, type Answering, type Told } from '../../support/broker-agents.ts';
import { startFabricServer, type FabricServer } from '../../support/fabric-server/server.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { environment } from './stand.ts';

let server: FabricServer;
let product: Product;
const { agent, leave } = brokerAgents(() => product);
beforeEach(async () => void (server = await startFabricServer()));
afterEach(async () => {
  await leave();
  await product.close();
  await server.close();
});


async function serve(more: Readonly<Record<string, string>> = {}): Promise<void> {
  product = await startProduct({ servers: {}, env: environment(server, more) });
}

const accept: Answering = () => ({ action: 'accept', content: { confirm: true } });

async function audited(): Promise<readonly Told[]> {
  const { json } = await product.control('GET', '/v1/countersign/audit?limit=200');
  return (json as unknown as { events: readonly Told[] }).events.filter(({ target }) => target === 'fabric').toReversed();
}

describe('the target fabric', () => {
  it.each<[string, string, readonly string[]]>([
    ['nothing is named', '', []],
    ['only strangers are named', 'design,portal', []],
    ['the readings are named', 'fabric', ['fabric_search_connections']],
    ['mutate is named', 'fabric,mutate', ['fabric_search_connections', 'fabric_propose_change', 'fabric_confirm_change']],
  ])('is served as its toolsets are named: %s', async (_, named, expected) => {
    await serve({ EQUINIX_MCP_TOOLSETS: named });
    const names = (await (await agent()).names()).filter((name) => /fabric_(search_connections|propose|confirm)/.test(name));
    expect(names).toEqual(expected);
    const { json } = await product.control('GET', '/v1/mcp-gateway/targets');
    const listed = (json as unknown as { targets: readonly Told[] }).targets;
    if (expected.length === 0) expect(listed).toEqual([]);
    else expect(listed).toMatchObject([{ id: 'fabric', from: 'built-in', transport: 'inside', url: server.origin, guard: { kind: 'none' } }]);
    expect(server.received).toEqual([]);
  });

  it('has its own endpoint, and is called under its prefix too', async () => {
    await serve();
    const alone = await agent({ path: '/v1/mcp-gateway/fabric/mcp' });
    expect(await alone.names()).toContain('fabric_propose_change');
    expect(await alone.call('fabric_list_metros', {})).toMatchObject({ data: [] });
    expect(await (await agent()).call('fabric__fabric_list_metros', {})).toMatchObject({ data: [] });
    expect(await (await agent()).call('fabric_list_metros', {})).toMatchObject({ data: [] });
  });

  it('is neither connected nor disconnected, and says why', async () => {
    await serve();
    expect((await product.control('PUT', '/v1/mcp-gateway/targets/fabric', { command: 'true' })).json).toMatchObject({ error: { data: { code: 'invalid-target-id', at: 'reserved' } } });
    const gone = await product.control('DELETE', '/v1/mcp-gateway/targets/fabric');
    expect([gone.status, gone.json]).toMatchObject([409, { error: { data: { code: 'built-in-target' } } }]);
    expect(await (await agent()).names()).toContain('fabric_propose_change');
  });

  it('is not served with an endpoint that is none, and doctor says so', async () => {
    await serve({ EQUINIX_API_ENDPOINT: 'http://example.com' });
    expect(await (await agent()).names()).not.toContain('fabric_propose_change');
    const { json } = await product.control('GET', '/v1/countersign/doctor');
    expect((json as unknown as { checks: readonly Told[] }).checks.find(({ name }) => name === 'fabric')).toMatchObject({ ok: false, note: expect.stringContaining('EQUINIX_API_ENDPOINT') as string });
  });

  it('is guarded like any other: what matches parks before anything is sent', async () => {
    await serve({ FIBER_PREFLIGHT_FABRIC: 'button:propose_change' });
    const { status, json } = await product.call('fabric', 'fabric_propose_change', AWS);
    expect([status, json]).toMatchObject([202, { params: { state: 'PENDING', executed: false } }]);
    expect(server.received).toEqual([]);
    expect((await product.call('fabric', 'fabric_list_metros')).status).toBe(200);
  });

  it('takes its settings from the file that EQUINIX_ENV_FILE names, beneath the environment', async () => {
    product = await startProduct({ servers: {} });
    const file = path.join(product.dir.path, 'equinix.env');
    writeFileSync(file, `# the lab\nexport EQUINIX_ACCESS_KEY='${server.credentials.accessKey}'\nEQUINIX_SECRET_KEY="${server.credentials.secretKey}"\nEQUINIX_API_ENDPOINT=https://nowhere.invalid\nEQUINIX_MCP_TOOLSETS=fabric\nFIBER_HITL_ON=1\n`);
    await product.restart({ env: { EQUINIX_ENV_FILE: file, EQUINIX_API_ENDPOINT: server.origin } });
    expect((await product.call('fabric', 'fabric_list_metros')).status).toBe(200);
    expect(server.of('token')).toHaveLength(1);
    await product.restart({ env: { EQUINIX_ENV_FILE: `${file}.gone`, EQUINIX_MCP_TOOLSETS: 'fabric' } });
    expect((await product.call('fabric', 'fabric_list_metros')).status).toBe(404);
  });
});

describe('a change', () => {
  it('is proposed, asked about and created once, byte for byte as it was tried out', async () => {
    await serve();
    const asked: string[] = [];
    const { call } = await agent({ answer: ({ params }) => (asked.push(params.message), { action: 'accept', content: { confirm: true } }) });
    const proposed = await call('fabric_propose_change', AWS);
    expect([server.of('dry-run').length, server.created.length]).toEqual([1, 0]);
    const confirmed = await call('fabric_confirm_change', { confirm_token: proposed['confirm_token'] });
    expect(confirmed).toMatchObject({ phase: 'executed', human_confirmation: { status: 'accepted' } });
    expect(server.of('create').map(({ body }) => body)).toEqual(server.of('dry-run').map(({ body }) => body));
    expect(createHash('sha256').update(`{"body":${server.of('create')[0]!.body},"change_type":"connection_create"}`).digest('hex')).toBe(proposed['request_sha256']);
    expect(asked[0]).toContain(String(proposed['request_sha256']));
    expect(asked[0]).not.toContain('pair-4711-key');
    const again = await call('fabric_confirm_change', { confirm_token: proposed['confirm_token'] });
    expect(again).toMatchObject({ error: { code: 'proposal-replayed' } });
    expect(server.created).toHaveLength(1);
  });

  it.each<[string, Answering | undefined, Readonly<Record<string, string>>, string, boolean]>([
    ['declined', () => ({ action: 'decline' }), {}, 'declined', false],
    ['accepted without the box', () => ({ action: 'accept', content: { confirm: false } }), {}, 'declined', false],
    ['dismissed', () => ({ action: 'cancel' }), {}, 'cancelled', false],
    ['not answered in time', () => new Promise(() => undefined), { EQUINIX_MCP_ELICIT_TIMEOUT_MS: '60' }, 'timed_out', false],
    ['a broken client', () => { throw new Error('broken'); }, {}, 'failed', false],
    ['a client that takes no forms', undefined, {}, 'unsupported_by_client', false],
    ['one with the opt-in of the operator', undefined, { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' }, 'unsupported_by_client', true],
  ])('without a window is asked of the client: %s', async (_, answer, more, status, executed) => {
    await serve(more);
    const { call } = await agent({ ...(answer !== undefined && { answer }) });
    const { confirm_token } = await call('fabric_propose_change', AWS);
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ executed, human_confirmation: { status } });
    expect(server.created).toHaveLength(executed ? 1 : 0);
  });

  it('waits for a code where the guard asks for one, and for the user of the client after that', async () => {
    product = await startProduct({ servers: {}, enrolled: true, env: environment(server, { FIBER_PREFLIGHT_FABRIC: 'confirm_change' }) });
    let asked = 0;
    const { call } = await agent({ answer: () => ((asked += 1), { action: 'accept', content: { confirm: true } }) });
    const { confirm_token } = await call('fabric_propose_change', AWS);
    const confirming = call('fabric_confirm_change', { confirm_token });
    await expect.poll(() => product.composition.approvals.queue().length).toBe(1);
    const [parked] = product.composition.approvals.queue();
    expect([parked!.trap.mode, asked, server.of('create').length]).toEqual(['totp', 0, 0]);
    expect((await product.control('POST', `/v1/mcp-gateway/handles/${parked!.id}/totp`, { code: product.code() })).status).toBe(200);
    expect(await confirming).toMatchObject({ executed: true, human_confirmation: { status: 'accepted' } });
    expect([asked, server.created.length]).toEqual([1, 1]);
  });

  it('of a client that goes away while its user thinks is not created', async () => {
    await serve();
    let asked = (): void => undefined;
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const { client, call } = await agent({ answer: () => (asked(), new Promise(() => undefined)) });
    const confirming = call('fabric_confirm_change', { confirm_token: (await call('fabric_propose_change', AWS))['confirm_token'] }).catch(() => undefined);
    await asking;
    await client.close();
    await confirming;
    await expect.poll(async () => (await audited()).find(({ type }) => type === 'confirm.answered')?.['detail']).toMatchObject({ code: expect.stringMatching(/^(failed|call_cancelled)$/) as string });
    expect(server.of('create')).toEqual([]);
  });

  it('is confirmed by its proposer alone; to anybody else its token is unknown', async () => {
    await serve();
    const added = (await product.control('POST', '/v1/countersign/clients', { name: 'other' })).json as unknown as { token: string };
    const mine = await agent({ answer: accept });
    const other = await agent({ answer: accept, token: added.token });
    const { confirm_token } = await mine.call('fabric_propose_change', AWS);
    const foreign = await other.call('fabric_confirm_change', { confirm_token });
    expect(foreign).toEqual(await other.call('fabric_confirm_change', { confirm_token: 'chg-1-000000000000000000000000' }));
    expect(foreign).toMatchObject({ error: { code: 'proposal-unknown' } });
    expect(await mine.call('fabric_confirm_change', { confirm_token })).toMatchObject({ executed: true });
  });

  it('tells nobody what another client had proposed when it has to make room', async () => {
    await serve();
    const added = (await product.control('POST', '/v1/countersign/clients', { name: 'other' })).json as unknown as { token: string };
    await (await agent()).call('fabric_propose_change', AWS);
    const other = await agent({ token: added.token });
    let last: Told = {};
    for (let count = 0; count < 21; count += 1) last = await other.call('fabric_propose_change', { change_type: 'network_create', spec: { ...(exampleBody('Create-Global-EVPLAN-Network') as object), name: `net-${count}` } });
    expect(last['evicted_proposals']).toMatchObject([{ name: 'net-0' }]);
    const { events } = { events: (await audited()).filter(({ type }) => type === 'proposal.evicted') };
    expect(events).toHaveLength(2);
  });

  it('is on record with names and hashes alone, and what is sent before it is sent', async () => {
    await serve();
    const { call } = await agent({ answer: accept });
    const proposed = await call('fabric_propose_change', AWS);
    let then: readonly Told[] = [];
    server.next('create', { kind: 'slow', until: server.seen('create').then(async () => void (then = await audited())) });
    await call('fabric_confirm_change', { confirm_token: proposed['confirm_token'] });
    const rows = await audited();
    expect(then.map(({ type }) => type)).toContain('create.sent');
    expect(then.map(({ type }) => type)).not.toContain('create.executed');
    expect(rows.filter(({ chain }) => chain === 'decisions').map(({ type, actor, payload_hash: hash, detail }) => [type, actor, hash, (detail as Told)['code']])).toEqual([
      ['proposal.minted', 'client:local', proposed['request_sha256'], null],
      ['confirm.answered', 'client:local', proposed['request_sha256'], 'accepted'],
      ['create.sent', 'client:local', proposed['request_sha256'], null],
      ['create.executed', 'client:local', proposed['request_sha256'], null],
    ]);
    for (const secret of ['pair-4711-key', String(proposed['confirm_token']), server.credentials.secretKey]) expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

describe('a client of MCP 2026-07-28', () => {
  async function modern(answer?: () => { action: 'accept'; content: { confirm: boolean } } | { action: 'decline' }) {
    const client = new Stateless({ name: 'modern', version: '1' }, { capabilities: answer === undefined ? {} : { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    if (answer !== undefined) client.setRequestHandler('elicitation/create', answer);
    await client.connect(new StatelessTransport(new URL(`${product.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
    const call = async (name: string, args: Record<string, unknown>): Promise<Told> => (await client.callTool({ name, arguments: args })).structuredContent as Told;
    return { call, close: () => client.close() };
  }

  it.each<[string, Parameters<typeof modern>[0], string, boolean]>([
    ['a yes', () => ({ action: 'accept', content: { confirm: true } }), 'accepted', true],
    ['a yes without the box', () => ({ action: 'accept', content: { confirm: false } }), 'declined', false],
    ['a no', () => ({ action: 'decline' }), 'declined', false],
    ['no forms', undefined, 'unsupported_by_client', false],
  ])('is asked as input that it has to bring: %s', async (_, answer, status, executed) => {
    await serve();
    const { call, close } = await modern(answer);
    const { confirm_token } = await call('fabric_propose_change', AWS);
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ executed, human_confirmation: { status } });
    expect(server.created).toHaveLength(executed ? 1 : 0);
    await close();
  });
});

describe('the settings the app keeps', () => {
  const line = async (words: readonly string[], piped = ''): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
    let [out, err] = ['', ''];
    const terminal: Terminal = {
      out: (text) => void (out += text), err: (text) => void (err += text), colour: false, interruption: () => new AbortController().signal, now: () => Date.now(), pause: () => Promise.resolve(), piped: () => Promise.resolve(piped),
    };
    const code = await run(['broker', 'settings', ...words, '--data-dir', product.dir.path], terminal, {});
    return { code, out, err };
  };
  const keys = (): string => `EQUINIX_ACCESS_KEY=${server.credentials.accessKey}\nEQUINIX_SECRET_KEY=${server.credentials.secretKey}\n`;

  it('serve the broker at once, and after a restart; nothing of the keys lies readable in the data directory', async () => {
    product = await startProduct({ servers: {} });
    const { client, names } = await agent();
    const changed = new Promise<void>((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));
    expect(await names()).not.toContain('fabric_propose_change');
    expect((await line(['set', 'EQUINIX_MCP_TOOLSETS=fabric,mutate', `EQUINIX_API_ENDPOINT=${server.origin}`])).out).toContain('There are no credentials yet');
    await changed;
    expect(await names()).toContain('fabric_propose_change');
    expect(await (await agent()).call('fabric_list_metros', {})).toMatchObject({ error: { code: 'fabric-no-credentials' } });
    const kept = await line(['set'], keys());
    expect([kept.code, kept.out]).toEqual([0, expect.stringContaining('(a key)')]);
    expect(await (await agent()).call('fabric_list_metros', {})).toMatchObject({ data: [] });
    await product.restart();
    expect(await (await agent()).call('fabric_list_metros', {})).toMatchObject({ data: [] });
    for (const file of readdirSync(product.dir.path)) {
      const at = path.join(product.dir.path, file);
      if (statSync(at).isFile()) expect(readFileSync(at).includes(server.credentials.secretKey), file).toBe(false);
    }
    expect((await line(['clear'])).out).toContain('Not served');
    expect(await (await agent()).names()).not.toContain('fabric_propose_change');
  });

  it('lie beneath the environment', async () => {
    await serve({ EQUINIX_MCP_TOOLSETS: 'fabric' });
    const { out } = await line(['set', 'EQUINIX_MCP_TOOLSETS=fabric,mutate']);
    expect(out).toMatch(/EQUINIX_MCP_TOOLSETS +fabric +environment/);
    expect(await (await agent()).names()).not.toContain('fabric_propose_change');
  });

  it('take no key from a command line', async () => {
    await serve();
    const { code, err } = await line(['set', 'EQUINIX_SECRET_KEY=x']);
    expect([code, err]).toEqual([2, expect.stringContaining('does not belong on a command line')]);
    expect((await line(['set'], 'PATH=/tmp\n')).code).toBe(2);
    expect((await line(['set', 'EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS=true'])).code).toBe(1);
  });
});
