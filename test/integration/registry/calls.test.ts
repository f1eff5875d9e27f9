import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anErpTool, changed, createEmployee, ERP_SECURITY, handleIn, settled, startRegistryProduct, type RegistryProduct } from '../../support/registry-product.ts';
import { aResource } from '../../support/registry.ts';

const EXACT = 'list_employees.rev_MS4wLjA';
const digestOf = async (stand: RegistryProduct, name: string, version: string): Promise<string> => ((await stand.list(`?name=${name}&version=${version}`))[0]?.['metadata'] as unknown as { readonly resourceDigest: string }).resourceDigest;

async function connected(stand: RegistryProduct, route: string) {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stand.product.url}${route}`), { requestInit: { headers: { authorization: `Bearer ${stand.product.token}` } } }));
  return client;
}

describe('an MCP client', () => {
  let stand: RegistryProduct;
  let client: Client;
  beforeAll(async () => {
    stand = await startRegistryProduct();
    await stand.admit(anErpTool({ execution: { responsePath: 'data' } }));
    await stand.admit(anErpTool({ version: '2.0.0', execution: { responsePath: 'data[0]' } }));
    client = await connected(stand, '/mcp');
  });
  afterAll(async () => {
    await client.close();
    await stand.close();
  });

  const called = async (params: { readonly name: string; readonly arguments?: Record<string, unknown>; readonly _meta?: Record<string, unknown> }): Promise<string> => {
    try {
      const { content, isError } = await client.callTool(params);
      const [first] = content as readonly { readonly text: string }[];
      return `${isError === true ? 'error: ' : ''}${first?.text ?? ''}`;
    } catch (fault) {
      return `protocol error ${(fault as { readonly code: number }).code}: ${(fault as Error).message}`;
    }
  };

  it('sees the serving revision of a tool once, under its own name, with its digest', async () => {
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => name.includes('employees')).map(({ name, _meta }) => [name, _meta])).toEqual([
      ['list_employees', { 'toolplane.resourceDigest': await digestOf(stand, 'list_employees', '1.0.0'), 'toolplane.resourceVersion': '1.0.0', 'toolplane.serving': true }],
    ]);
    const alone = await connected(stand, '/v1/mcp-gateway/registry/mcp');
    expect((await alone.listTools()).tools.map(({ name }) => name)).toEqual(['list_employees']);
    await alone.close();
  });

  it('calls the serving one by its name, and any active one by its exact name or digest', async () => {
    expect(await called({ name: 'list_employees' })).toMatch(/^\[/);
    expect(await called({ name: EXACT })).toMatch(/^\[/);
    expect(await called({ name: 'list_employees.rev_Mi4wLjA' })).toMatch(/^\{"name":"HR-EMP-00001"/);
    expect(await called({ name: 'list_employees', _meta: { 'toolplane.resourceDigest': await digestOf(stand, 'list_employees', '2.0.0') } })).toMatch(/^\{/);
  });

  it.each([
    ['an unknown exact name', { name: 'list_employees.rev_OS4wLjA' }], ['an exact name that encodes no version', { name: 'list_employees.rev_abc' }], ['an exact name of no tool', { name: 'nobody.rev_MS4wLjA' }],
    ['an empty digest', { name: 'list_employees', _meta: { 'toolplane.resourceDigest': '' } }], ['a digest that is none', { name: 'list_employees', _meta: { 'toolplane.resourceDigest': 7 } }],
    ['an unknown digest', { name: 'list_employees', _meta: { 'toolplane.resourceDigest': 'a'.repeat(64) } }],
  ])('%s is a protocol error that asks for rediscovery, and nothing is sent', async (_, params) => {
    const before = stand.erp.received.length;
    expect(await called(params)).toMatch(/^protocol error 40410: .*rediscover tools/);
    expect(stand.erp.received).toHaveLength(before);
  });

  it('a name and a digest that disagree call neither', async () => {
    expect(await called({ name: EXACT, _meta: { 'toolplane.resourceDigest': await digestOf(stand, 'list_employees', '2.0.0') } })).toMatch(/^protocol error 40410/);
  });

  it('arguments that do not fit the called revision are a tool error naming the place', async () => {
    expect(await called({ name: 'list_employees', arguments: { status: 3 } })).toMatch(/^error: .*arguments\.status/);
  });

  it('is told when the list changes, and sees the new one', async () => {
    const told = new Promise<void>((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()));
    await stand.admit(anErpTool({ name: 'list_departments', execution: { endpoint: '/api/method/ping' } }));
    await told;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('list_departments');
  });

  it('the plain name stays unavailable when the serving revision was withdrawn, while exact ones are called on', async () => {
    await stand.withdraw('list_employees', '1.0.0');
    expect(await called({ name: 'list_employees' })).toMatch(/^protocol error 40410/);
    expect(await called({ name: EXACT })).toMatch(/^protocol error 40410/);
    expect(await called({ name: 'list_employees.rev_Mi4wLjA' })).toMatch(/^\{/);
    expect(await called({ name: 'list_employees', _meta: { 'toolplane.resourceDigest': await digestOf(stand, 'list_employees', '2.0.0') } })).toMatch(/^\{/);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('list_employees');
  });

  it('has every active revision listed under its exact name only where the setting says so', async () => {
    const other = await startRegistryProduct({ env: { MCP_ADVERTISE_REVISION_ALIASES: 'true' } });
    await other.admit(anErpTool());
    const agent = await connected(other, '/mcp');
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_employees', EXACT]));
    await agent.close();
    await other.close();
  });
});

describe('a call that the guard stops', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct({ window: true });
    const change = (await stand.admit(createEmployee())).json['change'] as string;
    stand.approve(change);
    await changed(stand.product, change);
  });
  afterAll(() => stand.close());

  const bodies = (): readonly string[] => stand.erp.received.filter(({ method }) => method === 'POST').map(({ body }) => body);

  it('is hashed, shown and sent as one HTTP request, once, with the credential added on the way out', async () => {
    const parked = await stand.invoke('create_employee', { status: 'Active', employee_name: 'Zoë' });
    const text = `{"body":{"employee_name":"Zoë","status":"Active"},"headers":{"accept":"application/json","authorization":null,"content-type":"application/json"},"method":"POST","url":"${stand.erp.origin}/api/resource/Employee"}`;
    expect(parked.status).toBe(202);
    expect(parked.json.params?.['payload_hash']).toBe(createHash('sha256').update(text).digest('hex'));
    expect(bodies()).toEqual([]);
    const handle = handleIn(parked);
    expect(stand.approve(handle)).toBe('ok');
    const done = await settled(stand.product, handle);
    expect(done.status).toBe(200);
    expect(stand.erp.received.filter(({ method }) => method === 'POST').map(({ url, body, headers }) => [url, body, headers.authorization])).toEqual([['/api/resource/Employee', '{"employee_name":"Zoë","status":"Active"}', 'token key1:secret1']]);
    expect(JSON.stringify(stand.product.composition.approvals.recent(50))).not.toContain('secret1');
  });

  it('with its key again, over either address, is the same call and never a second one', async () => {
    const headers = { 'x-idempotency-key': 'one' };
    const first = handleIn(await stand.invoke('create_employee', { employee_name: 'Ann' }, { headers }));
    expect(handleIn(await stand.invoke('create_employee@1.0.0', { employee_name: 'Ann' }, { headers }))).toBe(first);
    expect(handleIn(await stand.product.call('registry', 'create_employee', { employee_name: 'Ann' }, { key: 'one' }))).toBe(first);
    const other = await stand.invoke('create_employee', { employee_name: 'Bob' }, { headers });
    expect([other.status, other.json.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    stand.approve(first);
    await settled(stand.product, first);
    const replay = await stand.invoke('create_employee', { employee_name: 'Ann' }, { headers });
    expect([replay.status, replay.headers.get('x-idempotent-replay')]).toEqual([200, 'true']);
    expect(bodies().filter((body) => body.includes('Ann'))).toHaveLength(1);
  });

  it('ends as revision-withdrawn when its revision is withdrawn, and a late approval sends nothing', async () => {
    const handle = handleIn(await stand.invoke('create_employee', { employee_name: 'Late' }));
    expect((await stand.withdraw('create_employee', '1.0.0')).status).toBe(204);
    const ended = await stand.product.send('GET', `/v1/mcp-gateway/handles/${handle}`);
    expect([ended.status, ended.json.error?.data['code']]).toEqual([409, 'revision-withdrawn']);
    expect(() => stand.approve(handle)).toThrow('nothing waits');
    expect(bodies().join()).not.toContain('Late');
  });
});

describe('a call of one revision', () => {
  it('does not join a call of another one that makes the same request, and is bound to the revision it was parked on', async () => {
    const stand = await startRegistryProduct({ window: false });
    await stand.admit(createEmployee('1.0.0'));
    await stand.admit(createEmployee('2.0.0', 'Create an employee, described better'));
    const [one, two, again] = [await stand.invoke('create_employee@1.0.0', { employee_name: 'Ann' }), await stand.invoke('create_employee@2.0.0', { employee_name: 'Ann' }), await stand.invoke('create_employee@1.0.0', { employee_name: 'Ann' }, { headers: { 'x-idempotency-key': 'k' } })];
    expect(one.json.params?.['payload_hash']).toBe(two.json.params?.['payload_hash']);
    const other = await stand.invoke('create_employee@2.0.0', { employee_name: 'Ann' }, { headers: { 'x-idempotency-key': 'k' } });
    expect([other.status, other.json.error]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    await stand.withdraw('create_employee', '1.0.0');
    const states = await Promise.all([one, two, again].map(async (parked) => (await stand.product.send('GET', `/v1/mcp-gateway/handles/${handleIn(parked)}`)).status));
    expect(states).toEqual([409, 202, 409]);
    await stand.close();
  });
});

describe('a key that was used', () => {
  it('finds its call when the plain name means another revision by then, and when there is none any more', async () => {
    const stand = await startRegistryProduct({ window: false });
    onTestFinished(() => stand.close());
    const headers = (key: string) => ({ headers: { 'x-idempotency-key': key } });
    await stand.admit(anErpTool({ name: 'list_employees', version: '1.0.0' }));
    await stand.admit(createEmployee('1.0.0'));
    const first = await stand.invoke('list_employees', {}, headers('passed'));
    const handle = handleIn(await stand.invoke('create_employee', { employee_name: 'Ann' }, headers('parked')));
    await stand.admit(anErpTool({ name: 'list_employees', version: '2.0.0', metadata: { isServing: true }, execution: { endpoint: '/api/resource/Employee?v=2' } }));
    await stand.admit(anErpTool({ name: 'create_employee', version: '2.0.0', metadata: { isServing: true }, execution: { method: 'POST' }, properties: { employee_name: { type: 'string' } } }));

    const again = async () => {
      const sent = stand.erp.received.length;
      const [passed, parked] = [await stand.invoke('list_employees', {}, headers('passed')), await stand.invoke('create_employee', { employee_name: 'Ann' }, headers('parked'))];
      expect(stand.erp.received).toHaveLength(sent);
      expect([passed.status, passed.headers.get('x-idempotent-replay'), passed.json]).toEqual([200, 'true', first.json]);
      return parked;
    };
    expect(handleIn(await again())).toBe(handle);
    for (const version of ['1.0.0', '2.0.0']) for (const name of ['list_employees', 'create_employee']) await stand.withdraw(name, version);
    const ended = await again();
    expect([ended.status, ended.json['error'], ended.json['handle']]).toEqual([409, 'REVISION_WITHDRAWN', handle]);
    const other = await stand.invoke('create_employee', { employee_name: 'Bob' }, headers('parked'));
    expect([other.status, other.json['error']]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });
});

describe('a call under way', () => {
  it('that waits for its place when its revision is withdrawn ends as one that was parked then, everywhere it is told', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const stand = await startRegistryProduct({ window: true, erp: { hold: () => held } });
    onTestFinished(() => stand.close());
    const admitted = (await stand.admit(anErpTool({ name: 'create_employee', execution: { method: 'POST' }, properties: { employee_name: { type: 'string' } }, spec: { concurrency: { limit: 1, perPrincipal: 1 } } }))).json['change'] as string;
    stand.approve(admitted);
    await changed(stand.product, admitted);
    const [first, second] = [handleIn(await stand.invoke('create_employee', { employee_name: 'Ann' })), handleIn(await stand.invoke('create_employee', { employee_name: 'Bob' }))];
    stand.approve(first);
    await expect.poll(() => stand.erp.received.length).toBe(1);
    stand.approve(second);
    const withdrawal = stand.withdraw('create_employee', '1.0.0');
    // It stands at the lock once later requests have been answered.
    for (let asked = 0; asked < 5; asked += 1) await stand.list();
    release();
    expect((await withdrawal).status).toBe(204);

    expect([(await settled(stand.product, first)).status, (await settled(stand.product, second)).status]).toEqual([200, 409]);
    expect(stand.erp.received).toHaveLength(1);
    const { handles } = (await stand.product.control('GET', '/v1/mcp-gateway/handles?all=true')).json as unknown as { readonly handles: readonly Record<string, unknown>[] };
    expect(handles.find(({ handle }) => handle === second)).toMatchObject({ state: 'FAULTED', reason: 'revision-withdrawn' });
    expect(stand.product.composition.review.outcome({ handle: second })).toEqual({ ok: true, value: { handle: second, status: 'revision-withdrawn', sentence: 'The tool revision was withdrawn. The call was not executed.' } });
  });

  it('runs by the revision it was parked on, whatever the plain name means by then', async () => {
    const stand = await startRegistryProduct({ enrolled: true, env: { FIBER_PREFLIGHT_REGISTRY: 'create_employee' } });
    await stand.admit(createEmployee('1.0.0'));
    const parked = await stand.product.call('registry', 'create_employee', { employee_name: 'Ann' }, { key: 'k' });
    await stand.admit(anErpTool({ name: 'create_employee', version: '2.0.0', metadata: { isServing: true }, execution: { method: 'POST', endpoint: '/api/other' }, properties: { employee_name: { type: 'string' } } }));
    const inputResponses = { jsonrpc: '2.0', id: `prompt_${handleIn(parked)}`, result: { value: stand.product.code() } };
    const done = await stand.product.call('registry', 'create_employee', { employee_name: 'Ann' }, { key: 'k', meta: { inputResponses } });
    expect([done.status, (done.json.result as { readonly _meta: Record<string, string> })._meta['toolplane.resourceVersion']]).toEqual([200, '1.0.0']);
    expect(stand.erp.received.map(({ url }) => url)).toEqual(['/api/resource/Employee']);
    await stand.close();
  });

  it('is told as unknown when Countersign stops before the answer, and does not hold up the end', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(aResource({ name: 'hanging', execution: { endpoint: '/odd/hangs' } }));
    const calling = stand.invoke('hanging').then(({ status, json }) => [status, json.error], () => ['connection closed']);
    await expect.poll(() => stand.erp.received.length).toBe(1);
    const began = performance.now();
    await stand.product.stop();
    expect(performance.now() - began).toBeLessThan(12_000);
    expect([[504, 'UNKNOWN'], ['connection closed']]).toContainEqual(await calling);
    await stand.close();
  }, 30_000);
});

describe('who may call', () => {
  it('a tool with roles is called by clients that have one of them', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(anErpTool({ name: 'salaries', spec: { security: { ...ERP_SECURITY, allowedRoles: ['hr'] } } }));
    const token = async (name: string, roles: readonly string[]): Promise<string> => (await stand.product.control('POST', '/v1/countersign/clients', { name, roles })).json['token'] as string;
    const [hr, sales] = [await token('anne', ['hr']), await token('bob', ['sales'])];
    expect((await stand.invoke('salaries', {}, { token: hr })).status).toBe(200);
    const before = stand.erp.received.length;
    for (const refused of [await stand.invoke('salaries', {}, { token: sales }), await stand.invoke('salaries')]) expect([refused.status, refused.json.error]).toEqual([403, 'AUTHORIZATION_DENIED']);
    expect(stand.erp.received).toHaveLength(before);
    await stand.close();
  });
});

describe('how often and how many', () => {
  it('a call too many is refused with the time to wait; a repeat of a call that waits is not counted', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(anErpTool({ spec: { security: ERP_SECURITY, rateLimit: { requestsPerSecond: 0.01, burst: 2 } } }));
    expect([await stand.invoke('list_employees'), await stand.invoke('list_employees')].map(({ status }) => status)).toEqual([200, 200]);
    const refused = await stand.invoke('list_employees');
    expect([refused.status, refused.json.error, Number(refused.headers.get('retry-after')) > 50]).toEqual([429, 'RATE_LIMITED', true]);
    expect(stand.erp.received).toHaveLength(2);

    const limited = createEmployee();
    await stand.admit({ ...limited, spec: { ...(limited['spec'] as object), rateLimit: { requestsPerSecond: 0.01, burst: 1 } } });
    const waiting = await stand.invoke('create_employee', { employee_name: 'Ann' }, { headers: { 'x-idempotency-key': 'k' } });
    for (let count = 0; count < 3; count += 1) expect(handleIn(await stand.invoke('create_employee', { employee_name: 'Ann' }, { headers: { 'x-idempotency-key': 'k' } }))).toBe(handleIn(waiting));
    expect((await stand.invoke('create_employee', { employee_name: 'Bob' })).status).toBe(429);
    await stand.close();
  });

  it('as many at once as the tool allows, and no more', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(aResource({ name: 'hanging', execution: { endpoint: '/odd/hangs' }, spec: { concurrency: { limit: 1, perPrincipal: 1 } } }));
    const first = stand.invoke('hanging').catch(() => undefined);
    await expect.poll(() => stand.erp.received.length).toBe(1);
    const second = await stand.invoke('hanging');
    expect([second.status, second.json.error]).toEqual([429, 'CONCURRENCY_LIMITED']);
    await stand.close();
    await first;
  });
});

describe('what the called system answers', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct();
    await stand.admit(anErpTool({ name: 'new_employee', execution: { method: 'POST', responsePath: 'data' }, properties: { employee_name: { type: 'string' } } }));
    await stand.admit(aResource({ name: 'without_token', execution: { endpoint: '/api/method/ping' } }));
    await stand.admit(aResource({ name: 'status', execution: { endpoint: '/odd/status' }, properties: { status: { type: 'integer' } } }));
    for (const odd of ['html', 'cut', 'reset', 'changed', 'twice']) await stand.admit(aResource({ name: `odd_${odd}`, execution: { endpoint: `/odd/${odd}` } }));
    await stand.admit(aResource({ name: 'redirect', execution: { endpoint: '/odd/redirect' }, properties: { status: { type: 'integer' } } }));
    await stand.admit(anErpTool({ name: 'misfit', spec: { outputSchema: { type: 'array' } } }));
    await stand.admit(anErpTool({ name: 'no_credential', spec: { security: { ...ERP_SECURITY, credentialRef: 'NOT_SET' } } }));
    await stand.admit(anErpTool({ name: 'our_secret', spec: { security: { ...ERP_SECURITY, credentialRef: 'COUNTERSIGN_SECRET' } } }));
    await stand.admit(anErpTool({ name: 'elsewhere', execution: { endpoint: 'http://elsewhere.example/x', approvedOrigins: ['https://approved.example'] } }));
  });
  afterAll(() => stand.close());

  const statusOf = async (name: string, args: object = {}): Promise<string> => {
    const { status, json, text } = await stand.invoke(name, args);
    expect(text).not.toContain('SECRET');
    const fault = (json['_meta'] as { readonly 'io.erpbridge/fault'?: { readonly kind: string } } | undefined)?.['io.erpbridge/fault']?.kind;
    const error: unknown = json['error'];
    return `${status} ${fault ?? (typeof error === 'string' ? error : '')}`;
  };

  it.each([
    ['417 of ERPNext', 'new_employee', {}, '200 INVALID_INPUT'], ['404', 'status', { status: 404 }, '200 NOT_FOUND'], ['403', 'status', { status: 403 }, '200 PERMISSION_DENIED'], ['409', 'status', { status: 409 }, '200 CONFLICT'],
    ['429', 'status', { status: 429 }, '200 RATE_LIMITED'], ['401', 'without_token', {}, '502 UPSTREAM_UNAUTHORIZED'], ['500', 'status', { status: 500 }, '502 UPSTREAM_FAULT'], ['402', 'status', { status: 402 }, '200 DEPENDENCY_UNAVAILABLE'], ['408', 'status', { status: 408 }, '504 UNKNOWN'], ['504', 'status', { status: 504 }, '504 UNKNOWN'], ['HTML', 'odd_html', {}, '502 UPSTREAM_FAULT'],
    ['an answer cut off', 'odd_cut', {}, '504 UNKNOWN'], ['a connection reset', 'odd_reset', {}, '504 UNKNOWN'], ['a number that would change', 'odd_changed', {}, '502 UPSTREAM_FAULT'], ['a name twice', 'odd_twice', {}, '502 UPSTREAM_FAULT'],
    ['a redirect', 'redirect', { status: 302 }, '502 UPSTREAM_FAULT'], ['what the tool does not promise', 'misfit', {}, '502 RESULT_MISFIT'],
    ['a credential that is not set', 'no_credential', {}, '503 CREDENTIAL_MISSING'], ['one of our own secrets as credential', 'our_secret', {}, '503 CREDENTIAL_MISSING'], ['an origin that is not approved', 'elsewhere', {}, '403 PERMISSION_DENIED'],
  ])('%s', async (_, name, args, told) => {
    expect(await statusOf(name, args)).toBe(told);
  });
});
