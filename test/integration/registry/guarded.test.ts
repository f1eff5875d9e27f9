import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anErpTool, changed, createEmployee, handleIn, settled, startRegistryProduct, type RegistryProduct } from '../../support/registry-product.ts';
import { aResource } from '../../support/registry.ts';

describe('the guard of HTTP tools', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct({ env: { FIBER_PREFLIGHT_REGISTRY: 'button:DROP TABLE|named_tool|DELETE|/api/resource/Secret' } });
    const properties = { text: { type: 'string' }, list: { type: 'array' } };
    await stand.admit(anErpTool({ name: 'in_query', properties }));
    await stand.admit(anErpTool({ name: 'in_body', properties, execution: { method: 'POST' } }));
    await stand.admit(anErpTool({ name: 'in_path', properties: { text: { type: 'string' } }, execution: { endpoint: '/api/resource/{text}' } }));
    await stand.admit(anErpTool({ name: 'in_header', properties: { text: { type: 'string' } }, execution: { mapping: { text: 'X-Text' }, parameterLocations: { text: 'header' } } }));
    await stand.admit(anErpTool({ name: 'named_tool' }));
    await stand.admit(aResource({ name: 'by_method', execution: { method: 'DELETE' } }));
  });
  afterAll(() => stand.close());

  it.each([
    ['a value that goes into the query, encoded', 'in_query', { text: 'drop table x' }], ['a list that goes into the query as JSON', 'in_query', { list: ['a', 'DROP TABLE x'] }], ['a value in the body', 'in_body', { text: 'DROP TABLE x' }],
    ['a value in a header', 'in_header', { text: 'DROP TABLE x' }], ['a value in the path', 'in_path', { text: 'DROP TABLE x' }], ['the path that is made', 'in_path', { text: 'Secret' }], ['the name of the tool', 'named_tool', {}],
    ['the exact name of the tool', 'named_tool.rev_MS4wLjA', {}], ['the HTTP method', 'by_method', {}], ['a value hidden in base64', 'in_body', { text: Buffer.from('DROP TABLE x').toString('base64') }],
  ])('stops a call for %s, before anything is sent', async (_, name, args) => {
    const before = stand.erp.received.length;
    expect(handleIn(await stand.product.call('registry', name, args))).toMatch(/^txn_/);
    expect(stand.erp.received).toHaveLength(before);
  });

  it('names the field of the request that matched, as the window shows it', async () => {
    const handle = handleIn(await stand.invoke('in_body', { text: 'again: DROP TABLE x' }));
    expect((await stand.product.control('GET', `/v1/countersign/handles/${handle}`)).json['matched']).toBe('body.text');
  });

  it('lets everything else pass', async () => {
    expect((await stand.invoke('in_query', {})).status).toBe(200);
  });
});

describe('one call', () => {
  it('made fifty times at once under one key reaches the system once, and everybody gets its answer', async () => {
    const stand = await startRegistryProduct();
    await stand.admit(anErpTool());
    const answers = await Promise.all(Array.from({ length: 50 }, () => stand.invoke('list_employees', {}, { headers: { 'x-idempotency-key': 'all-the-same' } })));
    expect(new Set(answers.map(({ status, json }) => `${status} ${JSON.stringify(json)}`)).size).toBe(1);
    expect(stand.erp.received).toHaveLength(1);
    await stand.close();
  });

  it('that waits survives a restart, bound to its revision, and goes out once after the click', async () => {
    const stand = await startRegistryProduct({ window: true });
    for (const resource of [createEmployee(), anErpTool()]) {
      const change = (await stand.admit(resource)).json['change'] as string;
      stand.approve(change);
      await changed(stand.product, change);
    }
    expect((await stand.invoke('list_employees')).status).toBe(200);
    const handle = handleIn(await stand.invoke('create_employee', { employee_name: 'Ann' }));
    await stand.product.restart();
    expect(stand.approve(handle)).toBe('ok');
    expect((await settled(stand.product, handle)).status).toBe(200);
    expect(stand.erp.received.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual(['{"employee_name":"Ann"}']);
    await stand.close();
  });
});
