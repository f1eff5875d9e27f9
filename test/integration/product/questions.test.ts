/** Questions of targets in the middle of a call, with a window that answers: the whole product but Electron, real workers, real clients. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import type { ApprovalItem } from '../../../src/shared/contract/approval.ts';
import type { Reply } from '../../../src/shared/contract/define.ts';
import type { FieldValue } from '../../../src/shared/form/field.ts';
import { startProduct, type Answered, type Product, type ProductOptions } from '../../support/product.ts';
import { serveEverything } from '../../support/everything.ts';
import { until, worker } from '../../support/workers/harness.ts';
import { startFixture } from '../../conformance/fixture/server.ts';

const FORM = { message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch', minLength: 2 }, force: { type: 'boolean', default: false } }, required: ['branch'] } };

let product: Product;
let folder: string;
const journal = (): { event: string; name?: string }[] => readFileSync(path.join(folder, 'journal'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { event: string; name?: string });
const calls = (name: string): number => journal().filter((one) => one.event === 'call' && one.name === name).length;

async function begin(over: ProductOptions & { readonly daemon?: object; readonly more?: object } = {}): Promise<void> {
  const { daemon = {}, more = {}, ...options } = over;
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-questions-'));
  const entry = { command: 'node', args: [worker('sample.mjs')], env: { WORKER_JOURNAL: path.join(folder, 'journal') }, mode: 'linear', ...daemon };
  product = await startProduct({ window: true, servers: { daemon: entry, ...more }, ...options });
}
afterEach(async () => {
  await product.close();
  rmSync(folder, { recursive: true, force: true });
});

const queue = (): readonly Handle[] => product.composition.approvals.queue();
async function asked(count = 1): Promise<Handle> {
  await until(() => queue().length >= count);
  return queue()[count - 1]!;
}
async function shown(handle: Handle): Promise<ApprovalItem> {
  const reply = await product.composition.review.look({ handle: handle.id });
  if (!reply.ok || reply.value.item === null) throw new Error('nothing is shown');
  return reply.value.item;
}
const shownHash = (handle: Handle): { handle: string; payloadHash: string } => ({ handle: handle.id, payloadHash: handle.request.hash });
const window = {
  approve: (handle: Handle, values?: FieldValue[], code?: string) =>
    product.composition.review.approve({ ...shownHash(handle), proof: code === undefined ? { kind: 'button' } : { kind: 'totp', code }, ...(values && { values: values as (string | number | boolean | null)[] }) }) as Reply<{ status: string }>,
  decline: (handle: Handle) => product.composition.review.decline({ ...shownHash(handle), reason: null }),
  cancel: (handle: Handle) => product.composition.review.cancel(shownHash(handle)),
};
const look = (handle: Handle | string): Promise<Answered> => product.send('GET', `/v1/mcp-gateway/handles/${typeof handle === 'string' ? handle : handle.id}`);
async function ended(handle: Handle): Promise<Answered> {
  for (;;) {
    const answer = await look(handle);
    if (answer.status !== 202) return answer;
    await new Promise<void>((resolve) => {
      const stop = product.composition.approvals.subscribe(() => {
        stop();
        resolve();
      });
      setTimeout(resolve, 50);
    });
  }
}
/** What the worker was answered, out of the result it gave. */
const answerIn = ({ json }: Answered): unknown => {
  const [content] = (json.result as { content: { text: string }[] }).content;
  return (JSON.parse(content!.text) as { result?: unknown; error?: unknown }).result ?? (JSON.parse(content!.text) as { error?: unknown }).error;
};
const askForm = (key = 'k1', params: object = FORM, method = 'elicitation/create'): Promise<Answered> => product.call('daemon', 'ask', { method, params }, { key });

