import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ClientCapabilities, ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStrictStdio } from '../../../src/main/broker-server/strict-stdio.ts';
import { runBrokerOverStdio } from '../../../src/main/compose/broker.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { startFabricServer } from '../../support/fabric-server/server.ts';
import type { FabricServer } from '../../support/fabric-server/server.ts';
import { environment } from './stand.ts';

const SCRIPT = fileURLToPath(new URL('./broker-process.ts', import.meta.url));
const aws = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };

let server: FabricServer;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => void (server = await startFabricServer()));
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await server.close();
});

/** An SDK client of the broker, at the other end of its two streams. What it declares, and how its user answers, is the test's. */
async function aClient({ capabilities = { elicitation: {} }, answer, env = {}, asProcess = false }: { readonly asProcess?: boolean; readonly capabilities?: ClientCapabilities; readonly answer?: (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>; readonly env?: Readonly<Record<string, string>> } = {}) {
  const client = new Client({ name: 'an agent', version: '1' }, { capabilities });
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, answer);
  if (asProcess) await client.connect(new StdioClientTransport({ command: process.execPath, args: [SCRIPT], env: environment(server, env), stderr: 'ignore' }));
  else {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough().resume()];
    const ended = runBrokerOverStdio({ env: environment(server, env), stdin, stdout, stderr });
    await client.connect(createStrictStdio(stdout, stdin));
    closing.push(() => (stdin.end(), ended));
  }
  closing.push(() => client.close());
  const call = async (name: string, args: Readonly<Record<string, unknown>>, options: { readonly signal?: AbortSignal } = {}): Promise<Readonly<Record<string, unknown>>> =>
    ((await client.callTool({ name, arguments: args }, undefined, options)) as { readonly structuredContent: Readonly<Record<string, unknown>> }).structuredContent;
  return { client, call, token: async () => (await call('fabric_propose_change', aws))['confirm_token'] };
}

