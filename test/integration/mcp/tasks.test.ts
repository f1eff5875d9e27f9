/** Tasks (MCP, extension io.modelcontextprotocol/tasks) of targets and of ours, through the composed gateway. */
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceServer } from '../../support/everything.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { serveTasks } from '../../support/task-server.ts';
import { worker } from '../../support/workers/harness.ts';
import { answerOf, ask, META, type Told } from './stateless-client.ts';

let product: Product;
let target: Awaited<ReturnType<typeof serveTasks>>;

beforeAll(async () => {
  target = await serveTasks();
  const rule = { preflight_pattern: 'button:DROP', elicitations: 'client' };
  product = await startProduct({ servers: { tasks: { url: target.url, ...rule }, daemon: { command: 'node', args: [worker('sample.mjs')], ...rule }, older: { command: 'node', args: [referenceServer('everything')], ...rule } } });
});
afterAll(async () => {
  await product.close();
  target.close();
});

const TASKS = { capabilities: { elicitation: {}, extensions: { [`${META}tasks`]: {} } } };
const ONE = '/v1/mcp-gateway/tasks/mcp';
const send = (method: string, params: Record<string, unknown>, over: { path?: string; capabilities?: object } = {}): Promise<Told> => answerOf(ask(product, method, params, { token: product.token, path: ONE, ...TASKS, ...over }));
const call = (name: string, over: { path?: string; capabilities?: object; args?: object } = {}): Promise<Told> => send('tools/call', { name, arguments: over.args ?? {} }, over);
const reached = (method: string) => target.seen.filter((request) => request.method === method);

