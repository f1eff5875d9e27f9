/** A target connected without a rule (contract, 3.3), on the whole product: with a window, tools not marked read-only wait for a click. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';

const READ = { name: 'read_note', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const WRITE = { name: 'write_note', inputSchema: { type: 'object' } };

async function connected(window: boolean, more: object = {}): Promise<{ product: Product; said: string[] }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-proposed-'));
  const tools = path.join(folder, 'tools.json');
  writeFileSync(tools, JSON.stringify([READ, WRITE]));
  const product = await startProduct({ window });
  onTestFinished(async () => {
    await product.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const answer = await product.control('PUT', '/v1/mcp-gateway/targets/notes', { command: process.execPath, args: [worker('changing.mjs'), tools, path.join(folder, 'journal')], mode: 'ephemeral', ...more });
  expect(answer.status).toBe(window ? 202 : 200);
  const { approvals } = product.composition;
  for (const { id, request } of approvals.queue()) {
    const done = new Promise<void>((resolve) => void approvals.subscribe((handle) => handle.id === id && handle.state.status === 'executed' && resolve()));
    approvals.approve({ id, hash: request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    await done;
  }
  return { product, said: answer.json['warnings'] as string[] };
}

it('reads pass and everything else waits for a click, as the change said that was approved', async () => {
  const { product, said } = await connected(true);
  expect(said.join()).toContain('--no-guard');
  expect((await product.call('notes', 'read_note')).status).toBe(200);
  expect(await product.call('notes', 'write_note')).toMatchObject({ status: 202, json: { params: { require_totp: false, message: expect.stringContaining("'not marked read-only'") } } });
  expect((await product.control('GET', '/v1/mcp-gateway/targets')).json['targets']).toMatchObject([{ id: 'notes', guard: { source: 'proposed', except_read_only: true } }]);
});

it('survives a restart', async () => {
  const { product } = await connected(true);
  await product.restart();
  expect((await product.call('notes', 'read_note')).status).toBe(200);
  expect((await product.call('notes', 'write_note')).status).toBe(202);
});

it('where no guard was chosen, everything passes', async () => {
  const { product } = await connected(true, { guard: 'none' });
  expect((await product.call('notes', 'write_note')).status).toBe(200);
});

it('without a window it is connected as it came, and the rule to give it is named', async () => {
  const { product, said } = await connected(false);
  expect(said.join()).toContain('-p "button:^(?:write_note)$"');
  expect((await product.call('notes', 'write_note')).status).toBe(200);
});
