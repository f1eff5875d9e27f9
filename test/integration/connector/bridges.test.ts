import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from 'node:net';
import { aSigner, claimsFor } from '../../support/bridges.ts';
import { isSigned, receiveHooks } from '../../support/hook-receiver.ts';
import { startProduct, type Answered, type Product, type ProductOptions } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';
import { cli } from '../cli/stand-in.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});
const journalIn = (folder: string): string => path.join(folder, 'journal');

async function product(options: ProductOptions = {}): Promise<Product & { readonly journal: string }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-bridges-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const db = { command: process.execPath, args: [worker('sample.mjs')], env: { WORKER_JOURNAL: journalIn(folder) }, preflight_pattern: 'DROP' };
  const made = await startProduct({ servers: { db, files: { ...db, preflight_pattern: 'button:DROP' } }, ...options });
  undo.push(() => made.close());
  return Object.assign(made, { journal: journalIn(folder) });
}

const slack = aSigner();
async function addBridge(to: Product, url?: string): Promise<{ webhook_secret: string }> {
  const file = path.join(to.dir.path, 'slack.pem');
  writeFileSync(file, slack.publicPem);
  const added = await cli(to.dir, ['bridges', 'add', 'slack', '--key', file, ...(url === undefined ? [] : ['--url', url]), '--json']);
  expect(added).toMatchObject({ code: 0 });
  return added.json() as { webhook_secret: string };
}

const parked = (answer: Answered): { id: string; hash: string } => {
  expect(answer.status).toBe(202);
  return { id: String(answer.json.params?.['handle']), hash: String(answer.json.params?.['payload_hash']) };
};
const resume = (to: Product, id: string, intent: unknown): Promise<Answered> => to.send('POST', `/v1/mcp-gateway/handles/${id}/resume`, { token: '', body: { intent } });
const callsIn = (journal: string): number => readFileSync(journal, 'utf8').split('\n').filter((line) => line.includes('"call"')).length;