async function client(target: string, capabilities: object = {}, answer?: object): Promise<Client> {
  const made = new Client({ name: 'agent', version: '1' }, { capabilities });
  if (answer !== undefined) made.setRequestHandler(ElicitRequestSchema, () => Promise.resolve(answer as { action: 'accept' }));
  await made.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/v1/mcp-gateway/${target}/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
  return made;
}
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('a question of a daemon in the middle of a call of the REST dialect', () => {
  it('turns the call into a handle whose repeats never reach the target, and the answer at the window ends it with the target\'s result', async () => {
    await begin();
    const first = await askForm();
    expect(first).toMatchObject({ status: 202, json: { method: 'elicitation/createMessage', params: { require_totp: false, state: 'PENDING', executed: false } } });
    expect(first.json.params?.['message']).toBe("[Elicitation] 'daemon' asks in the middle of this call. Approve in Countersign.");
    expect(first.text).not.toContain('branch');
    const handle = await asked();
    expect(first.headers.get('location')).toBe(`/v1/mcp-gateway/handles/${handle.id}`);
    const repeats = await Promise.all(Array.from({ length: 20 }, () => askForm()));
    expect(new Set(repeats.map(({ status, json }) => `${status} ${String(json.params?.['handle'])}`))).toEqual(new Set([`202 ${handle.id}`]));
    expect(calls('ask')).toBe(1);

    const item = await shown(handle);
    expect(item).toMatchObject({ kind: 'elicitation', mode: 'button', target: 'daemon', payloadHash: handle.request.hash, question: { kind: 'form', fields: [{ field: { name: 'branch', kind: 'text', required: true, minLength: 2 } }, { field: { name: 'force', kind: 'boolean', initial: false } }] } });
    expect(item.rows.length).toBeGreaterThan(3);
    expect(window.approve(handle, ['x', false])).toMatchObject({ ok: false, code: 'answer-misfit' });
    expect(window.approve(handle)).toMatchObject({ ok: false, code: 'answer-misfit' });
    expect(window.approve(handle, ['main', true])).toMatchObject({ ok: true, value: { status: 'executing' } });
    const answer = await ended(handle);
    expect(answer.status).toBe(200);
    expect(answerIn(answer)).toEqual({ action: 'accept', content: { branch: 'main', force: true } });
    expect(await askForm()).toMatchObject({ status: 200, json: { result: answer.json.result } });
    expect(calls('ask')).toBe(1);
    const types = (await product.control('GET', '/v1/countersign/audit')).text;
    for (const type of ['question.asked', 'question.answered', 'handle.executed']) expect(types).toContain(type);
    expect(types).not.toContain('"main"');
  });

  it.each(['decline', 'cancel'] as const)('is answered with a %s, and the call ends with what the target makes of it', async (action) => {
    await begin();
    await askForm();
    const handle = await asked();
    await window[action](handle);
    expect(answerIn(await ended(handle))).toEqual({ action });
    expect((await look(handle)).status).toBe(200);
  });

  it('that nobody answers expires: the daemon is told cancel and that its call is cancelled, the caller 410, and the queue goes on', async () => {
    await begin({ daemon: { expires_after_s: 1 } });
    await askForm();
    const handle = await asked();
    const next = product.call('daemon', 'cancelled', {}, { key: 'k2' });
    expect(await ended(handle)).toMatchObject({ status: 410, json: { error: { data: { code: 'question-expired', state: 'FAULTED' } } } });
    const answer = await next;
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('requestId');
    expect(product.composition.approvals.get(handle.id)?.state.status).toBe('expired');
  });

  it('that the agent withdraws is cancelled at the target, and the queue goes on', async () => {
    await begin();
    await askForm();
    const handle = await asked();
    expect((await product.send('DELETE', `/v1/mcp-gateway/handles/${handle.id}`)).status).toBe(200);
    expect((await product.call('daemon', 'cancelled')).text).toContain('requestId');
    expect((await look(handle)).status).toBe(410);
  });

  it('is never asked again after a restart', async () => {
    await begin();
    await askForm();
    const handle = await asked();
    await product.restart();
    expect(queue()).toEqual([]);
    // The product was asked to stop, so it let go of the target, which ended its call.
    expect(answerIn(await look(handle))).toEqual({ action: 'cancel' });
    expect(calls('ask')).toBe(1);
  });

  it('is shown once when its request comes twice', async () => {
    await begin();
    await product.call('daemon', 'ask-twice', {}, { key: 'k1' });
    const handle = await asked();
    expect(queue()).toHaveLength(1);
    await window.decline(handle);
    expect(answerIn(await ended(handle))).toEqual({ action: 'decline' });
    expect(queue()).toHaveLength(0);
  });

  it('is shown once when it is asked again while it waits, and both are answered', async () => {
    await begin();
    await product.call('daemon', 'ask-doubly', { params: FORM }, { key: 'k1' });
    const handle = await asked();
    expect((await product.call('daemon', 'ask-doubly', { params: FORM }, { key: 'k1' })).status).toBe(202);
    expect(queue()).toHaveLength(1);
    window.approve(handle, ['main', null]);
    const [{ text }] = ((await ended(handle)).json.result as { content: [{ text: string }] }).content;
    expect(JSON.parse(text)).toEqual([{ action: 'accept', content: { branch: 'main' } }, { action: 'accept', content: { branch: 'main' } }]);
    expect(product.composition.approvals.recent(9)).toHaveLength(1);
  });

  it('may be followed by another, which waits under a handle of its own and is joined by nobody', async () => {
    await begin();
    const again = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    await product.call('daemon', 'ask-in-turn', { first: FORM, second: again }, { key: 'k1' });
    const handle = await asked();
    window.approve(handle, ['main', null]);
    const second = await asked();
    expect([second.kind, second.id === handle.id, second.request.hash === handle.request.hash]).toEqual(['question', false, true]);
    expect(await product.call('daemon', 'ask-in-turn', { first: FORM, second: again }, { key: 'k1' })).toMatchObject({ status: 202, json: { params: { handle: handle.id } } });
    expect(window.approve(second, [])).toMatchObject({ ok: true });
    const [{ text }] = ((await ended(handle)).json.result as { content: [{ text: string }] }).content;
    expect(JSON.parse(text)).toEqual([{ action: 'accept', content: { branch: 'main' } }, { action: 'accept', content: {} }]);
    expect(product.composition.approvals.get(second.id)).toMatchObject({ fetched: true, state: { status: 'executed' } });
  });

  it('goes away when the target ends the call without waiting for the answer', async () => {
    await begin();
    const answer = await product.call('daemon', 'ask-and-go', { params: FORM }, { key: 'k1' });
    const handle = product.composition.approvals.recent(1)[0]!;
    expect(handle.kind).toBe('elicitation');
    expect([200, 202]).toContain(answer.status);
    expect((await ended(handle)).text).toContain('gone on');
    expect(queue()).toEqual([]);
  });

  it('that cannot be shown, or asks for a secret, is asked of nobody', async () => {
    await begin();
    for (const [params, code] of [
      [{ message: 'Your password?', requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } }, 'secret-asked'],
      [{ message: 'Deep?', requestedSchema: { type: 'object', properties: { a: { type: 'object', properties: {} } } } }, 'question-unreadable'],
      [{ mode: 'url', message: 'Open', url: 'javascript:alert(1)' }, 'question-unreadable'],
      [{ mode: 'url', message: 'Open', url: 'https://bank.example@evil.example/' }, 'question-unreadable'],
    ] as const) {
      expect(answerIn(await askForm(`k ${JSON.stringify(params)}`.replaceAll(/[^a-z]/g, '').slice(0, 200), params)), JSON.stringify(params)).toMatchObject({ data: { code } });
    }
    expect(queue()).toEqual([]);
  });

  it('cannot be accepted while Countersign is paused, but can be declined', async () => {
    await begin();
    await askForm();
    const handle = await asked();
    await product.control('POST', '/v1/countersign/pause');
    expect(window.approve(handle, ['main', null])).toMatchObject({ ok: false, code: 'paused' });
    expect(await window.decline(handle)).toMatchObject({ ok: true });
    expect(answerIn(await ended(handle))).toEqual({ action: 'decline' });
  });

  it('of an address is shown whole, with its host apart, and a yes says no more than that', async () => {
    await begin();
    await askForm('k1', { mode: 'url', message: 'Sign in there', url: 'https://xn--pple-43d.example:8443/a?b=c#d', elicitationId: 'e1' });
    const handle = await asked();
    expect((await shown(handle)).question).toMatchObject({ kind: 'address', before: 'https://', host: 'xn--pple-43d.example:8443', after: '/a?b=c#d', unicode: [{ text: 'U+0430 CYRILLIC like a' }, {}], encrypted: true });
    window.approve(handle);
    expect(answerIn(await ended(handle))).toEqual({ action: 'accept' });
  });
});

