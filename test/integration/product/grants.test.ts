/** A call allowed again with its approval (contract, 4): exactly that one, for a time, on record, revocable; never where a code is asked for. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Reply } from '../../../src/shared/contract/define.ts';
import { startProduct, type ProductOptions } from '../../support/product.ts';
import { changed, createEmployee, handleIn, settled, startRegistryProduct } from '../../support/registry-product.ts';
import { worker } from '../../support/workers/harness.ts';

async function aStand({ mode = 'linear', rule = 'button:SECRET', ...options }: ProductOptions & { readonly mode?: string; readonly rule?: string } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-grants-'));
  const tools = path.join(folder, 'tools.json');
  const journal = path.join(folder, 'journal');
  writeFileSync(tools, JSON.stringify([{ name: 'write_note', inputSchema: { type: 'object' } }]));
  const servers = { notes: { command: process.execPath, args: [worker('changing.mjs'), tools, journal], mode, preflight_pattern: rule } };
  const product = await startProduct({ servers, window: true, ...options });
  onTestFinished(async () => {
    await product.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let keys = 0;
  const callWith = (args: object, token?: string) => product.call('notes', 'write_note', args, { key: `key-${(keys += 1)}`, ...(token !== undefined && { token }) });
  const call = (text = 'SECRET', token?: string) => callWith({ text }, token);
  /** A click on Approve, with or without the choice beside it; resolves when the call has ended. */
  async function click(grantS?: number, vary?: readonly number[]): Promise<Reply<{ status: string }>> {
    const { approvals, review } = product.composition;
    const [item] = approvals.queue();
    if (item === undefined) throw new Error('nothing waits');
    const ended = new Promise<void>((resolve) => void approvals.subscribe((handle) => handle.id === item.id && handle.state.status === 'executed' && resolve()));
    const told = await review.approve({ handle: item.id, payloadHash: item.request.hash, proof: { kind: 'button' }, ...(grantS !== undefined && { grantS }), ...(vary && { vary: [...vary] }) });
    if (told.ok) await ended;
    return told;
  }
  const granted = async () => (await product.control('GET', '/v1/countersign/grants')).json['grants'] as { grant: string; ends_at: string; given_at: string }[];
  const called = (): number => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n').length : 0);
  const events = async () => ((await product.control('GET', '/v1/countersign/audit?chain=decisions')).json['events'] as { type: string; detail: object }[]);
  return { product, tools, call, callWith, click, granted, called, events };
}