describe('a bridge outside of the app', () => {
  it('is told of a parked call after the commit, in a signed webhook without values, and resumes it by a signed intent', async () => {
    const hooks = await receiveHooks();
    undo.push(hooks.close);
    const made = await product({ enrolled: true });
    const { webhook_secret: secret } = await addBridge(made, hooks.url);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP TABLE secret_things' }, { key: 'k1' }));
    await hooks.count(1);
    const [hook] = hooks.received;
    expect(isSigned(hook!, secret)).toBe(true);
    expect(isSigned({ ...hook!, text: hook!.text.replace('db', 'dc') }, secret)).toBe(false);
    expect(hook!.headers['webhook-id']).toBe(`msg_${handle.id}`);
    expect(Math.abs(Number(hook!.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(30);
    expect(hook!.body).toMatchObject({ type: 'handle.parked', data: { handle: handle.id, payload_hash: handle.hash, target: 'db', require_totp: true } });
    expect(hook!.text).not.toMatch(/secret_things|DROP|echo/);

    const answer = await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })));
    expect(answer).toMatchObject({ status: 200, json: { result: { handle: handle.id, state: 'RESOLVED', reason: 'executed', executed: true } } });
    expect(answer.text).not.toContain('secret_things');
    const fetched = await made.send('GET', `/v1/mcp-gateway/handles/${handle.id}`);
    expect(fetched).toMatchObject({ status: 200, json: { result: { content: [{ text: 'DROP TABLE secret_things' }] } } });
    const again = await made.call('db', 'echo', { text: 'DROP TABLE secret_things' }, { key: 'k1' });
    expect(again.status).toBe(200);
    expect(again.headers.get('x-idempotent-replay')).toBe('true');
    expect(callsIn(made.journal)).toBe(1);
    expect((await cli(made.dir, ['bridges', '--json'])).json()).toMatchObject({ bridges: [{ name: 'slack', key: slack.key, url: hooks.url, last_delivery: { ok: true, note: '204' } }] });
    expect((await cli(made.dir, ['bridges', '--json'])).out).not.toContain(secret);
    for (const file of [made.dir.database, `${made.dir.database}-wal`]) expect(readFileSync(file, 'latin1')).not.toContain(secret);
  });

  it('is asked for a signature: a client token, the control token, a wrong key and a replay open nothing', async () => {
    const made = await product({ enrolled: true });
    await addBridge(made);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP' }));
    const claims = claimsFor(handle, Date.now(), { totp: made.code() });
    expect(await made.send('POST', `/v1/mcp-gateway/handles/${handle.id}/resume`, { body: { intent: 'me' } })).toMatchObject({ status: 401, json: { error: { data: { code: 'intent-invalid' } } } });
    expect(await made.control('POST', `/v1/mcp-gateway/handles/${handle.id}/resume`, {})).toMatchObject({ status: 400 });
    expect(await resume(made, handle.id, aSigner().sign(claims))).toMatchObject({ status: 401, json: { error: { data: { code: 'intent-invalid' } } } });
    const wrong = slack.sign({ ...claims, totp: '000000' });
    expect(await resume(made, handle.id, wrong)).toMatchObject({ status: 401, json: { error: { data: { code: 'wrong-code', attempts_left: 4, handle: handle.id } } } });
    expect(await resume(made, handle.id, wrong)).toMatchObject({ status: 409, json: { error: { data: { code: 'intent-replayed' } } } });
    await made.restart();
    expect(await resume(made, handle.id, wrong)).toMatchObject({ status: 409, json: { error: { data: { code: 'intent-replayed' } } } });
    expect(await made.send('GET', `/v1/mcp-gateway/handles/${handle.id}`)).toMatchObject({ status: 202 });
    expect(await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })))).toMatchObject({ status: 200, json: { result: { state: 'RESOLVED' } } });
  });

  it('declines a call that asks for a click, and cannot approve it', async () => {
    const made = await product({ enrolled: true });
    await addBridge(made);
    const handle = parked(await made.call('files', 'echo', { text: 'DROP' }));
    expect(await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })))).toMatchObject({ status: 403, json: { error: { data: { code: 'window-only' } } } });
    expect(await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { action: 'DECLINE', reason: 'not today' })))).toMatchObject({ status: 200, json: { result: { state: 'FAULTED', reason: 'declined', executed: false } } });
    expect(await made.send('GET', `/v1/mcp-gateway/handles/${handle.id}`)).toMatchObject({ status: 403, json: { error: { data: { code: 'declined', reason: 'not today' } } } });
    expect(await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { action: 'DECLINE' })))).toMatchObject({ status: 403, json: { error: { data: { code: 'declined' } } } });
  });

  it('is told again when it failed, with the same id, follows no redirect, and is told anew after a restart while the call waits', async () => {
    const hooks = await receiveHooks([500, 302], { location: 'http://127.0.0.1:1/elsewhere' });
    undo.push(hooks.close);
    const made = await product();
    await addBridge(made, hooks.url);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP' }));
    await hooks.count(2);
    await made.restart();
    await hooks.count(3);
    expect(new Set(hooks.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`msg_${handle.id}`]));
  }, 20_000);

  it('that cannot be reached holds up nothing', async () => {
    const blocked = createServer(() => undefined); // takes connections and never answers
    await new Promise<void>((resolve) => blocked.listen(0, '127.0.0.1', resolve));
    undo.push(() => blocked.close());
    const made = await product();
    const address = blocked.address();
    await addBridge(made, `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`);
    const began = performance.now();
    parked(await made.call('db', 'echo', { text: 'DROP' }));
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('can be removed, and then signs nothing that counts', async () => {
    const made = await product({ enrolled: true });
    await addBridge(made);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP' }));
    expect(await cli(made.dir, ['bridges', 'remove', 'slack'])).toMatchObject({ code: 0 });
    expect(await cli(made.dir, ['bridges', 'remove', 'slack', '--json'])).toMatchObject({ code: 1 });
    expect(await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })))).toMatchObject({ status: 401 });
    const { out } = await cli(made.dir, ['audit', 'list']);
    for (const type of ['bridge.added', 'bridge.removed']) expect(out).toContain(type);
  });

  it('gets a key pair made here when it brings none, and is refused with a private key or a plain address', async () => {
    const made = await product();
    const added = (await cli(made.dir, ['bridges', 'add', 'teams', '--json'])).json();
    expect(added).toMatchObject({ status: 'applied', bridge: { name: 'teams', url: null }, webhook_secret: null, private_key: expect.stringContaining('PRIVATE KEY') });
    const file = path.join(made.dir.path, 'private.pem');
    writeFileSync(file, slack.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(await cli(made.dir, ['bridges', 'add', 'x', '--key', file])).toMatchObject({ code: 2, err: expect.stringContaining('private key') });
    expect((await cli(made.dir, ['bridges', 'add', 'x', '--url', 'http://hooks.example.com/', '--json'])).json()).toMatchObject({ error: { code: 'invalid-bridge' } });
  });

  it('waits for a click on exactly its name, key and address where there is a window, and signs nothing before', async () => {
    const made = await product({ enrolled: true, window: true });
    const file = path.join(made.dir.path, 'slack.pem');
    writeFileSync(file, slack.publicPem);
    const handle = parked(await made.call('db', 'echo', { text: 'DROP' }));
    const left = await cli(made.dir, ['bridges', 'add', 'slack', '--key', file, '--url', 'https://hooks.example.com/in'], { onPause: (_, interrupt) => interrupt() });
    expect(left.err).toMatch(/whsec_/);
    expect((await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })))).status).toBe(401);
    const change = made.composition.approvals.queue().find(({ kind }) => kind === 'change');
    const look = await made.composition.review.look({ handle: change!.id });
    expect(look.ok && look.value.item?.facts.map(({ label }) => label)).toEqual(['Change', 'Bridge', 'Public key', 'Is told of parked calls at']);
    made.composition.approvals.approve({ id: change!.id, hash: change!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    await expect.poll(() => made.composition.approvals.get(change!.id)?.state.status).toBe('executed');
    expect(await made.control('GET', `/v1/countersign/changes/${change!.id}`)).toMatchObject({ json: { kind: 'bridge', subject: 'slack', state: 'RESOLVED' } });
    expect((await resume(made, handle.id, slack.sign(claimsFor(handle, Date.now(), { totp: made.code() })))).status).toBe(200);
  });
});
