/** A client of 2026-07-28 in front of a server with sessions that asks for roots, sampling and forms in the middle of a call; official SDKs on both sides. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { serveLegacy } from '../../support/legacy-server.ts';
import { startProduct, type Product } from '../../support/product.ts';
import { until } from '../../support/workers/harness.ts';
import { executed, openStand } from '../gateway/stand.ts';
import { answerOf, ask, type Told } from './stateless-client.ts';

let product: Product;
let server: Awaited<ReturnType<typeof serveLegacy>>;
/** Each call that reached the tool. */
let calls: string[] = [];

const MESSAGE = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say one word' } }], maxTokens: 5 };
const FORM = { message: 'Who?', requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } } };
const said = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const outcome = (question: Promise<unknown>): Promise<unknown> => question.catch((fault: unknown) => ({ refused: (fault as { code: number }).code }));

function create(): McpServer {
  const mcp = new McpServer({ name: 'asking', version: '1' });
  const { server: low } = mcp;
  const inputSchema = { note: z.string().optional() };
  mcp.registerTool('in-turn', { inputSchema }, async ({ note = '' }) => {
    calls.push(note);
    const { roots } = await low.listRoots();
    const first = await low.createMessage(MESSAGE);
    const second = await low.createMessage(MESSAGE);
    const form = await low.elicitInput(FORM);
    return said({ roots, words: [first.content, second.content], form });
  });
  mcp.registerTool('at-once', { inputSchema }, async ({ note = '' }) => {
    calls.push(note);
    const [roots, word] = await Promise.all([outcome(low.listRoots()), outcome(low.createMessage(MESSAGE))]);
    return said({ roots, word });
  });
  return mcp;
}

beforeAll(async () => {
  server = await serveLegacy(create);
  product = await startProduct({ servers: { asking: { url: server.url, preflight_pattern: 'button:DROP', elicitations: 'client' } } });
});
afterAll(async () => {
  await product.close();
  server.close();
});
beforeEach(() => {
  calls = [];
});

const PATH = '/v1/mcp-gateway/asking/mcp';
const parsed = (result: unknown): any => JSON.parse((result as { content: { text: string }[] }).content[0]!.text); // eslint-disable-line @typescript-eslint/no-explicit-any -- a test looks into whatever came

async function modern() {
  const asked: string[] = [];
  const client = new Client({ name: 'modern', version: '1' }, { capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///mine', name: 'mine' }] };
  });
  client.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling');
    return { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: `word ${asked.length}` } };
  });
  client.setRequestHandler('elicitation/create', () => {
    asked.push('form');
    return { action: 'accept' as const, content: { name: 'Ada' } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(product.url + PATH), { requestInit: { headers: { authorization: `Bearer ${product.token}` } } }));
  return { client, asked };
}