describe('a question that wants a code', () => {
  it('takes it at the window or in-band, and gives it to no target', async () => {
    await begin({ enrolled: true });
    const params = { message: 'Enter TOTP:', require_totp: true };
    const first = await askForm('k1', params, 'elicitation/createMessage');
    expect(first).toMatchObject({ status: 202, json: { params: { require_totp: true } } });
    const handle = await asked();
    expect(window.approve(handle, [])).toMatchObject({ ok: false, code: 'code-required' });
    const code = product.code(-1);
    const resumed = await product.call('daemon', 'ask', { method: 'elicitation/createMessage', params }, { key: 'k1', meta: { inputResponses: { jsonrpc: '2.0', id: `prompt_${handle.id}`, result: { value: code } } } });
    expect(resumed.status).toBe(200);
    expect(answerIn(resumed)).toEqual({ action: 'accept', content: {} });
    expect(resumed.text).not.toContain(code);
  });

  it('and has a form to fill in is answered at the window only', async () => {
    await begin({ enrolled: true, daemon: { preflight_pattern: 'DROP' } });
    await askForm();
    const handle = await asked();
    expect(handle.trap.mode).toBe('totp');
    const resumed = await product.call('daemon', 'ask', { method: 'elicitation/create', params: FORM }, { key: 'k1', meta: { inputResponses: { jsonrpc: '2.0', id: `prompt_${handle.id}`, result: { value: product.code() } } } });
    expect(resumed).toMatchObject({ status: 403, json: { error: { data: { code: 'window-only' } } } });
    expect(window.approve(handle, ['main', null], product.code())).toMatchObject({ ok: true });
    expect((await ended(handle)).status).toBe(200);
  });
});

