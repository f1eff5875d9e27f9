import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type Answered, type Product } from '../../support/product.ts';
import { startHttpWorker, type HttpWorker } from '../../support/workers/http-worker.ts';

/** What one client knows of another's call must be of no use to it (document 003's resumption, done by others in the caller's name). */
let remote: HttpWorker;
let product: Product;
let mallory: string;
beforeAll(async () => {
  remote = await startHttpWorker({ tools: { echo: ({ result }) => result('done') } });
  product = await startProduct({ servers: { db: { url: remote.url, preflight_pattern: 'DROP' } }, enrolled: true });
  mallory = String((await product.control('POST', '/v1/countersign/clients', { name: 'mallory' })).json['token']);
});
afterAll(async () => {
  await product.close();
  await remote.close();
});

const codeOf = ({ json }: Answered): unknown => json.error?.data['code'];
const withCode = (id: string, value: string): object => ({ inputResponses: { jsonrpc: '2.0', id: `prompt_${id}`, result: { value } } });

describe('a key, a handle and a good code in the hands of another client', () => {
  it('find nothing of the first one’s call: the key is looked up after the token, and for its owner only', async () => {
    const args = { text: 'DROP TABLE t' };
    const first = await product.call('db', 'echo', args, { key: 'shared' });
    const id = String(first.json.params?.['handle']);
    expect(await product.call('db', 'echo', args, { key: 'shared', token: 'cs_nobody' })).toMatchObject({ status: 401, json: { error: { data: { code: 'unauthorized' } } } });
    expect(await product.send('GET', `/v1/mcp-gateway/handles/${id}`, { token: mallory })).toMatchObject({ status: 404 });
    expect(codeOf(await product.call('db', 'echo', args, { key: 'shared', token: mallory, meta: withCode(id, product.code()) }))).toBe('handle-not-found');
    // Its own call under the same key is a call of its own, and a code for the other goes nowhere by it.
    const own = await product.call('db', 'echo', args, { key: 'shared', token: mallory });
    expect(own.status).toBe(202);
    expect(own.json.params?.['handle']).not.toBe(id);
    expect(codeOf(await product.call('db', 'echo', args, { key: 'shared', token: mallory, meta: withCode(id, product.code()) }))).toBe('prompt-mismatch');
    expect(remote.calls('echo')).toBe(0);
    expect(await product.call('db', 'echo', args, { key: 'shared', meta: withCode(id, product.code()) })).toMatchObject({ status: 200 });
    expect(remote.calls('echo')).toBe(1);
  });
});
