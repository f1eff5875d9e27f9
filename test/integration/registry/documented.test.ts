import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PETSTORE_KEY, startPetstore } from '../../support/petstore-server.ts';
import { handleIn, startRegistryProduct, type RegistryProduct } from '../../support/registry-product.ts';

const document = readFileSync(path.resolve('docs/registry.md'), 'utf8');
const resources = [...document.matchAll(/```json\n(\{"apiVersion"[\s\S]*?)\n```/g)].map(([, text]) => text ?? '');

describe('the examples of docs/registry.md', () => {
  let stand: RegistryProduct;
  beforeAll(async () => {
    stand = await startRegistryProduct();
    for (const text of resources) expect((await stand.admit(text)).status).toBe(201);
  });
  afterAll(() => stand.close());

  it('are all admitted', async () => {
    expect((await stand.list()).map(({ metadata }) => (metadata as unknown as { readonly name: string }).name)).toEqual(['create_employee', 'list_employees', 'pet_by_id', 'remove_pet']);
  });

  it('the list of employees sends the request that is written there', async () => {
    const answer = await stand.invoke('list_employees', { filters: [['status', '=', 'Active']], limit: 20 });
    expect(answer.status).toBe(200);
    const [sent] = stand.erp.received;
    expect(document).toContain(`\`GET ${sent?.url ?? ''}\``);
    expect(answer.json['content']).toEqual([{ type: 'text', text: expect.stringContaining('Ada') as unknown }]);
  });

  it('creating an employee waits for a human', async () => {
    expect(handleIn(await stand.invoke('create_employee', { employee_name: 'Zoë' }))).toMatch(/^txn_/);
  });
});

describe('an API of another domain', () => {
  it('is called by path, query and header, with a key of its own header from a file', async () => {
    const petstore = await startPetstore();
    const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-credentials-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, 'petstore_key'), `${PETSTORE_KEY}\n`, { mode: 0o600 });
    const stand = await startRegistryProduct({ env: { ERP_BASE_URL: '', ERPBRIDGE_CREDENTIALS_DIR: folder } });
    for (const text of resources.filter((each) => each.includes('petstore'))) expect((await stand.admit(text.replaceAll('https://petstore3.swagger.io', petstore.origin))).status).toBe(201);

    expect((await stand.invoke('pet_by_id', { id: 7 })).json['structuredContent']).toEqual({ id: 7, name: 'doggie', photoUrls: [], status: 'available' });
    expect((await stand.invoke('remove_pet', { id: 7, reason: 'sold' })).status).toBe(200);
    expect((await stand.invoke('pet_by_id', { id: 7 })).json).toMatchObject({ isError: true, _meta: { 'io.erpbridge/fault': { kind: 'NOT_FOUND', status: 404 } } });
    expect((await stand.invoke('pet_by_id', { id: '../user' })).status).toBe(400);
    expect(petstore.received).toEqual([
      { method: 'GET', url: '/api/v3/pet/7', reason: undefined, key: undefined },
      { method: 'DELETE', url: '/api/v3/pet/7', reason: 'sold', key: PETSTORE_KEY },
      { method: 'GET', url: '/api/v3/pet/7', reason: undefined, key: undefined },
    ]);
    await stand.close();
    await petstore.stop();
  });
});
