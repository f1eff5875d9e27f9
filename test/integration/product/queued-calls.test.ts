/** Calls that a human approved for a daemon that is busy, which takes one call after the other: whole product, real worker. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import type { Reply } from '../../../src/shared/contract/define.ts';
import { startProduct, type Answered, type Product } from '../../support/product.ts';
import { until, worker } from '../../support/workers/harness.ts';

let product: Product;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-queue-'));
  product = await startProduct({ window: true, servers: { daemon: { command: 'node', args: [worker('sample.mjs')], env: { WORKER_JOURNAL: path.join(folder, 'journal') }, mode: 'linear', preflight_pattern: 'button:DROP' } } });
});
afterEach(async () => {
  await product.close();
  rmSync(folder, { recursive: true, force: true });
});

const journal = (): string => (existsSync(path.join(folder, 'journal')) ? readFileSync(path.join(folder, 'journal'), 'utf8') : '');
const calls = (name: string): number => journal().split('\n').filter((line) => line.includes(`"event":"call","name":"${name}"`)).length;
const queue = (): readonly Handle[] => product.composition.approvals.queue();
async function asked(count = 1): Promise<Handle> {
  await until(() => queue().length >= count, 20_000);
  return queue()[count - 1]!;
}
const approve = (handle: Handle): Reply<{ status: string }> => product.composition.review.approve({ handle: handle.id, payloadHash: handle.request.hash, proof: { kind: 'button' } }) as Reply<{ status: string }>;
const stateOf = ({ id }: Handle): Handle['state'] | undefined => product.composition.approvals.get(id)?.state;
const look = ({ id }: Handle): Promise<Answered> => product.send('GET', `/v1/mcp-gateway/handles/${id}`);
async function ended(handle: Handle): Promise<Answered> {
  await until(() => !['parked', 'approved', 'executing'].includes(stateOf(handle)?.status ?? ''), 20_000);
  return look(handle);
}

/** A call that asks, and one that was approved behind it. */
async function queued(): Promise<{ readonly question: Handle; readonly call: Handle }> {
  await product.call('daemon', 'ask', {}, { key: 'k1' });
  const question = await asked();
  await product.call('daemon', 'echo', { text: 'DROP' }, { key: 'k2' });
  const call = await asked(2);
  expect(approve(call)).toMatchObject({ ok: true, value: { status: 'approved' } });
  return { question, call };
}

describe('a call that was approved while its daemon has another one', () => {
  it('is approved and unsent while that waits for an answer, and goes out as soon as it has ended', async () => {
    const { question, call } = await queued();
    expect((await look(call)).status).toBe(202);
    approve(question);
    expect((await ended(call)).text).toContain('DROP');
    expect([stateOf(question)?.status, calls('echo')]).toEqual(['executed', 1]);
  });

  it('can be withdrawn, and is never sent then', async () => {
    const { question, call } = await queued();
    expect((await product.send('DELETE', `/v1/mcp-gateway/handles/${call.id}`)).status).toBe(200);
    approve(question);
    await ended(question);
    expect((await product.call('daemon', 'pid')).status).toBe(200);
    expect([stateOf(call)?.status, calls('echo')]).toEqual(['withdrawn', 0]);
  });

  it('goes back to its human where Countersign is paused meanwhile, and is sent once after a second yes', async () => {
    const { question, call } = await queued();
    await product.control('POST', '/v1/countersign/pause');
    expect(stateOf(call)).toEqual({ status: 'parked', returned: true });
    await product.control('POST', '/v1/countersign/resume');
    expect(approve(call)).toMatchObject({ ok: true, value: { status: 'approved' } });
    approve(question);
    expect((await ended(call)).text).toContain('DROP');
    expect((await product.call('daemon', 'pid')).status).toBe(200);
    expect(calls('echo')).toBe(1);
  });

  it('is shown again after a restart that came before its turn, and nothing of it was sent', async () => {
    const slow = product.call('daemon', 'sleep', { ms: 600_000 }).catch(() => undefined);
    await until(() => calls('sleep') === 1, 20_000);
    await product.call('daemon', 'echo', { text: 'DROP' }, { key: 'k2' });
    const call = await asked();
    expect(approve(call)).toMatchObject({ ok: true, value: { status: 'approved' } });
    await product.restart();
    await slow;
    expect(stateOf(call)).toEqual({ status: 'parked', returned: true });
    expect(calls('echo')).toBe(0);
  });

  it('is not sent when Countersign ends and with that the question before it, but shown again at the next start', async () => {
    const { call } = await queued();
    await product.restart();
    expect([stateOf(call), calls('echo')]).toEqual([{ status: 'parked', returned: true }, 0]);
  });
});
