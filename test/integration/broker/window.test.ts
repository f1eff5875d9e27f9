import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { brokerAgents } from '../../support/broker-agents.ts';
import { startFabricServer, type FabricServer } from '../../support/fabric-server/server.ts';
import { startProduct, type Product, type ProductOptions } from '../../support/product.ts';
import { environment } from './stand.ts';

let server: FabricServer;
let product: Product;
const { agent, leave } = brokerAgents(() => product);
beforeEach(async () => void (server = await startFabricServer()));
afterEach(async () => {
  await leave();
  await product.close();
  await server.close();
});


async function open(more: Readonly<Record<string, string>> = {}, over: ProductOptions = {}) {
  product = await startProduct({ servers: {}, window: true, env: environment(server, more), ...over });
  return agent();
}

/** The proposal the window shows, once it does. */
async function shown(): Promise<Handle> {
  await expect.poll(() => product.composition.approvals.queue().length).toBe(1);
  return product.composition.approvals.queue()[0]!;
}

const look = (handle: Handle) => product.composition.review.look({ handle: handle.id });
const approve = (handle: Handle, payloadHash: string = handle.request.hash) => product.composition.review.approve({ handle: handle.id, payloadHash, proof: { kind: 'button' } });

describe('with a window', () => {
  it('a proposal waits for a click on exactly the request, and is created once when it comes', async () => {
    const { call, propose } = await open();
    const proposed = await propose();
    const confirming = call('fabric_confirm_change', { confirm_token: proposed['confirm_token'] });
    const handle = await shown();
    expect(handle.request.hash).toBe(proposed['request_sha256']);
    const item = await look(handle);
    expect(JSON.stringify(item)).not.toContain('pair-4711-key');
    expect(server.of('create')).toEqual([]);
    expect(await approve(handle, 'f'.repeat(64))).toMatchObject({ ok: false, code: 'hash-mismatch' });
    expect(server.of('create')).toEqual([]);
    expect(await approve(handle)).toMatchObject({ ok: true });
    expect(await confirming).toMatchObject({ phase: 'executed', executed: true, human_confirmation: { status: 'accepted' } });
    expect(server.of('create').map(({ body }) => body)).toEqual(server.of('dry-run').map(({ body }) => body));
    expect(server.created).toHaveLength(1);
    expect(product.composition.approvals.queue()).toEqual([]);
  });

  it('a no creates nothing, and the agent is told', async () => {
    const { call, propose } = await open();
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    await product.composition.review.decline({ handle: handle.id, payloadHash: handle.request.hash, reason: null });
    expect(await confirming).toMatchObject({ executed: false, human_confirmation: { status: 'declined' }, token_state: 'consumed' });
    expect(server.of('create')).toEqual([]);
  });

  it('a question dismissed creates nothing', async () => {
    const { call, propose } = await open();
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    await product.composition.review.cancel({ handle: handle.id, payloadHash: handle.request.hash });
    expect(await confirming).toMatchObject({ executed: false, human_confirmation: { status: 'cancelled' } });
    expect(server.of('create')).toEqual([]);
  });

  it('a question nobody answers in time is taken away', async () => {
    const { call, propose } = await open({ EQUINIX_MCP_ELICIT_TIMEOUT_MS: '150' });
    expect(await call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] })).toMatchObject({ executed: false, human_confirmation: { status: 'timed_out' } });
    expect(product.composition.approvals.queue()).toEqual([]);
    expect(server.of('create')).toEqual([]);
  });

  it('a call its client cancels takes its question along and creates nothing', async () => {
    const { call, propose } = await open();
    const leaving = new AbortController();
    const { confirm_token } = await propose();
    const confirming = call('fabric_confirm_change', { confirm_token }, leaving.signal);
    const handle = await shown();
    leaving.abort('enough');
    await expect(confirming).rejects.toThrow(/enough/);
    await expect.poll(() => product.composition.approvals.queue()).toEqual([]);
    expect(await approve(handle)).toMatchObject({ ok: false });
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-replayed' } });
    expect(server.of('create')).toEqual([]);
  });

  it('a call cancelled after the click and before the create leaves creates nothing', async () => {
    const { call, propose } = await open();
    const leaving = new AbortController();
    const { confirm_token } = await propose();
    // The create waits for a new bearer, so that there is a moment between the click and the sending.
    server.revokeTokens();
    expect(await call('fabric_list_metros', {})).toMatchObject({ error: { code: 'fabric-refused' } });
    let go = (): void => undefined;
    server.next('token', { kind: 'slow', until: new Promise<void>((resolve) => (go = resolve)) });
    const confirming = call('fabric_confirm_change', { confirm_token }, leaving.signal);
    const handle = await shown();
    await approve(handle);
    await server.seen('token', 2);
    leaving.abort('enough');
    await expect(confirming).rejects.toThrow(/enough/);
    // A round trip of its own: what was sent before it has come in.
    await (await agent()).call('fabric_confirm_change', { confirm_token: 'none' });
    go();
    await expect.poll(() => product.composition.approvals.get(handle.id)!.state.status).toBe('executed');
    expect(JSON.stringify(product.composition.approvals.get(handle.id)!.state)).toContain('call_cancelled');
    expect(server.of('create')).toEqual([]);
  });

  it('a call that was approved by itself, and is cancelled while its question waits, takes the question along', async () => {
    const { call, propose } = await open({ FIBER_PREFLIGHT_FABRIC: 'button:confirm_change' });
    const leaving = new AbortController();
    const { confirm_token, request_sha256: hash } = await propose();
    const confirming = call('fabric_confirm_change', { confirm_token }, leaving.signal);
    await approve(await shown());
    await expect.poll(() => product.composition.approvals.queue()[0]?.request.hash).toBe(hash);
    leaving.abort('enough');
    await expect(confirming).rejects.toThrow(/enough/);
    await expect.poll(() => product.composition.approvals.queue()).toEqual([]);
    expect(server.of('create')).toEqual([]);
  });

  it('the window counts down to when the question is taken away, and no longer', async () => {
    const { call, propose } = await open({ EQUINIX_MCP_ELICIT_TIMEOUT_MS: '60000' });
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    expect(handle.ttlMs).toBeLessThanOrEqual(60_000);
    await product.composition.review.cancel({ handle: handle.id, payloadHash: handle.request.hash });
    await confirming;
  });

  it('what was declined did not run, and the next window for the same does not say so', async () => {
    const { call, propose } = await open();
    const confirm = async () => call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const declining = confirm();
    const handle = await shown();
    await product.composition.review.decline({ handle: handle.id, payloadHash: handle.request.hash, reason: null });
    expect(await declining).toMatchObject({ executed: false });
    const creating = confirm();
    const second = await shown();
    expect(await look(second)).toMatchObject({ value: { item: { ranAt: null } } });
    await approve(second);
    expect(await creating).toMatchObject({ executed: true });
    const third = confirm();
    const again = await shown();
    expect(await look(again)).toMatchObject({ value: { item: { ranAt: expect.any(String) as string } } });
    await product.composition.review.cancel({ handle: again.id, payloadHash: again.request.hash });
    await third;
  });

  it('repeats of the call wait for the same click and are told the same', async () => {
    const { call, propose } = await open();
    const { confirm_token } = await propose();
    const first = call('fabric_confirm_change', { confirm_token });
    const handle = await shown();
    const second = call('fabric_confirm_change', { confirm_token });
    // A round trip of its own: what was sent before it has come in.
    await (await agent()).call('fabric_list_metros', {});
    expect(product.composition.approvals.queue()).toHaveLength(1);
    await approve(handle);
    expect(await Promise.all([first, second])).toMatchObject([{ executed: true }, { executed: true }]);
    expect(server.created).toHaveLength(1);
  });

  it('the client is never asked instead, whatever it declares and whatever the operator allows clients that cannot ask', async () => {
    await open({ EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' });
    let asked = 0;
    const { call, propose } = await agent({
      answer() {
        asked += 1;
        return { action: 'accept', content: { confirm: true } };
      },
    });
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    await product.composition.review.decline({ handle: handle.id, payloadHash: handle.request.hash, reason: null });
    expect(await confirming).toMatchObject({ executed: false });
    expect([asked, server.created.length]).toEqual([0, 0]);
  });

  it('asks for a code where the setting of the target says so', async () => {
    const { call, propose } = await open({ FIBER_PREFLIGHT_MODE_FABRIC: 'totp' }, { enrolled: true });
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    expect(handle.trap.mode).toBe('totp');
    expect(await approve(handle)).toMatchObject({ ok: false });
    expect(server.of('create')).toEqual([]);
    expect(await product.composition.review.approve({ handle: handle.id, payloadHash: handle.request.hash, proof: { kind: 'totp', code: product.code() } })).toMatchObject({ ok: true });
    expect(await confirming).toMatchObject({ executed: true });
  });

  it('a restart while it is shown forgets the proposal and creates nothing', async () => {
    const { call, propose } = await open();
    const { confirm_token } = await propose();
    const confirming = call('fabric_confirm_change', { confirm_token }).catch(() => undefined);
    const { id } = await shown();
    await product.restart();
    await confirming;
    expect(product.composition.approvals.queue()).toEqual([]);
    expect(product.composition.approvals.get(id)!.state.status).not.toBe('parked');
    const again = await agent();
    expect(await again.call('fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-unknown' } });
    expect(server.of('create')).toEqual([]);
  });

  it('over the REST dialect is a parked call, whose result can be fetched after the click', async () => {
    const { propose } = await open();
    const { confirm_token } = await propose();
    const parked = await product.call('fabric', 'fabric_confirm_change', { confirm_token }, { key: 'confirm-1' });
    expect([parked.status, parked.json]).toMatchObject([202, { params: { state: 'PENDING', executed: false, require_totp: false } }]);
    const handle = await shown();
    await approve(handle);
    await expect.poll(async () => (await product.send('GET', `/v1/mcp-gateway/handles/${handle.id}`)).status).toBe(200);
    const { json } = await product.send('GET', `/v1/mcp-gateway/handles/${handle.id}`);
    expect(json).toMatchObject({ result: { structuredContent: { executed: true } } });
    expect(server.created).toHaveLength(1);
  });

  it('a guard on the confirmation comes on top: one click for the call, another for what it creates', async () => {
    const { call, propose } = await open({ FIBER_PREFLIGHT_FABRIC: 'button:confirm_change' });
    const { confirm_token, request_sha256: hash } = await propose();
    const confirming = call('fabric_confirm_change', { confirm_token });
    const first = await shown();
    expect(first.kind).toBe('call');
    await approve(first);
    await expect.poll(() => product.composition.approvals.queue()[0]?.request.hash).toBe(hash);
    expect(server.of('create')).toEqual([]);
    await approve(product.composition.approvals.queue()[0]!);
    expect(await confirming).toMatchObject({ executed: true });
    expect(server.created).toHaveLength(1);
  });

  it('a proposal ends with its client: whoever is given the name later does not find it', async () => {
    await open();
    const { approvals } = product.composition;
    const addClient = async (): Promise<string> => {
      const added = (await product.control('POST', '/v1/countersign/clients', { name: 'temp' })).json as unknown as { token: string };
      await approve(await shown());
      await expect.poll(() => approvals.queue()).toEqual([]);
      return added.token;
    };
    const { confirm_token } = await (await agent({ token: await addClient() })).propose();
    await product.control('DELETE', '/v1/countersign/clients/temp');
    const heir = await agent({ token: await addClient() });
    expect(await heir.call('fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-unknown' } });
  });

  it('a client that waits no longer is told to repeat the call, and the repeat gets what the click came to, once', async () => {
    await open();
    const added = (await product.control('POST', '/v1/countersign/clients', { name: 'hasty', patience_s: 1 })).json as unknown as { token: string };
    await approve(await shown());
    await expect.poll(() => product.composition.approvals.queue()).toEqual([]);
    const { call, propose } = await agent({ token: added.token });
    const { confirm_token } = await propose();
    expect(await call('fabric_confirm_change', { confirm_token })).toBeUndefined(); // NOT EXECUTED, and no structured content
    const handle = await shown();
    expect(server.of('create')).toEqual([]);
    await approve(handle);
    await server.seen('create');
    await expect.poll(() => product.composition.approvals.get(handle.id)!.state.status).toBe('executed');
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ executed: true });
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-replayed' } });
    expect(server.created).toHaveLength(1);
  });

  it('the command line shows it without its secret, and brings a code where one is asked for', async () => {
    const { call, propose } = await open({ FIBER_PREFLIGHT_MODE_FABRIC: 'totp' }, { enrolled: true });
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const { id } = await shown();
    const { text } = await product.control('GET', `/v1/countersign/handles/${id}`);
    expect(text).toContain('authenticationKey');
    expect(text).not.toContain('pair-4711-key');
    const approved = await product.control('POST', `/v1/mcp-gateway/handles/${id}/totp`, { code: product.code() });
    expect([approved.status, approved.text]).toMatchObject([200, expect.not.stringContaining('pair-4711-key')]);
    expect(await confirming).toMatchObject({ executed: true });
    expect(server.created).toHaveLength(1);
  });

  it('a pause lets nothing be approved, and the click counts again after it', async () => {
    const { call, propose } = await open();
    const confirming = call('fabric_confirm_change', { confirm_token: (await propose())['confirm_token'] });
    const handle = await shown();
    await product.control('POST', '/v1/countersign/pause');
    expect(await approve(handle)).toMatchObject({ ok: false, code: 'paused' });
    expect(server.of('create')).toEqual([]);
    await product.control('POST', '/v1/countersign/resume');
    expect(await approve(handle)).toMatchObject({ ok: true });
    expect(await confirming).toMatchObject({ executed: true });
  });

  it('stopping while Fabric is silent about a create takes seconds; it is unknown afterwards and not sent again', async () => {
    const { call, propose } = await open();
    const { confirm_token } = await propose();
    server.next('create', { kind: 'silent' });
    const confirming = call('fabric_confirm_change', { confirm_token }).catch(() => undefined);
    const handle = await shown();
    await approve(handle);
    await server.seen('create');
    const began = performance.now();
    await product.restart();
    expect(performance.now() - began).toBeLessThan(15_000);
    await confirming;
    expect(product.composition.approvals.get(handle.id)!.state.status).toBe('unknown');
    expect((await product.control('GET', '/v1/countersign/audit?limit=50')).text).toContain('create.sent');
    expect(server.of('create')).toHaveLength(1);
  }, 30_000);
});
