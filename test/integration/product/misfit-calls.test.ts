/** Calls whose members are not what MCP has there: refused as invalid params at every door, before anything reaches a target or a human. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProduct, type Product } from '../../support/product.ts';
import { startHttpWorker, type HttpWorker } from '../../support/workers/http-worker.ts';
import { openSession, speak } from '../gateway/mcp-client.ts';
import { answerOf, ask } from '../mcp/stateless-client.ts';

let product: Product;
let heard: HttpWorker;

beforeAll(async () => {
  heard = await startHttpWorker({ tools: { echo: ({ result }) => result('heard') } });
  product = await startProduct({ servers: { heard: { url: heard.url, preflight_pattern: 'button:DROP' } } });
}, 60_000);
afterAll(async () => {
  await product.close();
  await heard.close();
});

const LISTS = /^(?:initialize|notifications\/|server\/discover$|[a-z/]+\/list$)/;
const reached = (): unknown[] => heard.seen.flatMap(({ message }) => (message?.method === undefined || LISTS.test(message.method) ? [] : [message]));

const misfits: readonly [string, string, Record<string, unknown>, string][] = [
  ['arguments that are a list', 'tools/call', { name: 'echo', arguments: ['DROP'] }, 'params.arguments'],
  ['arguments that are a text', 'tools/call', { name: 'echo', arguments: '{"a":"DROP"}' }, 'params.arguments'],
  ['arguments that are a number', 'tools/call', { name: 'echo', arguments: 7 }, 'params.arguments'],
  ['arguments that are null', 'tools/call', { name: 'echo', arguments: null }, 'params.arguments'],
  ['no name', 'tools/call', { arguments: {} }, 'params.name'],
  ['an empty name', 'tools/call', { name: '' }, 'params.name'],
  ['a name that is no text', 'tools/call', { name: ['echo'] }, 'params.name'],
  ['a URI that is no text', 'resources/read', { uri: 7 }, 'params.uri'],
  ['an argument of a prompt that is no text', 'prompts/get', { name: 'p', arguments: { a: { b: 'DROP' } } }, 'params.arguments.a'],
];

describe.each(misfits)('a call with %s', (_, method, params, at) => {
  const path = '/v1/mcp-gateway/heard/mcp';
  const refused = { error: { code: -32602, data: { code: 'invalid-params', at } } };

  it('is invalid to a client with a session, to a stateless one and over REST, and goes nowhere', async () => {
    const { token } = product;
    const session = await openSession(product, { path, token });
    expect(await answerOf(speak(product, { jsonrpc: '2.0', id: 1, method, params }, { path, token, session }))).toMatchObject(refused);
    expect(await answerOf(ask(product, method, params, { path, token }))).toMatchObject(refused);
    expect(await product.send('POST', '/v1/mcp-gateway/heard/invoke', { body: { jsonrpc: '2.0', id: 1, method, params } })).toMatchObject({ status: 400, json: refused });
    expect(reached()).toEqual([]);
    expect(product.composition.approvals.queue()).toEqual([]);
  });
});

it.each([[['DROP']], ['DROP'], [7], [null]])('HTTP tools are invalid with the arguments %j, wherever they are called', async (given) => {
  expect(await product.send('POST', '/api/tools/invoke', { body: { name: 'list_employees', arguments: given } })).toMatchObject({ status: 400, json: { error: 'VALIDATION_FAILED', code: 400 } });
  expect(await product.send('POST', '/v1/mcp-gateway/registry/invoke', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_employees', arguments: given } } })).toMatchObject({ status: 400, json: { error: { code: -32602 } } });
});

it('a call without arguments is one, and reaches its target', async () => {
  expect(await product.call('heard', 'echo', undefined)).toMatchObject({ status: 200 });
  expect(heard.calls('echo')).toBe(1);
});