describe('a task of a target', () => {
  it('is followed, answered and ended by the client that takes tasks, and by no other', async () => {
    const { result } = await call('work');
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.stringMatching(/^task-/), status: 'working' });
    const taskId = result.taskId as string;
    expect((await send('tasks/get', { taskId })).result).toMatchObject({ resultType: 'complete', taskId, status: 'input_required', inputRequests: { who: { method: 'elicitation/create' } } });
    expect((await send('tasks/update', { taskId, inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } } })).result).toEqual({ resultType: 'complete' });
    expect((await send('tasks/get', { taskId })).result).toMatchObject({ status: 'completed', result: { content: [{ text: 'done for Ada' }] } });
    expect((await send('tasks/cancel', { taskId })).result).toEqual({ resultType: 'complete' });
    const own = taskId.slice(0, taskId.lastIndexOf('.'));
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) expect(reached(method).at(-1)).toMatchObject({ name: own, params: { taskId: own } });
    const { json } = await product.control('POST', '/v1/countersign/clients', { name: 'eve', roles: [] });
    const before = reached('tasks/get').length;
    for (const guess of [taskId, own, `${own}.${'A'.repeat(22)}`, '']) expect((await answerOf(ask(product, 'tasks/get', { taskId: guess }, { token: String(json['token']), path: ONE, ...TASKS }))).error).toMatchObject({ code: -32602 });
    expect(reached('tasks/get')).toHaveLength(before);
    await product.restart();
    expect((await send('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
    expect((await send('tasks/get', { taskId: 'task-unknown' })).error).toMatchObject({ code: -32602 });
  });

  it('is named after its target on the endpoint of all of them', async () => {
    const path = '/mcp';
    const { result } = await call('tasks__work', { path });
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.stringMatching(/^tasks__task-/) });
    const taskId = result.taskId as string;
    expect((await send('tasks/get', { taskId }, { path })).result).toMatchObject({ taskId, status: 'input_required' });
    expect(reached('tasks/get').at(-1)).toMatchObject({ name: taskId.slice('tasks__'.length, taskId.lastIndexOf('.')) });
    for (const unknown of ['task-1', 'nobody__task-1']) expect((await send('tasks/get', { taskId: unknown }, { path })).error).toMatchObject({ code: -32602 });
  });

  it('is told to no client that did not declare tasks: not to one of either era, nor over REST', async () => {
    for (const capabilities of [{}, { extensions: {} }]) {
      expect((await call('work', { capabilities })).result).toMatchObject({ resultType: 'complete', content: [{ text: 'work at once' }] });
      const rude = (await call('rude', { capabilities })).result;
      expect(rude).toMatchObject({ resultType: 'complete', isError: true });
      expect(JSON.stringify(rude)).not.toContain('task-');
    }
    // One of the older era has nothing to follow it with, whatever it declares.
    const legacy = new LegacyClient({ name: 'legacy', version: '1' }, { capabilities: { extensions: { [`${META}tasks`]: {} } } });
    await legacy.connect(new LegacyTransport(new URL(product.url + ONE), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
    expect(await legacy.callTool({ name: 'work', arguments: {} })).toMatchObject({ content: [{ text: 'work at once' }] });
    expect(await legacy.callTool({ name: 'rude', arguments: {} })).toMatchObject({ isError: true });
    await legacy.close();
    expect((await product.call('tasks', 'rude')).status).toBe(502);
  });

  it('asks for no secret', async () => {
    const { result } = await call('nosy');
    expect((await send('tasks/get', { taskId: result.taskId })).error).toMatchObject({ data: { code: 'secret-asked' } });
  });

  it('is answered past the same guard as any call', async () => {
    const { result } = await call('work');
    const before = reached('tasks/update').length;
    const gone = new AbortController();
    const update = ask(product, 'tasks/update', { taskId: result.taskId, inputResponses: { who: { action: 'accept', content: { name: 'DROP' } } } }, { token: product.token, path: ONE, ...TASKS, signal: gone.signal }).catch(() => undefined);
    while (product.composition.approvals.queue().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(product.composition.approvals.queue()).toMatchObject([{ request: { method: 'tasks/update' } }]);
    gone.abort();
    await update;
    while (product.composition.approvals.queue().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(reached('tasks/update')).toHaveLength(before);
  });
});

describe('a trapped call of a client that takes tasks', () => {
  it('is one task from the parking to the end, though the target answers the approved call with a task of its own', async () => {
    const { result: parked } = await call('work', { args: { sql: 'DROP' } });
    const taskId = parked.taskId as string;
    expect(parked).toMatchObject({ resultType: 'task', status: 'working', statusMessage: expect.stringContaining('NOT EXECUTED'), taskId: expect.stringMatching(/^txn_/) });
    const [item] = product.composition.approvals.queue();
    product.composition.approvals.approve({ id: item!.id, hash: item!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    let got = await send('tasks/get', { taskId });
    while (got.result.status === 'working') got = await send('tasks/get', { taskId });
    expect(got.result).toMatchObject({ resultType: 'complete', taskId, status: 'input_required' });
    expect((await send('tasks/update', { taskId, inputResponses: { who: { action: 'accept', content: { name: 'Bob' } } } })).result).toEqual({ resultType: 'complete' });
    expect((await send('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'done for Bob' }] } });
    expect(reached('tools/call').filter(({ params }) => params['arguments']?.sql === 'DROP')).toHaveLength(1);
  });

  it('is a plain result where the target of an older revision is called and nothing is trapped', async () => {
    expect((await call('echo', { path: '/v1/mcp-gateway/daemon/mcp', args: { text: 'hi' } })).result).toMatchObject({ resultType: 'complete', content: [{ text: 'hi' }] });
  });
});

describe('a stream of tidings of tasks', () => {
  it('is refused to a client that takes none, and not promised to one that does', async () => {
    const listen = (capabilities: object, signal?: AbortSignal) => ask(product, 'subscriptions/listen', { notifications: { taskIds: ['task-1'] } }, { token: product.token, path: ONE, capabilities, ...(signal && { signal }) });
    expect(await answerOf(listen({}))).toMatchObject({ status: 400, error: { code: -32021, data: { requiredCapabilities: { extensions: { [`${META}tasks`]: {} } } } } });
    const over = new AbortController();
    const stream = (await listen(TASKS.capabilities, over.signal)).body!.pipeThrough(new TextDecoderStream());
    let said = '';
    for await (const part of stream) if ((said += part).includes('acknowledged')) break;
    expect(said).not.toContain('taskIds');
    over.abort();
  });
});

describe('tasks as 2025-11-25 had them', () => {
  async function run(topic: string): Promise<{ readonly kinds: readonly string[]; readonly told: string }> {
    const { json } = await product.control('POST', '/v1/countersign/clients', { name: `older-${topic.toLowerCase()}`, roles: [], patience_s: 1 });
    const client = new LegacyClient({ name: 'older', version: '1' }, { capabilities: { tasks: { list: {}, cancel: {} } } });
    await client.connect(new LegacyTransport(new URL(`${product.url}/v1/mcp-gateway/older/mcp`), { requestInit: { headers: { authorization: `Bearer ${String(json['token'])}` } } }));
    await client.listTools();
    const kinds: string[] = [];
    let told = '';
    for await (const message of client.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: { topic } }, CallToolResultSchema, { task: { ttl: 60_000 } })) {
      kinds.push(message.type);
      told = JSON.stringify(message);
    }
    await client.close();
    return { kinds, told };
  }

  it('are relayed between a client and a server that have them', async () => {
    const { kinds, told } = await run('Bees');
    expect(kinds[0]).toBe('taskCreated');
    expect(kinds.at(-1)).toBe('result');
    expect(told).toContain('Research Report: Bees');
  });

  it('are no way past the guard, and a trapped call is taken for no success', async () => {
    const { kinds } = await run('DROP');
    expect(kinds).toEqual(['error']);
    expect(product.composition.approvals.queue()).toMatchObject([{ request: { target: 'older', subject: 'simulate-research-query' } }]);
  });
});
