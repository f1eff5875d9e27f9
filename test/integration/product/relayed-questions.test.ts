/** Questions that a target has put to clients (`elicitations: "client"`, or no window): who does not answer holds a daemon no longer than a human could, and who comes again joins. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { worker } from '../../support/workers/harness.ts';
import { answerOf, ask, type Told } from '../mcp/stateless-client.ts';

const FORM = { message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } } };
const PATH = '/v1/mcp-gateway/daemon/mcp';

let product: Product;
let folder: string;
afterEach(async () => {
  await product.close();
  rmSync(folder, { recursive: true, force: true });
});

const begin = async (window: boolean, over: object = {}): Promise<void> => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-relayed-'));
  product = await startProduct({ window, servers: { daemon: { command: 'node', args: [worker('sample.mjs')], env: { WORKER_JOURNAL: path.join(folder, 'journal') }, mode: 'linear', elicitations: 'client', ...over } } });
};
const call = (more: object = {}): Promise<Told> => answerOf(ask(product, 'tools/call', { name: 'ask', arguments: { params: FORM }, ...more }, { token: product.token, path: PATH, capabilities: { elicitation: { form: {} } } }));
const calls = (): number => readFileSync(path.join(folder, 'journal'), 'utf8').split('\n').filter((line) => line.includes('"event":"call"')).length;
const textIn = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;

describe.each([['with a window', true], ['without one', false]] as const)('a client that never answers, %s', (_, window) => {
  it('is taken for one that cancels when the time of its target is over (session)', async () => {
    await begin(window, { expires_after_s: 1 });
    const agent = new Client({ name: 'agent', version: '1' }, { capabilities: { elicitation: {} } });
    agent.setRequestHandler(ElicitRequestSchema, () => new Promise(() => undefined));
    await agent.connect(new StreamableHTTPClientTransport(new URL(product.url + PATH), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
    expect(textIn(await agent.callTool({ name: 'ask', arguments: { params: FORM } }))).toContain('"action":"cancel"');
    await agent.close();
  });

  it('has its call cancelled then, and the daemon goes on (stateless)', async () => {
    await begin(window, { expires_after_s: 1 });
    const { result } = await call();
    expect(result).toMatchObject({ resultType: 'input_required' });
    const next = await product.call('daemon', 'cancelled');
    expect(next).toMatchObject({ status: 200 });
    expect(next.text).toContain('requestId');
    const [key] = Object.keys(result.inputRequests as object);
    expect((await call({ inputResponses: { [key!]: { action: 'accept', content: { branch: 'late' } } }, requestState: result.requestState as string })).error).toMatchObject({ data: { code: 'request-state-invalid' } });
  });
});

describe('a call of the stateless revision that comes again without the state it was given', () => {
  const accept = (told: Told, branch: string) => ({ inputResponses: Object.fromEntries(Object.keys(told.result.inputRequests as object).map((key) => [key, { action: 'accept', content: { branch } }])), requestState: told.result.requestState as string });

  it('is asked the same again under the same state and never reaches the target; the answer ends it', async () => {
    await begin(false);
    const told = [await call(), await call()];
    expect(told[1]!.result).toMatchObject({ resultType: 'input_required', inputRequests: told[0]!.result.inputRequests as object });
    expect(told[1]!.result.requestState).toBe(told[0]!.result.requestState);
    expect(textIn((await call(accept(told[1]!, 'main'))).result)).toContain('"branch":"main"');
    expect(calls()).toBe(1);
    // It has ended, so its state counts no more; and the same call now is a new one.
    expect((await call(accept(told[0]!, 'other'))).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    const anew = await call();
    expect(textIn((await call(accept(anew, 'next'))).result)).toContain('"branch":"next"');
    expect(calls()).toBe(2);
  });

  it('is not found by another client that has its state', async () => {
    await begin(false);
    const { result } = await call();
    const { json } = await product.control('POST', '/v1/countersign/clients', { name: 'eve', roles: [] });
    const stolen = await answerOf(ask(product, 'tools/call', { name: 'ask', arguments: { params: FORM }, ...accept({ result } as Told, 'eve') }, { token: String(json['token']), path: PATH, capabilities: { elicitation: { form: {} } } }));
    expect(stolen.error).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect(textIn((await call(accept({ result } as Told, 'main'))).result)).toContain('"branch":"main"');
    expect(calls()).toBe(1);
  });
});

describe('a state that was not given for the call', () => {
  const forged = { inputResponses: { 'elicitation-create-1': { action: 'accept', content: { branch: 'forged' } } } };

  it.each([
    ['of our make', { ...forged, requestState: `countersign.${'A'.repeat(43)}` }],
    ['of another make', { ...forged, requestState: 'v1.abc' }],
    ['without an answer', { requestState: 'v1.abc' }],
    ['that is no text', { ...forged, requestState: {} }],
  ])('is refused, and the call reaches no daemon: one %s', async (_, more) => {
    await begin(false);
    expect((await product.call('daemon', 'pid')).status).toBe(200);
    expect(JSON.stringify(await call(more))).toContain('request-state-invalid');
    const rest = await product.send('POST', '/v1/mcp-gateway/daemon/invoke', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: {}, ...more } } });
    expect(rest).toMatchObject({ status: 400, json: { error: { data: { code: 'request-state-invalid' } } } });
    expect(calls()).toBe(1);
    // The same words among the arguments are the tool's own business.
    expect((await product.call('daemon', 'echo', { text: 'x', requestState: 'y' })).status).toBe(200);
  });
});
