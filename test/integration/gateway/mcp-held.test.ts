import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { HandleState } from '../../../src/main/approvals/index.ts';
import { refusals, type RefusalCode } from '../../../src/shared/refusals.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { messages, nextMessage, openSession, speak } from './mcp-client.ts';
import { call, executed, openStand, type Stand, type StandOptions } from './stand.ts';

let stand: Stand;
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await stand.close();
});

/** A stand on which every call is trapped, and an official client of it. */
async function trapping(options: StandOptions = {}): Promise<Client> {
  stand = await openStand(options);
  stand.play.submit = (submission) => stand.park(submission);
  return connect();
}

async function connect(path = '/mcp'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(stand.url + path), { requestInit: { headers: { authorization: 'Bearer token-alpha' } } }));
  clients.push(client);
  return client;
}

const parkedIds = (): HandleId[] => [...stand.handles.keys()];
async function oneParked(): Promise<HandleId> {
  await expect.poll(() => parkedIds().length).toBe(1);
  return parkedIds()[0]!;
}
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]!.text;
const drop = { name: 'fs__drop', arguments: { sql: 'DROP' } };

describe('a trapped tool call', () => {
  it('is held until it is approved and run, and then answered with the target’s result, once', async () => {
    const client = await trapping();
    const asked = client.callTool(drop);
    const id = await oneParked();
    stand.settle(id, { status: 'executing', approvedAt: 1, dispatchedAt: 2 });
    stand.settle(id, executed({ content: [{ type: 'text', text: 'gone' }], odd: 1 }));
    expect(await asked).toEqual({ content: [{ type: 'text', text: 'gone' }], odd: 1 });
    await expect.poll(() => stand.seen.fetched).toEqual([id]);
  });

  it('is answered when its client’s patience is over: not executed, with the handle, and without structured content', async () => {
    const client = await trapping({ patienceMs: 80 });
    const result = await client.callTool(drop);
    const id = await oneParked();
    const handle = stand.handles.get(id)!;
    expect(result).toEqual({
      content: [{ type: 'text', text: expect.stringMatching(/^NOT EXECUTED/) as string }],
      isError: true,
      _meta: { 'countersign/pending': { handle: id, payload_hash: handle.request.hash, expires_at: new Date(handle.parkedAt.wall + 600_000).toISOString() } },
    });
    expect(textOf(result)).toContain(id);
    expect(textOf(result)).toContain('repeat the same call');
    expect(stand.seen.fetched).toEqual([]);
    // The same call joins the same handle and gets its result.
    const again = client.callTool(drop);
    stand.settle(id, executed({ content: [] }));
    expect(await again).toEqual({ content: [] });
    expect(parkedIds()).toEqual([id]);
  });

  it('that is running when patience is over is not called unexecuted', async () => {
    const client = await trapping({ patienceMs: 80 });
    stand.play.submit = (submission) => {
      const parked = stand.park(submission);
      return { ...parked, handle: stand.settle(parked.handle.id, { status: 'executing', approvedAt: 1, dispatchedAt: 2 }) };
    };
    const result = await client.callTool(drop);
    expect(textOf(result)).not.toContain('NOT EXECUTED');
    expect(textOf(result)).toMatch(/approved and is running.*repeat the same call/s);
  });

  const ends: readonly [HandleState, RefusalCode, RegExp][] = [
    [{ status: 'declined', settledAt: 1, reason: 'wrong table' }, 'declined', /declined.*not executed.*"wrong table"/is],
    [{ status: 'declined', settledAt: 1, reason: null }, 'declined', /declined.*not executed/is],
    [{ status: 'expired', settledAt: 1 }, 'expired', /expired.*not executed/is],
    [{ status: 'withdrawn', settledAt: 1 }, 'withdrawn', /withdrawn.*not executed/is],
    [{ status: 'revision-withdrawn', settledAt: 1 }, 'revision-withdrawn', /not executed.*list the tools again/is],
    [{ status: 'stale', settledAt: 1 }, 'stale', /not executed.*list the tools again/is],
    [{ status: 'upstream-fault', settledAt: 1, code: 'upstream-unauthorized', answer: null }, 'upstream-unauthorized', /credentials/],
    [{ status: 'unknown', settledAt: 1 }, 'unknown', /may have executed.*do not repeat/is],
  ];
  it.each(ends)('that ends as %j is told so in a tool error', async (state, code, words) => {
    const client = await trapping();
    const asked = client.callTool(drop);
    const id = await oneParked();
    stand.settle(id, state);
    const result = await asked;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(words);
    expect(textOf(result)).toContain(refusals[code].sentence);
    expect(result._meta).toMatchObject({ 'countersign/refusal': { code, handle: id } });
    expect(result).not.toHaveProperty('structuredContent');
    await expect.poll(() => stand.seen.fetched).toEqual([id]);
  });

  it('that the target answers with a JSON-RPC error passes that error on unchanged', async () => {
    const client = await trapping();
    const asked = client.callTool(drop);
    stand.settle(await oneParked(), { status: 'upstream-fault', settledAt: 1, code: 'upstream-fault', answer: '{"error":{"code":-32042,"message":"open this","data":{"elicitations":[{"url":"x"}]}}}' });
    await expect(asked).rejects.toMatchObject({ code: -32042, message: 'MCP error -32042: open this', data: { elicitations: [{ url: 'x' }] } });
  });

  it('shows signs of life, and progress to a client that wants it, going up', async () => {
    await trapping({ limits: { heartbeatMs: 30 } });
    const session = await openSession(stand);
    const response = await speak(stand, call(1, 'fs__drop', {}, { progressToken: 'p' }), { session });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const seen: number[] = [];
    let alive = 0;
    for await (const message of messages(response)) {
      if (typeof message === 'string') alive += 1;
      else if (message.method === 'notifications/progress') {
        expect(message.params.progressToken).toBe('p');
        seen.push(message.params.progress as number);
        if (seen.length === 3) stand.settle(await oneParked(), executed({ content: [] }));
      } else expect(message).toMatchObject({ id: 1, result: { content: [] } });
    }
    expect(alive).toBeGreaterThanOrEqual(2);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('that was approved is said to run, and no longer to wait, while it runs; its target’s progress goes up from there', async () => {
    await trapping({ limits: { heartbeatMs: 20 } });
    const session = await openSession(stand);
    const response = await speak(stand, call(1, 'fs__drop', {}, { progressToken: 'p' }), { session });
    const told: { progress: number; message?: string }[] = [];
    let alive = 0;
    for await (const message of messages(response)) {
      // Signs of life go on after the target has spoken; two of them without progress of our own are enough.
      if (typeof message === 'string' && told.length === 4 && (alive += 1) === 2) stand.settle(await oneParked(), executed({ content: [] }));
      if (message.method !== 'notifications/progress') continue;
      told.push(message.params as (typeof told)[number]);
      if (told.length === 1) stand.settle(await oneParked(), { status: 'executing', approvedAt: 1, dispatchedAt: 1 });
      if (told.length === 3) for (const progress of [0, 7]) stand.seen.submissions[0]?.relay?.notify?.('notifications/progress', { progressToken: 'p', progress });
    }
    expect(told.map(({ message }) => message?.split(' ')[0])).toEqual(['Waiting', 'Decided', 'Decided', undefined]);
    expect(told.map(({ progress }) => progress)).toEqual([0.001, 0.002, 0.003, 7]);
  });

  it('is withdrawn when its client cancels it, and answered with nothing', async () => {
    const client = await trapping();
    const cancelling = new AbortController();
    const asked = client.callTool(drop, undefined, { signal: cancelling.signal });
    const id = await oneParked();
    cancelling.abort('changed my mind');
    await expect(asked).rejects.toThrow(/changed my mind/);
    await expect.poll(() => stand.handles.get(id)?.state.status).toBe('withdrawn');
  });

  it('can be cancelled under the id 0, and while it is still being judged', async () => {
    await trapping();
    const session = await openSession(stand);
    let judge: () => void = () => undefined;
    stand.play.submit = (submission) => new Promise((resolve) => (judge = () => resolve(stand.park(submission))));
    const response = speak(stand, call(0, 'fs__drop'), { session });
    await expect.poll(() => stand.seen.submissions.length).toBe(1);
    await speak(stand, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }, { session });
    expect(stand.seen.submissions[0]?.signal?.aborted).toBe(true);
    expect(await nextMessage(messages(await response))).toBeUndefined();
    judge();
    await expect.poll(() => stand.handles.get(parkedIds()[0]!)?.state.status).toBe('withdrawn');
  });

  it('stays parked when its client merely disconnects, or ends its session', async () => {
    await trapping();
    const session = await openSession(stand);
    const leaving = new AbortController();
    await speak(stand, call(1, 'fs__drop'), { session, signal: leaving.signal });
    leaving.abort();
    await speak(stand, call(2, 'fs__drop', { other: 1 }), { session });
    await fetch(`${stand.url}/mcp`, { method: 'DELETE', headers: { authorization: 'Bearer token-alpha', 'mcp-session-id': session } });
    await openSession(stand);
    expect([...stand.handles.values()].map(({ state }) => state.status)).toEqual(['parked', 'parked']);
    expect(stand.seen.withdrawn).toEqual([]);
  });

  it('is not taken as fetched when nobody was there to be told', async () => {
    await trapping();
    const session = await openSession(stand);
    const leaving = new AbortController();
    const response = await speak(stand, call(1, 'fs__drop'), { session, signal: leaving.signal });
    const stream = messages(response);
    await stream.next();
    const id = await oneParked();
    leaving.abort();
    await expect(stream.next()).rejects.toThrow();
    await expect.poll(() => stand.waiting(id)).toBe(0);
    stand.settle(id, executed({ content: [] }));
    await openSession(stand);
    expect(stand.seen.fetched).toEqual([]);
  });

  it('is held for a client whose patience is longer than any timer', async () => {
    const client = await trapping({ patienceMs: 2 ** 40 });
    const asked = client.callTool(drop);
    stand.settle(await oneParked(), executed({ content: [] }));
    expect(await asked).toEqual({ content: [] });
  });

  it('is told at once that it waits when the gateway stops', async () => {
    const client = await trapping();
    const asked = client.callTool(drop);
    await oneParked();
    const began = performance.now();
    const closed = stand.gateway.close(5_000);
    expect(textOf(await asked)).toMatch(/^NOT EXECUTED/);
    await closed;
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('is held for a client that takes JSON only, too', async () => {
    await trapping({ patienceMs: 80 });
    const session = await openSession(stand);
    const response = await speak(stand, call(1, 'fs__drop'), { session, accept: 'application/json' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.text()).toContain('NOT EXECUTED');
  });

  it('is never answered with a 202, and no argument approves it', async () => {
    await trapping({ patienceMs: 50 });
    const session = await openSession(stand);
    const first = await speak(stand, call(1, 'fs__drop', { approved: true, totp: '123456' }, { inputResponses: { jsonrpc: '2.0', id: 'x', result: { value: '123456' } } }), { session });
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('NOT EXECUTED');
    expect(stand.seen.resumptions).toEqual([]);
  });
});

describe('other trapped requests', () => {
  it.each([['resources/read', { uri: 'countersign+fs:file:///a' }], ['prompts/get', { name: 'fs__p' }]])('%s is held alike and then refused as pending', async (method, params) => {
    const client = await trapping({ patienceMs: 60 });
    const asked = method === 'prompts/get' ? client.getPrompt(params as { name: string }) : client.readResource(params as { uri: string });
    await expect(asked).rejects.toMatchObject({ code: refusals['pending-approval'].number, data: { code: 'pending-approval', handle: expect.stringMatching(/^txn_/) as string } });
  });

  it('resources/read is answered with what the target said once it was approved, under the URI the client asked for', async () => {
    const client = await trapping();
    const asked = client.readResource({ uri: 'countersign+fs:file:///a' });
    stand.settle(await oneParked(), executed({ contents: [{ uri: 'file:///a', text: 'x' }] }));
    expect(await asked).toEqual({ contents: [{ uri: 'countersign+fs:file:///a', text: 'x' }] });
  });

  it('resources/read that was declined is a JSON-RPC error with the reason', async () => {
    const client = await trapping();
    const asked = client.readResource({ uri: 'countersign+fs:file:///a' });
    stand.settle(await oneParked(), { status: 'declined', settledAt: 1, reason: 'no' });
    await expect(asked).rejects.toMatchObject({ code: refusals.declined.number, data: { code: 'declined', reason: 'no' } });
  });
});

describe('a passing call that fails', () => {
  const faults: readonly [Answer, RefusalCode][] = [
    [{ kind: 'fault', code: 'upstream-unauthorized', sent: true, note: 'secret detail' }, 'upstream-unauthorized'],
    [{ kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'secret detail' }, 'upstream-unreachable'],
    [{ kind: 'lost', note: 'secret detail' }, 'unknown'],
  ];
  it.each(faults)('by %j is a tool error for its agent', async (answer, code) => {
    const client = await trapping();
    stand.play.submit = () => ({ kind: 'answered', answer, replay: false });
    const result = await client.callTool(drop);
    expect(result).toMatchObject({ isError: true, _meta: { 'countersign/refusal': { code } } });
    expect(JSON.stringify(result)).not.toContain('secret detail');
  });

  it.each(['too-many-pending', 'too-large-to-review', 'store-unavailable', 'paused', 'target-closed'] as const)('refused as %s is a tool error, and a JSON-RPC error on other methods', async (code) => {
    const client = await trapping();
    stand.play.submit = () => ({ kind: 'refused', code });
    expect(await client.callTool(drop)).toMatchObject({ isError: true, _meta: { 'countersign/refusal': { code, next: refusals[code].next } } });
    await expect(client.getPrompt({ name: 'fs__p' })).rejects.toMatchObject({ code: refusals[code].number, data: { code } });
  });

  it('with the target’s own error passes it on without another prefix', async () => {
    const client = await trapping();
    stand.play.submit = () => ({ kind: 'answered', replay: false, answer: { kind: 'error', error: { code: -32602, message: 'bad', data: { a: 1 } } } });
    await expect(client.callTool(drop)).rejects.toMatchObject({ message: 'MCP error -32602: bad', data: { a: 1 } });
  });

  it('by a bug inside is an internal error that says nothing of it', async () => {
    const client = await trapping();
    stand.play.submit = () => Promise.reject(new Error('SELECT secret'));
    await expect(client.callTool(drop)).rejects.toMatchObject({ code: -32603, message: expect.not.stringContaining('secret') as string });
    expect(stand.seen.log.join('')).toContain('mcp.fault');
  });
});

describe('countersign__pending', () => {
  it('lists the caller’s own waiting calls and nobody else’s', async () => {
    const client = await trapping({ patienceMs: 50 });
    await client.listTools();
    await client.callTool(drop);
    const others = await openSession(stand, { token: 'token-beta' });
    const { structuredContent } = await client.callTool({ name: 'countersign__pending', arguments: {} });
    const [id] = parkedIds();
    expect(structuredContent).toEqual({
      pending: [{ handle: id, name: 'fs__drop', target: 'fs', method: 'tools/call', state: 'PENDING', status: 'parked', payload_hash: stand.handles.get(id!)!.request.hash, expires_at: expect.any(String) as string }],
    });
    const response = await speak(stand, call(1, 'countersign__pending', {}), { session: others, token: 'token-beta' });
    expect(((await response.json()) as { result: { structuredContent: unknown } }).result.structuredContent).toEqual({ pending: [] });
    expect(stand.seen.submissions.length).toBe(1);
  });

  it('is not there on the endpoint of one target', async () => {
    await trapping();
    const path = '/v1/mcp-gateway/fs/mcp';
    stand.play.submit = stand.pass;
    await speak(stand, call(1, 'countersign__pending', {}), { session: await openSession(stand, { path }), path });
    expect(stand.seen.submissions[0]?.call).toMatchObject({ target: 'fs', params: { name: 'countersign__pending' } });
  });
});