describe('the capability table, row by row, over stdio', () => {
  it.each<[string, Parameters<typeof aClient>[0], string, boolean]>([
    ['accept with confirm = true', { answer: () => ({ action: 'accept', content: { confirm: true } }) }, 'accepted', true],
    ['the same with a process of its own', { asProcess: true, answer: () => ({ action: 'accept', content: { confirm: true } }) }, 'accepted', true],
    ['form declared by name', { capabilities: { elicitation: { form: {} } }, answer: () => ({ action: 'accept', content: { confirm: true } }) }, 'accepted', true],
    ['decline', { answer: () => ({ action: 'decline' }) }, 'declined', false],
    ['accept with confirm = false', { answer: () => ({ action: 'accept', content: { confirm: false } }) }, 'declined', false],
    ['cancel', { answer: () => ({ action: 'cancel' }) }, 'cancelled', false],
    ['no answer in time', { answer: () => new Promise(() => undefined), env: { EQUINIX_MCP_ELICIT_TIMEOUT_MS: '200' } }, 'timed_out', false],
    ['a round trip that fails', { answer: () => Promise.reject(new Error('no screen')) }, 'failed', false],
    ['nothing declared', { capabilities: {} }, 'unsupported_by_client', false],
    ['only URLs declared', { capabilities: { elicitation: { url: {} } } }, 'unsupported_by_client', false],
    ['nothing declared, and the operator allows it', { capabilities: {}, env: { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' } }, 'unsupported_by_client', true],
    ['nothing declared, and the operator nearly allows it', { capabilities: {}, env: { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'TRUE' } }, 'unsupported_by_client', false],
  ])('%s', async (_, options, status, executed) => {
    const { call, token } = await aClient(options);
    const told = await call('fabric_confirm_change', { confirm_token: await token() });
    expect(told).toMatchObject({ executed, human_confirmation: { status }, confirm_checks: { proposal_exists: true, not_evicted: true, not_expired: true, not_previously_used: true, request_matches_binding: true }, token_state: 'consumed' });
    expect(server.created).toHaveLength(executed ? 1 : 0);
  });

  it('the client cancels the call while its user thinks: nothing is sent, and the question is taken back', async () => {
    const cancel = new AbortController();
    const { call, token } = await aClient({ answer: () => { cancel.abort(); return new Promise(() => undefined); } });
    const confirm_token = await token();
    await expect(call('fabric_confirm_change', { confirm_token }, { signal: cancel.signal })).rejects.toThrow();
    expect(await call('fabric_confirm_change', { confirm_token })).toMatchObject({ error: { code: 'proposal-replayed' } });
    expect(server.of('create')).toEqual([]);
  });
});

describe('the question', () => {
  it('holds every field and the hash, no secret, and nothing that is only for our own window', async () => {
    const asked: ElicitRequest[] = [];
    const { call, token } = await aClient({ answer: (request) => { asked.push(request); return { action: 'decline' }; } });
    await call('fabric_confirm_change', { confirm_token: await token() });
    const { params } = asked[0]!;
    expect(params.message).toContain('Request SHA-256: ');
    expect(params.message).toContain('zSide.accessPoint.sellerRegion = "us-east-1"');
    expect(JSON.stringify(asked)).not.toContain('pair-4711-key');
    expect(params._meta?.['countersign/change']).toBeUndefined();
  });
});

describe('the process', () => {
  /** The raw process, for what no good client sends. */
  function aProcess(env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [SCRIPT], { env: { ...process.env, ...environment(server, env) }, stdio: ['pipe', 'pipe', 'pipe'] });
    closing.push(() => (child.exitCode === null && child.signalCode === null ? (child.kill('SIGKILL'), once(child, 'exit')) : Promise.resolve()));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    return { child, errors: () => errors, write: (...messages: (object | string)[]) => child.stdin.write(messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')), read: async () => JSON.parse((await lines.next()).value as string) as Record<string, unknown> };
  }
  const hello = (capabilities: object = {}) => [{ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'raw', version: '1' } } }, { method: 'notifications/initialized' }] as const;

  it('reads strictly: what readers disagree about never becomes a specification', async () => {
    const { write, read } = aProcess();
    write(...hello());
    await read();
    for (const line of [
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fabric_propose_change","arguments":{"change_type":"network_create","spec":{"name":"a","name":"b"}}}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fabric_propose_change","arguments":{"change_type":"network_create","spec":{"x":9007199254740993}}}}',
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","arguments":{"__proto__":{}}}}',
      'nonsense',
    ]) {
      write(line);
      expect(await read()).toMatchObject({ id: null, error: { code: -32700 } });
    }
    write('[]');
    expect(await read()).toMatchObject({ error: { code: -32600 } });
    expect(server.received).toEqual([]);
  });

  it('keeps two requests of one id apart: the second is refused while the first is under way, and the first can still be cancelled', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const transport = createStrictStdio(stdin, stdout);
    const taken: unknown[] = [];
    transport.onmessage = (message) => void taken.push(message);
    await transport.start();
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    const read = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
    const ask = (id: string | number, method = 'tools/call'): boolean => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })}\n`);
    ask(7);
    ask(7);
    expect(await read()).toMatchObject({ id: null, error: { code: -32600, message: expect.stringContaining('still under way') as string } });
    ask('7');
    expect(taken).toMatchObject([{ id: 7 }, { id: '7' }]);
    await transport.send({ jsonrpc: '2.0', id: 7, result: {} });
    expect(await read()).toMatchObject({ id: 7 });
    ask(7, 'ping');
    await expect.poll(() => taken).toMatchObject([{ id: 7 }, { id: '7' }, { id: 7, method: 'ping' }]);
    await transport.close();
  });

  it('hears a cancellation that comes in with the call before it starts, and then consumes nothing', async () => {
    const { write, read } = aProcess({ EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' });
    write(...hello());
    await read();
    write({ id: 2, method: 'tools/call', params: { name: 'fabric_propose_change', arguments: aws } });
    const { confirm_token } = ((await read())['result'] as { readonly structuredContent: Record<string, unknown> }).structuredContent;
    const confirm = (id: number) => ({ id, method: 'tools/call', params: { name: 'fabric_confirm_change', arguments: { confirm_token } } });
    write(confirm(0), { method: 'notifications/cancelled', params: { requestId: 0 } });
    expect(await read()).toMatchObject({ id: 0, result: { structuredContent: { token_state: 'not_consumed', human_confirmation: { status: 'call_cancelled' } } } });
    write(confirm(4));
    expect(await read()).toMatchObject({ id: 4, result: { structuredContent: { executed: true } } });
    expect(server.created).toHaveLength(1);
  });

  it('says that a create was executed although the call was cancelled after it had left', async () => {
    let answer: (value: unknown) => void = () => undefined;
    server.next('create', { kind: 'slow', until: new Promise((resolve) => (answer = resolve)) });
    const { write, read } = aProcess({ EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' });
    write(...hello());
    await read();
    write({ id: 2, method: 'tools/call', params: { name: 'fabric_propose_change', arguments: aws } });
    const { confirm_token } = ((await read())['result'] as { readonly structuredContent: Record<string, unknown> }).structuredContent;
    write({ id: 3, method: 'tools/call', params: { name: 'fabric_confirm_change', arguments: { confirm_token } } });
    await server.seen('create');
    write({ method: 'notifications/cancelled', params: { requestId: 3 } }, { id: 4, method: 'ping' });
    expect(await read()).toMatchObject({ id: 4 });
    answer(undefined);
    expect(await read()).toMatchObject({ id: 3, result: { structuredContent: { executed: true, call_cancelled_after_send: true } } });
  });

  it('sends nothing when its client goes away while the user thinks, and ends', async () => {
    const { child, write, read } = aProcess();
    write(...hello({ elicitation: {} }));
    await read();
    write({ id: 2, method: 'tools/call', params: { name: 'fabric_propose_change', arguments: aws } });
    const { confirm_token } = ((await read())['result'] as { readonly structuredContent: Record<string, unknown> }).structuredContent;
    write({ id: 3, method: 'tools/call', params: { name: 'fabric_confirm_change', arguments: { confirm_token } } });
    expect(await read()).toMatchObject({ method: 'elicitation/create' });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(server.of('create')).toEqual([]);
  });

  it('does not start with an endpoint that is none, and says so', async () => {
    const { child, errors } = aProcess({ EQUINIX_API_ENDPOINT: 'http://fabric.example' });
    expect(await once(child, 'exit')).toEqual([2, null]);
    expect(errors()).toContain('EQUINIX_API_ENDPOINT');
  });

  it('keeps its secrets out of its log', async () => {
    const { child, write, read, errors } = aProcess();
    write(...hello());
    await read();
    write({ id: 2, method: 'tools/call', params: { name: 'fabric_propose_change', arguments: aws } });
    await read();
    child.stdin.end();
    await once(child, 'exit');
    expect(errors()).toContain('broker.proposal.minted');
    for (const secret of ['pair-4711-key', server.credentials.secretKey, 'lab-token']) expect(errors()).not.toContain(secret);
  });
});
