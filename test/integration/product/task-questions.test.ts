/** What a task of a stateless target asks while it runs (contract, 3.2), with a window that answers: no client answers a form that is the human's. */
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Handle } from '../../../src/main/approvals/index.ts';
import type { Reply } from '../../../src/shared/contract/define.ts';
import type { FieldValue } from '../../../src/shared/form/field.ts';
import { serveEverything } from '../../support/everything.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { serveTasks } from '../../support/task-server.ts';
import { until } from '../../support/workers/harness.ts';
import { answerOf, ask, META, type Told } from '../mcp/stateless-client.ts';

let product: Product;
let target: Awaited<ReturnType<typeof serveTasks>>;
beforeEach(async () => {
  target = await serveTasks();
  product = await startProduct({
    window: true,
    servers: { tasks: { url: target.url, preflight_pattern: 'button:DROP' }, brief: { url: target.url, expires_after_s: 1 }, theirs: { url: target.url, elicitations: 'client' } },
  });
});
afterEach(async () => {
  await product.close();
  target.close();
});

const TASKS = { extensions: { [`${META}tasks`]: {} } };
const FORMS = { ...TASKS, elicitation: { form: {} } };
type Over = { readonly at?: string; readonly capabilities?: object; readonly token?: string };
const send = (method: string, params: Record<string, unknown>, { at = 'tasks', capabilities = FORMS, token = product.token }: Over = {}): Promise<Told> => answerOf(ask(product, method, params, { token, path: `/v1/mcp-gateway/${at}/mcp`, capabilities }));
const get = (taskId: string, over?: Over): Promise<Told> => send('tasks/get', { taskId }, over);
const update = (taskId: string, inputResponses: unknown, over?: Over): Promise<Told> => send('tasks/update', { taskId, inputResponses }, over);
const begin = async (name = 'work', over?: Over, args: object = {}): Promise<string> => (await send('tools/call', { name, arguments: args }, over)).result.taskId as string;
const updates = (): unknown[] => target.seen.filter(({ method }) => method === 'tasks/update').map(({ params }) => params['inputResponses'] as unknown);
const own = (taskId: string): string => taskId.slice(0, taskId.lastIndexOf('.'));

const queue = (): readonly Handle[] => product.composition.approvals.queue();
async function asked(count = 1): Promise<Handle> {
  await until(() => queue().length >= count, 20_000);
  return queue()[count - 1]!;
}
const approve = (handle: Handle, values?: FieldValue[]): Reply<{ status: string }> =>
  product.composition.review.approve({ handle: handle.id, payloadHash: handle.request.hash, proof: { kind: 'button' }, ...(values && { values: values as (string | null)[] }) }) as Reply<{ status: string }>;
