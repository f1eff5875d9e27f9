import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aSigner, claimsFor } from '../../support/bridges.ts';
import { startProduct, type Answered, type Product, type ProductOptions } from '../../support/product.ts';
import { startHttpWorker, type Exchange } from '../../support/workers/http-worker.ts';
import { worker } from '../../support/workers/harness.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});
async function started(options: ProductOptions): Promise<Product> {
  const product = await startProduct(options);
  undo.push(() => product.close());
  return product;
}
function aJournal(): { readonly env: Record<string, string>; readonly calls: () => number } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-paths-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'journal');
  return { env: { WORKER_JOURNAL: file }, calls: () => readFileSync(file, 'utf8').split('\n').filter((line) => line.includes('"call"')).length };
}
const parked = (answer: Answered): { id: string; hash: string } => {
  expect(answer.status).toBe(202);
  return { id: String(answer.json.params?.['handle']), hash: String(answer.json.params?.['payload_hash']) };
};
const codeOf = ({ json }: Answered): unknown => json.error?.data['code'];
const withCode = (id: string, value: string): object => ({ inputResponses: { jsonrpc: '2.0', id: `prompt_${id}`, result: { value } } });

describe.each(['ephemeral', 'linear', 'multiplex'] as const)('a call that is parked in %s mode survives a restart', (mode) => {
  async function product(ttl = 600) {
    const journal = aJournal();
    const remote = mode === 'multiplex' ? await startHttpWorker({ tools: { echo: ({ seen, result }) => result(String(seen.message?.params?.arguments?.['text'])) } }) : undefined;
    if (remote !== undefined) undo.push(() => remote.close());
    const entry = remote === undefined ? { command: process.execPath, args: [worker('sample.mjs')], env: journal.env, mode } : { url: remote.url };
    const made = await started({ servers: { db: { ...entry, preflight_pattern: 'DROP', expires_after_s: ttl } }, enrolled: true });
    return { made, calls: () => remote?.calls('echo') ?? journal.calls() };
  }

  it('path A: the original payload with the code runs the stored call once', async () => {
    const { made, calls } = await product();
    const { id } = parked(await made.call('db', 'echo', { text: 'DROP' }, { key: 'k' }));
    await made.restart();
    expect(parked(await made.call('db', 'echo', { text: 'DROP' }, { key: 'k' })).id).toBe(id);
    expect(codeOf(await made.call('db', 'echo', { text: 'DROP it' }, { key: 'k', meta: withCode(id, made.code()) }))).toBe('payload-mismatch');
    expect(await made.call('db', 'echo', { text: 'DROP' }, { key: 'k', meta: withCode(id, made.code()) })).toMatchObject({ status: 200, json: { id: 1, result: { content: [{ text: 'DROP' }] } } });
    await made.restart();
    const again = await made.call('db', 'echo', { text: 'DROP' }, { key: 'k' });
    expect([again.status, again.headers.get('x-idempotent-replay'), calls()]).toEqual([200, 'true', 1]);
  }, 60_000);

  it('path B: a signed intent runs it once', async () => {
    const { made, calls } = await product();
    const slack = aSigner();
    expect((await made.control('POST', '/v1/countersign/bridges', { name: 'slack', key: slack.publicPem })).status).toBe(200);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP' }, { key: 'k' }));
    await made.restart();
    const intent = slack.sign(claimsFor(handle, Date.now(), { totp: made.code() }));
    const taken = await made.send('POST', `/v1/mcp-gateway/handles/${handle.id}/resume`, { token: '', body: { intent } });
    expect(taken.status).toBe(200);
    await expect.poll(async () => (await made.send('GET', `/v1/mcp-gateway/handles/${handle.id}`)).status).toBe(200);
    expect(calls()).toBe(1);
  }, 60_000);

  it('path C: what ran out while nothing ran is FAULTED at the next start, and was never sent', async () => {
    const { made } = await product(1);
    const waiting = await made.call('db', 'echo', { text: 'DROP' }, { key: 'k' });
    const { id } = parked(waiting);
    await made.stop();
    await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(Date.parse(String(waiting.json.params?.['expires_at'])));
    await made.restart();
    const over = await made.send('GET', `/v1/mcp-gateway/handles/${id}`);
    expect([over.status, codeOf(over), over.json.error?.data['state']]).toEqual([410, 'expired', 'FAULTED']);
    expect(codeOf(await made.call('db', 'echo', { text: 'DROP' }, { key: 'k', meta: withCode(id, made.code()) }))).toBe('expired');
    expect((await made.call('db', 'echo', { text: 'safe' })).status).toBe(200);
  }, 60_000);
});

describe('an upstream that does not keep to the rules', () => {
  const misdeeds: readonly [what: string, tool: (exchange: Exchange) => void, status: number, code: string][] = [
    ['says it is HTML', ({ response, seen }) => void response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify({ jsonrpc: '2.0', id: seen.message?.id, result: {} })), 502, 'upstream-fault'],
    ['sends something else than JSON', ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'), 504, 'unknown'],
    ['answers another request', ({ json }) => json({ jsonrpc: '2.0', id: 'other', result: {} }), 504, 'unknown'],
    ['cuts its answer off', ({ response }) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"jsonrpc"', () => response.destroy()), 504, 'unknown'],
    ['ends its stream without an answer', (exchange) => exchange.stream().end(), 504, 'unknown'],
    ['redirects', ({ response }) => void response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end(), 502, 'upstream-fault'],
    ['answers 500', ({ response }) => void response.writeHead(500).end('no'), 502, 'upstream-fault'],
    ['answers 403', ({ response }) => void response.writeHead(403).end(), 502, 'upstream-unauthorized'],
    ['sends more than is taken', ({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","result":"${'x'.repeat(9 * 1024 * 1024)}"}`), 502, 'upstream-too-large'],
  ];
  it('is told as what it is, asked once, and the next call goes on', async () => {
    const remote = await startHttpWorker({ tools: Object.fromEntries(misdeeds.map(([, tool], index) => [`tool-${index}`, tool])) });
    undo.push(() => remote.close());
    const product = await started({ servers: { remote: { url: remote.url } } });
    const told = await Promise.all(misdeeds.map(async ([what], index) => [what, await product.call('remote', `tool-${index}`)] as const));
    expect(told.map(([what, answer]) => [what, answer.status, codeOf(answer)])).toEqual(misdeeds.map(([what, , status, code]) => [what, status, code]));
    expect(misdeeds.map((_, index) => remote.calls(`tool-${index}`))).toEqual(misdeeds.map(() => 1));
    expect((await product.call('remote', 'other')).status).toBe(200);
  }, 60_000);
});