describe('a client of the stateless revision', () => {
  it('answers roots, two samplings and a form of one call, each as input it has to bring, and the tool runs once', async () => {
    const { client, asked } = await modern();
    const result = await client.callTool({ name: 'in-turn', arguments: { note: 'one' } });
    expect(asked).toEqual(['roots', 'sampling', 'sampling', 'form']);
    expect(parsed(result)).toEqual({ roots: [{ uri: 'file:///mine', name: 'mine' }], words: [{ type: 'text', text: 'word 2' }, { type: 'text', text: 'word 3' }], form: { action: 'accept', content: { name: 'Ada' } } });
    expect(calls).toEqual(['one']);
    await client.close();
  });

  it('answers what is asked at once', async () => {
    const { client, asked } = await modern();
    expect(parsed(await client.callTool({ name: 'at-once', arguments: {} }))).toMatchObject({ roots: { roots: [{ name: 'mine' }] }, word: { content: { type: 'text' } } });
    expect([...asked].sort()).toEqual(['roots', 'sampling']);
    expect(calls).toHaveLength(1);
    await client.close();
  });

  it('is asked nothing before its trapped call was approved, and everything afterwards', async () => {
    const { client, asked } = await modern();
    const held = client.callTool({ name: 'in-turn', arguments: { note: 'DROP' } });
    await until(() => product.composition.approvals.queue().length === 1);
    expect([asked, calls]).toEqual([[], []]);
    const [parked] = product.composition.approvals.queue();
    product.composition.approvals.approve({ id: parked!.id, hash: parked!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
    expect(parsed(await held)).toHaveProperty('form.content.name', 'Ada');
    expect(asked).toEqual(['roots', 'sampling', 'sampling', 'form']);
    expect(calls).toEqual(['DROP']);
    await client.close();
  });
});

describe('on the wire', () => {
  const roots = { roots: [{ uri: 'file:///r' }] };
  const call = (over: Record<string, unknown>, capabilities: object, name = 'at-once'): Promise<Told> => answerOf(ask(product, 'tools/call', { name, arguments: {}, ...over }, { token: product.token, path: PATH, capabilities }));

  it('what the client did not declare is refused to the server, and the rest is asked', async () => {
    const { resultType, inputRequests, requestState } = (await call({}, { roots: {} })).result as { resultType: string; inputRequests: Record<string, unknown>; requestState: string };
    expect(resultType).toBe('input_required');
    expect(Object.values(inputRequests)).toMatchObject([{ method: 'roots/list' }]);
    const [key] = Object.keys(inputRequests);
    const done = await call({ inputResponses: { [key!]: roots }, requestState }, { roots: {} });
    expect(done.result).toMatchObject({ resultType: 'complete' });
    expect(parsed(done.result).roots).toEqual(roots);
    expect(parsed(done.result).word).toHaveProperty('refused');
  });

  it('an answer that comes with the first request answers nothing', async () => {
    const { result } = await call({ inputResponses: { 'roots-list-1': roots } }, { roots: {} });
    expect(result.resultType).toBe('input_required');
  });

  it('a state that was used answers nothing more, though its call goes on and asks again', async () => {
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    const input = ({ result }: Told) => ({ requestState: result.requestState as string, key: Object.keys(result.inputRequests as object)[0]! });
    const first = input(await call({}, capabilities, 'in-turn'));
    const answer = { requestState: first.requestState, inputResponses: { [first.key]: roots } };
    const second = input(await call(answer, capabilities, 'in-turn'));
    expect((await call(answer, capabilities, 'in-turn')).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    // Whoever tried it took nothing away from the call.
    const word = { model: 'm', role: 'assistant', content: { type: 'text', text: 'w' } };
    expect((await call({ requestState: second.requestState, inputResponses: { [second.key]: word } }, capabilities, 'in-turn')).result.resultType).toBe('input_required');
    expect(calls).toHaveLength(1);
  });

  it('keys and states are never used twice in one call', async () => {
    const capabilities = { roots: {}, sampling: {}, elicitation: {} };
    const answers: Record<string, object> = { 'roots/list': roots, 'sampling/createMessage': { model: 'm', role: 'assistant', content: { type: 'text', text: 'w' } }, 'elicitation/create': { action: 'decline' } };
    const seen: string[] = [];
    let told = await call({}, capabilities, 'in-turn');
    while (told.result.resultType === 'input_required') {
      const { inputRequests, requestState } = told.result as { inputRequests: Record<string, { method: string }>; requestState: string };
      seen.push(requestState, ...Object.keys(inputRequests));
      told = await call({ requestState, inputResponses: Object.fromEntries(Object.entries(inputRequests).map(([key, { method }]) => [key, answers[method]])) }, capabilities, 'in-turn');
    }
    expect(parsed(told.result).form).toEqual({ action: 'decline' });
    expect(seen).toHaveLength(8);
    expect(new Set(seen).size).toBe(8);
  });
});

describe('where a window answers forms', () => {
  it('a form of a call stands between what its client answers, and is put before the human there', async () => {
    const windowed = await startProduct({ window: true, servers: { asking: { url: server.url, preflight_pattern: 'button:DROP' } } });
    const asked: string[] = [];
    const client = new Client({ name: 'modern', version: '1' }, { capabilities: { roots: {}, sampling: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    client.setRequestHandler('roots/list', () => {
      asked.push('roots');
      return { roots: [] };
    });
    client.setRequestHandler('sampling/createMessage', () => {
      asked.push('sampling');
      return { model: 'm', role: 'assistant' as const, content: { type: 'text' as const, text: 'w' } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(windowed.url + PATH), { requestInit: { headers: { authorization: `Bearer ${windowed.token}` } } }));
    const { approvals } = windowed.composition;
    const held = client.callTool({ name: 'in-turn', arguments: { then: 'more' } });
    await until(() => approvals.queue().length === 1);
    const [question] = approvals.queue();
    expect(question).toMatchObject({ kind: 'elicitation', request: { target: 'asking', subject: 'in-turn' } });
    expect(asked).toEqual(['roots', 'sampling', 'sampling']);
    const answered = approvals.answer({ id: question!.id, hash: question!.request.hash, action: 'accept', values: ['Ada'], proof: { kind: 'button' }, way: 'window', actor: 'window' });
    expect(answered).toMatchObject({ ok: true });
    expect(parsed(await held)).toMatchObject({ roots: [], form: { action: 'accept', content: { name: 'Ada' } } });
    expect(calls).toHaveLength(1);
    await client.close();
    await windowed.close();
  });
});

describe('a client that takes too long to answer', () => {
  it('finds that its state no longer counts, and the target was told that nobody answers', async () => {
    const stand = await openStand({ limits: { askMs: 20 } });
    let end: unknown;
    stand.play.submit = async ({ relay }) => {
      await relay!.ask('roots/list', {}).catch((fault: unknown) => (end = fault));
      const state = executed({ content: [] });
      return { kind: 'answered', replay: false, answer: { kind: 'result', result: { state } } };
    };
    const risky = { name: 'fs__run_sql', arguments: {} };
    const { result } = await answerOf(ask(stand, 'tools/call', risky, { capabilities: { roots: {} } }));
    while (end === undefined) await pause(5);
    const late = await answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: { 'roots-list-1': { roots: [] } }, requestState: result.requestState }, { capabilities: { roots: {} } }));
    expect(late.error).toMatchObject({ data: { code: 'request-state-invalid' } });
    await stand.close();
  });
});