it('a question of an approved call is an item of its own, and the call is sent once', async () => {
  await begin({ daemon: { preflight_pattern: 'button:ask' } });
  await askForm();
  const handle = await asked();
  expect(handle.kind).toBe('call');
  window.approve(handle);
  const question = await asked();
  expect(question.kind).toBe('question');
  expect(product.composition.approvals.get(handle.id)?.state.status).toBe('executing');
  expect(await askForm()).toMatchObject({ status: 202, json: { params: { handle: handle.id } } });
  window.approve(question, ['main', null]);
  expect(answerIn(await ended(handle))).toEqual({ action: 'accept', content: { branch: 'main' } });
  expect(calls('ask')).toBe(1);
});

describe('an MCP client', () => {
  it('that declares nothing has its call held while the window asks, repeats join, and the result comes', async () => {
    await begin();
    const agent = await client('daemon');
    const first = agent.callTool({ name: 'ask', arguments: { params: FORM } });
    const handle = await asked();
    const held: { sign?: () => void } = {};
    const isHeld = new Promise<void>((resolve) => (held.sign = resolve));
    const second = agent.callTool({ name: 'ask', arguments: { params: FORM } }, undefined, { onprogress: () => held.sign?.() });
    await isHeld;
    window.approve(handle, ['main', null]);
    for (const result of [await first, await second]) expect(textOf(result)).toContain('"branch":"main"');
    expect(calls('ask')).toBe(1);
    await agent.close();
  });

  it('that declared forms is asked itself only where its target says so', async () => {
    await begin({ more: { theirs: { command: 'node', args: [worker('sample.mjs')], mode: 'linear', elicitations: 'client' } } });
    const agent = await client('theirs', { elicitation: {} }, { action: 'accept', content: { branch: 'theirs' } });
    expect(textOf(await agent.callTool({ name: 'ask', arguments: { params: FORM } }))).toContain('theirs');
    const other = await client('daemon', { elicitation: {} }, { action: 'accept', content: { branch: 'theirs' } });
    const held = other.callTool({ name: 'ask', arguments: { params: FORM } });
    window.approve(await asked(), ['ours', null]);
    expect(textOf(await held)).toContain('ours');
    const silent = await client('theirs');
    const windowed = silent.callTool({ name: 'ask', arguments: { params: FORM } });
    window.approve(await asked(), ['window', null]);
    expect(textOf(await windowed)).toContain('window');
    for (const one of [agent, other, silent]) await one.close();
  });

  it('that cancels its call takes the question back from the human and the call back from the target', async () => {
    await begin();
    const agent = await client('daemon');
    const gone = new AbortController();
    const held = agent.callTool({ name: 'ask', arguments: { params: FORM } }, undefined, { signal: gone.signal }).catch((fault: unknown) => fault);
    const handle = await asked();
    gone.abort();
    await held;
    await until(() => queue().length === 0);
    expect(product.composition.approvals.get(handle.id)?.state.status).toBe('withdrawn');
    expect(textOf(await agent.callTool({ name: 'cancelled', arguments: {} }))).toContain('requestId');
    await agent.close();
  });
});