describe('a call that is allowed again', () => {
  it('runs again without a click, only exactly the same and only for its client, and each time is on record', async () => {
    const { product, call, click, granted, called, events } = await aStand();
    expect((await call()).status).toBe(202);
    expect(await click(900)).toMatchObject({ ok: true });
    expect(await call()).toMatchObject({ status: 200 });
    expect(await call()).toMatchObject({ status: 200 });
    expect(called()).toBe(3);
    expect((await call('SECRET ')).status).toBe(202);
    const other = String((await product.control('POST', '/v1/countersign/clients', { name: 'other' })).json['token']);
    product.composition.approvals.queue().forEach(({ id, request, kind }) => kind === 'change' && product.composition.approvals.approve({ id, hash: request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' }));
    await expect.poll(async () => (await call('SECRET', other)).status).toBe(202);
    expect(called()).toBe(3);
    const [grant] = await granted();
    expect(Date.parse(grant!.ends_at) - Date.parse(grant!.given_at)).toBe(900_000);
    const recorded = await events();
    expect(recorded.filter(({ type }) => type === 'grant.used')).toEqual([expect.objectContaining({ detail: { grant: grant!.grant } }), expect.objectContaining({ detail: { grant: grant!.grant } })]);
    expect(recorded.map(({ type }) => type)).toContain('grant.given');
  });

  it('is not when nobody chose so, and waits again once the grant is revoked, over a restart too', async () => {
    const { product, call, click, granted } = await aStand();
    await call();
    await click();
    expect((await call()).status).toBe(202);
    await click(3_600);
    await product.restart();
    expect((await call()).status).toBe(200);
    const [grant] = await granted();
    expect((await product.control('DELETE', `/v1/countersign/grants/${grant!.grant}`)).status).toBe(200);
    expect((await product.control('DELETE', `/v1/countersign/grants/${grant!.grant}`))).toMatchObject({ status: 404, json: { error: { data: { code: 'unknown-grant' } } } });
    expect((await call()).status).toBe(202);
  });

  it('waits again when its tool has changed', async () => {
    const { product, tools, call, click, granted } = await aStand();
    await product.send('POST', '/v1/mcp-gateway/notes/invoke', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    await call();
    await click(900);
    writeFileSync(tools, JSON.stringify([{ name: 'write_note', description: 'Another.', inputSchema: { type: 'object' } }]));
    await product.send('POST', '/v1/mcp-gateway/notes/invoke', { body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } });
    expect(await granted()).toEqual([]);
  });

  it('is not sent while everything is paused', async () => {
    const { product, call, click, called } = await aStand();
    await call();
    await click(900);
    await product.control('POST', '/v1/countersign/pause');
    expect((await call()).status).toBe(503);
    expect(called()).toBe(1);
  });

  it('of an ephemeral target gets a sandbox of its own each time, as an approved call does', async () => {
    const { product, call, click } = await aStand({ mode: 'ephemeral' });
    await call();
    await click(900);
    expect((await call()).status).toBe(200);
    const started = ((await product.control('GET', '/v1/countersign/audit')).json['events'] as { type: string; detail: { purpose?: string } }[]).filter(({ type }) => type === 'sandbox.started');
    expect(started.map(({ detail }) => detail.purpose)).toEqual(['approved', 'approved']);
  });
});

describe('a call that is allowed again with fields left open', () => {
  it('runs again with any value there and with nothing else changed; what its rule matches stays what was shown; the list says what is open', async () => {
    const { product, callWith, click, granted, called } = await aStand();
    expect((await callWith({ path: '/SECRET', text: 'a', more: { deep: 1 } })).status).toBe(202);
    const looked = await product.composition.review.look({ handle: null });
    const { rows = [], grants } = (looked.ok && looked.value.item) || {};
    const paths = rows.map(({ path }) => path.map(({ text }) => text).join(''));
    expect(grants?.vary.map((row) => paths[row])).toEqual(['arguments.more.deep', 'arguments.text']);
    expect(await click(900, [paths.indexOf('arguments.path')])).toEqual({ ok: false, code: 'grant-not-possible' });
    expect(await click(undefined, [paths.indexOf('arguments.text')])).toEqual({ ok: false, code: 'grant-not-possible' });
    expect(called()).toBe(0);
    expect(await click(900, [paths.indexOf('arguments.text')])).toMatchObject({ ok: true });
    expect((await callWith({ path: '/SECRET', text: 'b', more: { deep: 1 } })).status).toBe(200);
    await product.restart();
    expect((await callWith({ path: '/SECRET', text: 'c', more: { deep: 1 } })).status).toBe(200);
    expect(called()).toBe(3);
    for (const other of [{ path: '/SECRET', text: 'b', more: { deep: 2 } }, { path: '/SECRET', text: 'a SECRET', more: { deep: 1 } }, { path: '/SECRET', text: 'b', more: { deep: 1 }, new: true }, { path: '/SECRET', more: { deep: 1 } }]) {
      expect((await callWith(other)).status, JSON.stringify(other)).toBe(202);
    }
    expect(await granted()).toMatchObject([{ varies: ['arguments.text'] }]);
    expect(called()).toBe(3);
  });
});

it('a call of an HTTP tool is allowed again under the very revision that made it, and not under another one or once that is withdrawn', async () => {
  const stand = await startRegistryProduct({ window: true });
  onTestFinished(() => stand.close());
  const admit = async (resource: object): Promise<void> => {
    const change = (await stand.admit(resource)).json['change'] as string;
    stand.approve(change);
    await changed(stand.product, change);
  };
  const create = () => stand.invoke('create_employee', { employee_name: 'Ann' });
  await admit(createEmployee());
  const handle = handleIn(await create());
  expect(stand.approve(handle, 900)).toBe('ok');
  await settled(stand.product, handle);
  expect((await create()).status).toBe(200);
  expect(stand.erp.received.filter(({ method }) => method === 'POST')).toHaveLength(2);
  expect((await stand.invoke('create_employee', { employee_name: 'Bob' })).status).toBe(202);
  const listed = async () => ((await stand.product.control('GET', '/v1/countersign/grants')).json['grants'] as object[]);
  expect(await listed()).toMatchObject([{ subject: 'create_employee', version: '1.0.0', varies: [] }]);

  await admit({ ...createEmployee('1.1.0', 'Create another employee') });
  expect((await stand.invoke('create_employee@1.1.0', { employee_name: 'Ann' })).status).toBe(202);
  expect((await create()).status).toBe(200);
  await stand.withdraw('create_employee', '1.0.0');
  expect(await listed()).toEqual([]);
  expect(stand.erp.received.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

it('what asks for a code offers no grant, takes none, and stays unapproved by the attempt', async () => {
  const { product, call } = await aStand({ rule: 'SECRET', enrolled: true });
  await call();
  const { approvals, review } = product.composition;
  const [item] = approvals.queue();
  expect(await review.look({ handle: item!.id })).toMatchObject({ ok: true, value: { item: expect.not.objectContaining({ grants: expect.anything() }) } });
  expect(await review.approve({ handle: item!.id, payloadHash: item!.request.hash, proof: { kind: 'totp', code: product.code() }, grantS: 900 })).toEqual({ ok: false, code: 'grant-not-possible' });
  expect(approvals.get(item!.id)?.state.status).toBe('parked');
});

it('a time nobody offers is refused, and nothing is approved by it', async () => {
  const { product, call, click, granted } = await aStand();
  await call();
  expect(await click(86_400)).toEqual({ ok: false, code: 'grant-not-possible' });
  expect(await granted()).toEqual([]);
  expect(product.composition.approvals.queue()).toHaveLength(1);
});
