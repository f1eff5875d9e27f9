import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anErpTool, changed, createEmployee, settled, startRegistryProduct, TOOLS, type RegistryProduct } from '../../support/registry-product.ts';

const envelope = { error: expect.any(String) as unknown, message: expect.any(String) as unknown, suggestion: expect.any(String) as unknown, code: expect.any(Number) as unknown };

describe('the control plane without a window', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct();
  });
  afterAll(() => stand.close());

  it('admits a tool at once, and identical content again to the same digest and the first record', async () => {
    const first = await stand.admit(anErpTool());
    expect(first.status).toBe(201);
    expect(first.json).toEqual({ status: 'applied', name: 'list_employees', version: '1.0.0', resourceDigest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
    const [before] = await stand.list('?name=list_employees');
    const again = await stand.admit(anErpTool());
    expect([again.status, again.json]).toEqual([201, first.json]);
    expect(await stand.list('?name=list_employees')).toEqual([before]);
    expect(before?.['metadata']).toMatchObject({
      isActive: true, isServing: true, resourceDigest: first.json['resourceDigest'],
      admission: { actor: expect.stringMatching(/^control:/) as unknown, decision: 'approved', canonicalization: 'countersign-tool-jcs-v1', approvedAt: expect.stringMatching(/Z$/) as unknown },
    });
  });

  it('what it tells of a tool can be admitted again as it stands', async () => {
    const [told] = await stand.list('?name=list_employees&version=1.0.0');
    expect((await stand.admit(told)).json).toMatchObject({ status: 'applied', resourceDigest: (told?.['metadata'] as Record<string, string> | undefined)?.['resourceDigest'] });
  });

  it('refuses changed content under the same name and version, and replaces nothing', async () => {
    const before = await stand.list();
    const refused = await stand.admit(anErpTool({ metadata: { description: 'Something else' } }));
    expect([refused.status, refused.json]).toEqual([409, { ...envelope, error: 'REGISTRY_CONFLICT', code: 409 }]);
    expect(await stand.list()).toEqual(before);
  });

  it.each([
    ['unreadable', '{"a":', 400], ['a name twice', '{"kind":"Tool","kind":"Tool"}', 400], ['not an object', [], 422], ['an unknown field', { ...createEmployee(), specs: {} }, 422],
    ['no semantic version', createEmployee('1.0'), 422], ['a reserved name', anErpTool({ name: 'x.rev_y' }), 422], ['a user in the URL', anErpTool({ execution: { endpoint: 'http://a@b.example/x' } }), 422],
    ['a secret in the URL', anErpTool({ execution: { endpoint: '/x?api_key=abc' } }), 422], ['a role out of shape', anErpTool({ spec: { security: { allowedRoles: ['HR'] } } }), 422],
    ['an inactive state', anErpTool({ version: '9.0.0', metadata: { isActive: false } }), 422],
  ])('refuses %s in the words of document 002', async (_, body, status) => {
    const refused = await stand.product.control('POST', TOOLS, body);
    expect(refused.status).toBe(status);
    expect(refused.json).toMatchObject({ error: 'VALIDATION_FAILED', message: expect.any(String) as unknown, suggestion: expect.any(String) as unknown, code: status });
    expect(refused.json['message']).not.toMatch(/invalid input|expected|received|too (?:big|small)|unrecognized|\$/i);
  });

  it('takes no query that names a parameter twice, and withdraws nothing by it', async () => {
    await stand.admit(anErpTool({ name: 'kept' }));
    for (const query of ['name=other&name=kept&version=1.0.0', 'name=kept&version=1.0.0&hard=false&hard=true']) {
      const refused = await stand.product.control('DELETE', `${TOOLS}?${query}`);
      expect([refused.status, refused.json['error']]).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect((await stand.product.control('GET', `${TOOLS}?name=other&name=kept`)).status).toBe(400);
    expect((await stand.list('?name=kept'))[0]?.['metadata']).toMatchObject({ isActive: true });
  });

  it('names the place of what is wrong, and no value of it', async () => {
    const refused = await stand.admit(anErpTool({ spec: { security: { authType: 'api-key', credentialRef: 'sk-live 123', credentialSource: 'env' } } }));
    expect(refused.text).toContain('spec.security.credentialRef');
    expect(refused.text).not.toContain('sk-live');
  });

  it('answers every other refusal under /apis and /api in the same shape', async () => {
    const { product } = stand;
    const answers = await Promise.all([
      product.send('GET', TOOLS), product.send('GET', TOOLS, { token: '' }), product.control('PUT', TOOLS), product.control('GET', '/apis/erpbridge.io/v1/plugins'),
      product.control('GET', `${TOOLS}?nam=x`), product.control('DELETE', TOOLS), product.control('DELETE', `${TOOLS}?name=none&version=1.0.0`), product.send('GET', '/api/info', { token: '' }),
      product.send('GET', '/api/info', { headers: { origin: 'https://evil.example' } }), product.send('POST', '/api/tools/invoke', { body: '[]' }), product.send('POST', '/api/tools/invoke', { body: '{"name":"a","args":{}}' }),
    ]);
    for (const { json } of answers) expect(json).toMatchObject(envelope);
    expect(answers.map(({ status, json }) => [status, json['code'], json['error']])).toEqual([
      [401, 401, 'AUTHENTICATION_FAILED'], [401, 401, 'AUTHENTICATION_FAILED'], [405, 405, 'METHOD_NOT_ALLOWED'], [404, 404, 'RESOURCE_NOT_FOUND'],
      [400, 400, 'VALIDATION_FAILED'], [400, 400, 'VALIDATION_FAILED'], [404, 404, 'RESOURCE_NOT_FOUND'], [401, 401, 'AUTHENTICATION_FAILED'],
      [403, 403, 'AUTHORIZATION_DENIED'], [400, 400, 'VALIDATION_FAILED'], [400, 400, 'VALIDATION_FAILED'],
    ]);
  });

  it('a withdrawn revision comes back only when it is asked to, and then with its first record', async () => {
    await stand.admit(createEmployee());
    const [before] = await stand.list('?name=create_employee');
    expect((await stand.withdraw('create_employee', '1.0.0')).status).toBe(204);
    expect((await stand.list('?name=create_employee'))[0]?.['metadata']).toMatchObject({ isActive: false, isServing: false });
    const refused = await stand.admit(createEmployee());
    expect([refused.status, refused.json['error']]).toEqual([409, 'REVISION_WITHDRAWN']);
    const back = createEmployee();
    expect((await stand.admit({ ...back, metadata: { ...(back['metadata'] as object), isActive: true } })).status).toBe(201);
    expect(await stand.list('?name=create_employee')).toEqual([before]);
  });

  it('a hard withdrawal leaves nothing behind', async () => {
    await stand.admit(createEmployee('3.0.0'));
    expect((await stand.withdraw('create_employee', '3.0.0', true)).status).toBe(204);
    expect(await stand.list('?name=create_employee&version=3.0.0')).toEqual([]);
    expect((await stand.admit(createEmployee('3.0.0', 'Other content'))).status).toBe(201);
  });

  it('tells the reconciliation of document 002, and counts', async () => {
    const info = await stand.product.send('GET', '/api/info');
    expect(info.status).toBe(200);
    expect(info.json).toMatchObject({
      version: '0.1.0', counts: { revisions: expect.any(Number) as unknown, active: expect.any(Number) as unknown, tools: expect.any(Number) as unknown },
      reconciliation: { lastError: '', converged: true, desiredStateHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
    });
    expect(Object.keys(info.json['reconciliation'] as object).sort()).toEqual(['attemptCount', 'converged', 'desiredStateHash', 'lastAttempt', 'lastError', 'lastSuccess', 'observedGeneration']);
  });
});

describe('what is admitted after a restart', () => {
  it('stands with its pointer and its tombstones, and counts its attempts anew', async () => {
    const stand = await startRegistryProduct();
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await stand.admit(anErpTool({ version }));
    await stand.withdraw('list_employees', '1.0.0');
    const before = await stand.list();
    await stand.product.restart();
    expect(await stand.list()).toEqual(before);
    expect((await stand.invoke('list_employees')).status).toBe(404);
    expect((await stand.invoke('list_employees@3.0.0')).status).toBe(200);
    expect((await stand.product.send('GET', '/api/info')).json['reconciliation']).toMatchObject({ attemptCount: 1, converged: true });
    await stand.close();
  });

  it('a parked call whose revision was withdrawn just before the end is ended at the start', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(createEmployee());
    const parked = await stand.invoke('create_employee', { employee_name: 'Ann' });
    const handle = parked.json.params?.['handle'] as string;
    await stand.product.stop();
    const db = new Database(stand.product.dir.database);
    db.exec("UPDATE tool_revisions SET is_active = 0, is_serving = 0 WHERE name = 'create_employee'");
    db.close();
    await stand.product.restart();
    expect((await stand.product.send('GET', `/v1/mcp-gateway/handles/${handle}`)).json.error?.data['code']).toBe('revision-withdrawn');
    await stand.close();
  });
});

describe('the control plane with a window', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct({ window: true });
  });
  afterAll(() => stand.close());

  const proposed = async (resource: unknown): Promise<string> => {
    const answer = await stand.admit(resource);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/v1/countersign/changes/${String(answer.json['change'])}`);
    return answer.json['change'] as string;
  };
  const changeOf = (id: string): Promise<Record<string, unknown>> => changed(stand.product, id);

  it('an admission waits for a click on exactly this resource, and nothing is admitted before it', async () => {
    const change = await proposed(anErpTool());
    expect(await stand.list()).toEqual([]);
    const looked = stand.product.composition.review.look({ handle: change });
    if (!('ok' in looked) || !looked.ok || looked.value.item === null) throw new Error('nothing is shown');
    const { item } = looked.value;
    const text = (pieces: readonly { readonly text: string }[]): string => pieces.map((piece) => piece.text).join('');
    expect(item.kind).toBe('change');
    expect(Object.fromEntries(item.facts.map(({ label, value }) => [label, text(value)]))).toMatchObject({ Tool: 'list_employees 1.0.0', Request: 'GET /api/resource/Employee', 'May go to': stand.erp.origin, Guard: 'a click for create_employee', 'Plain name': 'means this revision from now on' });
    expect(item.rows.map(({ path }) => text(path))).toEqual(expect.arrayContaining(['resource.spec.execution.endpoint', 'resource.spec.execution.approvedOrigins[0]', 'resource.spec.security.credentialRef', 'resource_digest']));
    expect(stand.approve(change)).toBe('ok');
    expect(await changeOf(change)).toMatchObject({ kind: 'revision', subject: 'list_employees@1.0.0', state: 'RESOLVED' });
    expect((await stand.list())[0]?.['metadata']).toMatchObject({ isServing: true });
  });

  it('what changes nothing, and what only takes away, needs no click', async () => {
    expect((await stand.admit(anErpTool())).status).toBe(201);
    expect((await stand.withdraw('list_employees', '1.0.0')).status).toBe(204);
  });

  it('a declined admission changes nothing', async () => {
    const change = await proposed(anErpTool({ version: '2.0.0' }));
    await stand.product.control('POST', `/v1/mcp-gateway/handles/${change}/decline`, { reason: 'not this one' });
    expect(await changeOf(change)).toMatchObject({ state: 'FAULTED', reason: 'declined' });
    expect(await stand.list('?version=2.0.0')).toEqual([]);
  });

  it('moving the pointer and bringing back what was withdrawn wait for a click too', async () => {
    for (const version of ['3.0.0', '4.0.0']) expect(stand.approve(await proposed(anErpTool({ version })))).toBe('ok');
    const serving = await proposed(anErpTool({ version: '4.0.0', metadata: { isServing: true } }));
    expect((await stand.list('?version=4.0.0'))[0]?.['metadata']).toMatchObject({ isServing: false });
    stand.approve(serving);
    await changeOf(serving);
    expect((await stand.list('?version=4.0.0'))[0]?.['metadata']).toMatchObject({ isServing: true });
    const back = await proposed(anErpTool({ metadata: { isActive: true } }));
    stand.approve(back);
    await changeOf(back);
    expect((await stand.list('?version=1.0.0'))[0]?.['metadata']).toMatchObject({ isActive: true, isServing: false });
  });

  it('a click on what would now come to something else changes nothing', async () => {
    const first = await proposed(createEmployee('1.0.0', 'One content'));
    const second = await proposed(createEmployee('1.0.0', 'Another content'));
    stand.approve(first);
    await changeOf(first);
    stand.approve(second);
    expect(await changeOf(second)).toMatchObject({ state: 'FAULTED', reason: 'change-outdated' });
    expect((await stand.list('?name=create_employee'))[0]?.['metadata']).toMatchObject({ description: 'One content' });
  });

  it('a resource nobody could review is refused', async () => {
    const refused = await stand.admit(anErpTool({ name: 'huge', properties: { choice: { enum: Array.from({ length: 6_000 }, (_, index) => index) } } }));
    expect([refused.status, refused.json['error']]).toEqual([413, 'TOO_LARGE_TO_REVIEW']);
  });

  it('a parked call shows the request and the revision it stands against', async () => {
    const parked = await stand.invoke('create_employee', { employee_name: 'Zoë' });
    const handle = parked.json.params?.['handle'] as string;
    const looked = stand.product.composition.review.look({ handle });
    if (!('ok' in looked) || !looked.ok || looked.value.item === null) throw new Error('nothing is shown');
    const { item } = looked.value;
    const text = (pieces: readonly { readonly text: string }[]): string => pieces.map((piece) => piece.text).join('');
    const [revision] = await stand.list('?name=create_employee&version=1.0.0');
    expect(item.facts.map(({ label, value }) => [label, text(value)])).toEqual([['Tool revision', 'create_employee 1.0.0'], ['Revision digest', (revision?.['metadata'] as Record<string, string> | undefined)?.['resourceDigest']], ['Credential', 'is put into the header authorization when it is sent']]);
    expect(item.rows.map(({ path }) => text(path))).toEqual(['body.employee_name', 'headers.accept', 'headers.authorization', 'headers.content-type', 'method', 'url']);
    stand.approve(handle);
    expect((await settled(stand.product, handle)).status).toBe(200);
  });
});