describe('a client of the stateless revision', () => {
  async function modern(target: string, capabilities: object = {}): Promise<ModernClient> {
    const made = new ModernClient({ name: 'modern', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await made.connect(new ModernTransport(new URL(`${product.url}/v1/mcp-gateway/${target}/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
    return made;
  }

  it('has its call held while the window asks, and is itself asked nothing', async () => {
    await begin();
    const agent = await modern('daemon');
    const held = agent.callTool({ name: 'ask', arguments: { params: FORM } });
    window.approve(await asked(), ['main', null]);
    expect(textOf(await held)).toContain('"branch":"main"');
    await agent.close();
  });

  it('that goes away takes its call back, unless another of its requests holds it', async () => {
    await begin();
    const agent = await modern('daemon');
    const gone = new AbortController();
    const held = agent.callTool({ name: 'ask', arguments: { params: FORM } }, { signal: gone.signal }).catch((fault: unknown) => fault);
    const handle = await asked();
    gone.abort();
    await held;
    await until(() => queue().length === 0);
    expect(product.composition.approvals.get(handle.id)?.state.status).toBe('withdrawn');
    expect(textOf(await agent.callTool({ name: 'cancelled', arguments: {} }))).toContain('requestId');
    await agent.close();
  });
});

describe('targets over HTTP', () => {
  let everything: Awaited<ReturnType<typeof serveEverything>>;
  let fixture: Awaited<ReturnType<typeof startFixture>>;
  beforeAll(async () => {
    everything = await serveEverything('streamableHttp');
    fixture = await startFixture();
  });
  afterAll(async () => {
    await everything.close();
    await fixture.close();
  });

  it('offer their questions to clients that declare nothing, because the window answers them', async () => {
    await begin({ more: { everything: { url: everything.url } } });
    const agent = await client('everything');
    expect((await agent.listTools()).tools.map(({ name }) => name)).toContain('trigger-elicitation-request');
    const held = agent.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    const handle = await asked();
    const item = await shown(handle);
    if (item.question?.kind !== 'form') throw new Error('no form');
    const values = item.question.fields.map(({ field }): FieldValue => (field.name === 'name' ? 'Ada' : field.initial));
    expect(window.approve(handle, values)).toMatchObject({ ok: true });
    expect(JSON.stringify(await held)).toContain('Ada');
    await agent.close();
  });

  it('that a client of their own revision calls ask the window, and the client gets one answer', async () => {
    await begin({ more: { modern: { url: fixture.url } } });
    const agent = new ModernClient({ name: 'modern', version: '1' }, { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await agent.connect(new ModernTransport(new URL(`${product.url}/v1/mcp-gateway/modern/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
    const held = agent.callTool({ name: 'test_input_required_result_elicitation', arguments: {} });
    const handle = await asked();
    expect((await shown(handle)).question).toMatchObject({ kind: 'form', fields: [{ field: { name: 'name', required: true } }] });
    window.approve(handle, ['Ada']);
    expect(textOf(await held)).toBe('Hello, Ada!');
    await agent.close();
  });

  it('of the older transport ask the window as well', async () => {
    const older = await serveEverything('sse');
    await begin({ more: { older: { url: older.url, type: 'sse' } } });
    const agent = await client('older');
    const held = agent.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    const handle = await asked();
    await window.decline(handle);
    expect(JSON.stringify(await held)).toContain('declined');
    await agent.close();
    await older.close();
  });

  it('of the stateless revision have their wish for input answered at the window', async () => {
    await begin({ more: { modern: { url: fixture.url } } });
    const agent = await client('modern');
    const held = agent.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
    const handle = await asked();
    window.approve(handle, ['ada', 'ada@example.com']);
    expect(textOf(await held)).toContain('ada@example.com');
    await agent.close();
  });
});
