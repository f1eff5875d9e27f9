/** Questions that a target has put to clients (`elicitations: "client"`, or no window): a client that does not answer holds a daemon no longer than a human could. */
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
afterEach(() => product.close());

const begin = async (window: boolean, over: object = {}): Promise<void> => {
  product = await startProduct({ window, servers: { daemon: { command: 'node', args: [worker('sample.mjs')], mode: 'linear', elicitations: 'client', ...over } } });
};
const call = (more: object = {}): Promise<Told> => answerOf(ask(product, 'tools/call', { name: 'ask', arguments: { params: FORM }, ...more }, { token: product.token, path: PATH, capabilities: { elicitation: { form: {} } } }));
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