/** Looks again until the task is no longer said to work. */
async function ended(taskId: string, over?: Over): Promise<Told> {
  for (;;) {
    const got = await get(taskId, over);
    if (got.result?.status !== 'working') return got;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const forged = { who: { action: 'accept', content: { name: 'Mallory' } } };

describe('a form that a task asks', () => {
  it('opens the window with the call the task came of, once however often the client looks, and its answer ends the task', async () => {
    const taskId = await begin('work', {}, { path: 'notes.txt' });
    const first = await get(taskId);
    expect(first.result).toMatchObject({ resultType: 'complete', taskId, status: 'working', statusMessage: expect.stringContaining('a human must answer') as string, createdAt: '2026-11-30T00:00:00Z' });
    expect(first.result).not.toHaveProperty('inputRequests');
    const handle = await asked();
    for (const over of [{}, { capabilities: { ...FORMS, roots: {} } }, {}]) expect((await get(taskId, over)).result).toMatchObject({ status: 'working' });
    expect(queue()).toHaveLength(1);
    expect(handle).toMatchObject({ kind: 'question', request: { method: 'tools/call', subject: 'work', paramsText: '{"arguments":{"path":"notes.txt"},"name":"work"}' } });
    const look = await product.composition.review.look({ handle: handle.id });
    expect(look).toMatchObject({ ok: true, value: { item: { payloadHash: handle.request.hash, question: { kind: 'form', fields: [{ field: { name: 'name' } }] } } } });

    expect(approve(handle, ['Ada'])).toMatchObject({ ok: true });
    expect((await ended(taskId)).result).toMatchObject({ status: 'completed', result: { content: [{ text: 'done for Ada' }] } });
    expect(updates()).toEqual([{ who: { action: 'accept', content: { name: 'Ada' } } }]);
  });

  it.each(['decline', 'cancel'] as const)('is answered with a %s', async (action) => {
    const taskId = await begin();
    await get(taskId);
    const { id, request } = await asked();
    if (action === 'decline') await product.composition.review.decline({ handle: id, payloadHash: request.hash, reason: null });
    else await product.composition.review.cancel({ handle: id, payloadHash: request.hash });
    expect((await ended(taskId)).result).toMatchObject({ status: 'completed', result: { content: [{ text: `done for ${action}` }] } });
    expect(updates()).toEqual([{ who: { action } }]);
  });

  it('is answered by no client: not before it was looked at, not while the human is asked, not afterwards, and not on any other way in', async () => {
    const taskId = await begin();
    expect((await update(taskId, forged)).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    await get(taskId);
    const handle = await asked();
    for (const given of [forged, { ...forged, other: {} }, [forged], null, 'who']) expect((await update(taskId, given)).error, JSON.stringify(given)).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect((await update(taskId, forged, { capabilities: { ...FORMS, sampling: {} } })).error).toMatchObject({ data: { code: 'request-state-invalid' } });

    // The target's own id is part of the one the client has: neither the REST dialect nor a client of an older revision takes it.
    for (const method of ['tasks/update', 'tasks/get', 'tasks/cancel']) {
      const body = { jsonrpc: '2.0', id: 1, method, params: { taskId: own(taskId), ...(method === 'tasks/update' && { inputResponses: forged }) } };
      expect((await product.send('POST', '/v1/mcp-gateway/tasks/invoke', { body })).json.error, method).toMatchObject({ code: -32601 });
      const older = new LegacyClient({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
      await older.connect(new LegacyTransport(new URL(`${product.url}/v1/mcp-gateway/tasks/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
      await expect(older.request({ method, params: body.params }, z.looseObject({}))).rejects.toMatchObject({ code: -32601 });
      await older.close();
    }
    expect(updates()).toEqual([]);
    expect(product.composition.approvals.get(handle.id)?.state.status).toBe('parked');

    approve(handle, ['Ada']);
    expect((await ended(taskId)).result).toMatchObject({ status: 'completed' });
    expect((await update(taskId, forged)).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect(updates()).toHaveLength(1);
  });

  it('that nobody answers in time is answered with a cancel', async () => {
    const taskId = await begin('work', { at: 'brief' });
    await get(taskId, { at: 'brief' });
    expect((await ended(taskId, { at: 'brief' })).result).toMatchObject({ result: { content: [{ text: 'done for cancel' }] } });
    expect(queue()).toEqual([]);
  });

  it('is taken back from the human when the client cancels the task, and nothing is answered', async () => {
    const taskId = await begin();
    await get(taskId);
    const handle = await asked();
    await send('tasks/cancel', { taskId });
    await until(() => queue().length === 0, 20_000);
    expect(product.composition.approvals.get(handle.id)?.state.status).toBe('withdrawn');
    expect((await get(taskId)).result).toMatchObject({ status: 'cancelled' });
    expect(updates()).toEqual([]);
  });

  it('has the fields of the approved call beside it where that was answered with a task', async () => {
    const taskId = await begin('work', {}, { sql: 'DROP' });
    const call = await asked();
    approve(call);
    while (queue().length === 0) expect((await get(taskId)).result).toMatchObject({ taskId, status: 'working' });
    const question = await asked();
    expect(question).toMatchObject({ kind: 'question', request: { hash: call.request.hash } });
    expect((await update(taskId, forged)).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    approve(question, ['Bob']);
    expect((await ended(taskId)).result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'done for Bob' }] } });
  });

  it('is not answered by a restart, and is asked again afterwards', async () => {
    const taskId = await begin();
    await get(taskId);
    const before = await asked();
    await product.restart();
    expect(product.composition.approvals.get(before.id)?.state.status).toBe('withdrawn');
    expect((await update(taskId, forged)).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect((await get(taskId)).result).toMatchObject({ status: 'working' });
    expect(updates()).toEqual([]);
    approve(await asked(), ['Ada']);
    expect((await ended(taskId)).result).toMatchObject({ status: 'completed', result: { content: [{ text: 'done for Ada' }] } });
  });

  it('is asked under the name document 003 has for it as well', async () => {
    await get(await begin('older-name'));
    expect((await asked()).kind).toBe('question');
  });

  it('is not asked where another of the same task can be shown to nobody', async () => {
    expect((await get(await begin('half-nosy'))).error).toMatchObject({ data: { code: 'secret-asked' } });
    expect(queue()).toEqual([]);
  });

  it('is not asked when too much waits already, and is when there is room', async () => {
    const taskId = await begin();
    for (let n = 0; n < 20; n += 1) await product.send('POST', '/v1/mcp-gateway/tasks/invoke', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: { sql: `DROP ${n}` } } } });
    expect((await get(taskId)).error).toMatchObject({ data: { code: 'too-many-pending' } });
    await product.send('DELETE', `/v1/mcp-gateway/handles/${queue()[0]!.id}`);
    expect((await get(taskId)).result).toMatchObject({ status: 'working' });
    expect(queue().at(-1)).toMatchObject({ kind: 'question' });
  });
});

describe('where a task asks more than forms', () => {
  it('the client is told of what is its own, and answers that and no more', async () => {
    const taskId = await begin('several', { capabilities: { ...FORMS, sampling: {} } });
    const got = await get(taskId);
    expect(got.result).toMatchObject({ status: 'input_required' });
    expect(Object.keys(got.result.inputRequests as object)).toEqual(['word']);
    const second = await asked(2);
    const word = { word: { model: 'm', role: 'assistant', content: { type: 'text', text: 'one' } } };
    expect((await update(taskId, { ...word, ...forged })).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect((await update(taskId, word)).result).toEqual({ resultType: 'complete' });
    expect((await get(taskId)).result).toMatchObject({ status: 'working' });
    approve(queue()[0]!, ['Ada']);
    approve(second, ['Rome']);
    expect((await ended(taskId)).result).toMatchObject({ status: 'completed' });
    expect(updates()).toEqual([word, { where: { action: 'accept', content: { place: 'Rome' } }, who: { action: 'accept', content: { name: 'Ada' } } }]);
  });

  it('a target that asks clients asks the one that declared forms, and the window for one that did not', async () => {
    const taskId = await begin('work', { at: 'theirs' });
    expect((await get(taskId, { at: 'theirs' })).result).toMatchObject({ status: 'input_required', inputRequests: { who: { method: 'elicitation/create' } } });
    expect(queue()).toEqual([]);
    expect((await update(taskId, forged, { at: 'theirs' })).result).toEqual({ resultType: 'complete' });
    expect((await get(taskId, { at: 'theirs' })).result).toMatchObject({ result: { content: [{ text: 'done for Mallory' }] } });

    const silent = { at: 'theirs', capabilities: TASKS };
    const other = await begin('work', silent);
    expect((await get(other, silent)).result).toMatchObject({ status: 'working' });
    const handle = await asked();
    // Having declared nothing before, it cannot take over what the human is asked by declaring it now.
    expect((await get(other, { at: 'theirs' })).result).toMatchObject({ status: 'working' });
    expect((await update(other, forged, { at: 'theirs' })).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    approve(handle, ['Ada']);
    expect((await ended(other, silent)).result).toMatchObject({ result: { content: [{ text: 'done for Ada' }] } });
  });
});

it('what a task of 2025-11-25 asks is shown with the call it came of, and asked of no client', async () => {
  const everything = await serveEverything('streamableHttp');
  await product.close();
  product = await startProduct({ window: true, servers: { older: { url: everything.url } } });
  const agent = new LegacyClient({ name: 'older', version: '1' }, { capabilities: { tasks: { list: {}, cancel: {} }, elicitation: {} } });
  let askedOfClient = 0;
  agent.setRequestHandler(ElicitRequestSchema, () => Promise.resolve({ action: 'accept' as const, content: { interpretation: `comedy ${(askedOfClient += 1)}` } }));
  await agent.connect(new LegacyTransport(new URL(`${product.url}/v1/mcp-gateway/older/mcp`), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
  await agent.listTools();
  const messages: unknown[] = [];
  const followed = (async () => {
    const stream = agent.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: { topic: 'Python', ambiguous: true } }, CallToolResultSchema, { task: { ttl: 60_000 }, timeout: 60_000 });
    for await (const message of stream) messages.push(message);
  })();
  const handle = await asked();
  expect(handle).toMatchObject({ kind: 'question', request: { method: 'tools/call', subject: 'simulate-research-query' } });
  expect(handle.request.text).toContain('"topic":"Python"');
  expect(approve(handle, ['snake'])).toMatchObject({ ok: true });
  await followed;
  expect(messages.at(-1)).toMatchObject({ type: 'result' });
  expect(JSON.stringify(messages.at(-1))).toContain('snake');
  expect([askedOfClient, queue().length, product.composition.approvals.recent(9).length]).toEqual([0, 0, 1]);
  await agent.close();
  await everything.close();
});
