/** What a client is told of the call it waits for when Countersign ends (contract, section 2): calls under way get 5 s, then their targets end. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { startHttpWorker, type HttpWorker } from '../../support/workers/http-worker.ts';

const FAULTY = fileURLToPath(new URL('../../support/workers/faulty.mjs', import.meta.url));
const PATIENCE = { timeout: 20_000 };
let upstream: HttpWorker;
let product: Product;
const held: (() => void)[] = [];

beforeEach(async () => {
  held.length = 0;
  upstream = await startHttpWorker({ tools: { hangs: () => undefined, waits: ({ result }) => void held.push(() => result('at last')) } });
  product = await startProduct({ servers: { web: { url: upstream.url }, daemon: { command: process.execPath, args: [FAULTY, 'hangs'] } } });
});
afterEach(async () => {
  await product.close();
  await upstream.close();
});

describe('a call under way when Countersign ends', () => {
  it('that its target still answers in time is answered', async () => {
    const answer = product.call('web', 'waits');
    await expect.poll(() => held.length, PATIENCE).toBe(1);
    const stopped = product.stop();
    held[0]?.();
    expect((await answer).text).toContain('at last');
    await stopped;
  }, 60_000);

  it.each([['web', 'hangs'], ['daemon', 'anything']])('that its target (%s) does not answer is told as unknown, and is that under its key from then on', async (target, tool) => {
    const answer = product.call(target, tool, {}, { key: 'k' });
    if (target === 'web') await expect.poll(() => upstream.calls('hangs'), PATIENCE).toBe(1);
    else await expect.poll(async () => ((await product.control('GET', '/v1/mcp-gateway/targets')).json['targets'] as readonly { readonly id: string; readonly state: string }[]).find(({ id }) => id === target)?.state, PATIENCE).toBe('running');
    await product.stop();
    const told = await answer;
    expect([told.status, told.json.error?.data['code']]).toEqual([504, 'unknown']);
    await product.restart();
    const again = await product.call(target, tool, {}, { key: 'k' });
    expect([again.status, again.headers.get('x-idempotent-replay')]).toEqual([504, 'true']);
  }, 60_000);
});
