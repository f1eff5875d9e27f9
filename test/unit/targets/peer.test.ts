import { describe, expect, it, vi } from 'vitest';
import { createRpcPeer } from '../../../src/main/targets/rpc/peer.ts';
import type { Outbound, Ticket } from '../../../src/main/targets/rpc/wire.ts';
import type { Relay } from '../../../src/main/dispatch/ports.ts';

interface Sent {
  readonly text: string;
  readonly message: { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown; error?: { code: number } };
  readonly about: Outbound;
  left: boolean;
  abandoned: boolean;
}

/** A peer whose wire the test holds in its hands. */
function aPeer({ leaves = true, redelivers = true } = {}) {
  const sent: Sent[] = [];
  const notified: string[] = [];
  const peer = createRpcPeer({
    wire: {
      send(text, about): Ticket {
        const one: Sent = { text, message: JSON.parse(text) as Sent['message'], about, left: leaves, abandoned: false };
        sent.push(one);
        return { left: () => one.left, abandon: () => void (one.abandoned = true) };
      },
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    notified: (method) => notified.push(method),
    redelivers,
  });
  const request = (over: Partial<Parameters<typeof peer.request>[0]> = {}) => peer.request({ method: 'tools/call', paramsText: '{"name":"x"}', deadlineMs: 60_000, ...over });
  return { peer, sent, notified, request };
}
const relay = (over: Partial<Relay> = {}): Relay => ({ notify: () => undefined, ask: () => Promise.resolve({}), ...over });
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the conversation with a target', () => {
  it('sends params as they are, under ids of its own', () => {
    const { sent, request } = aPeer();
    void request({ paramsText: '{"z":1,"a":"\\u00e9"}' });
    void request();
    expect(sent.map(({ text }) => text)).toEqual(['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"z":1,"a":"\\u00e9"}}', '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}']);
  });

  it.each([
    ['that may deliver a message again never again', true, 1],
    ['where nothing comes twice again in the next call', false, 2],
  ])('puts a question once in a call, and over a wire %s', async (_, redelivers, times) => {
    const { peer, sent, request } = aPeer({ redelivers });
    const asked: string[] = [];
    const question = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } } };
    for (const id of [1, 2]) {
      const call = request({ relay: relay({ ask: (method) => (asked.push(method), Promise.resolve({ action: 'accept' })) }) });
      for (const time of [1, 2]) {
        expect(peer.receive(question), `${time}`).toBe(true);
        await soon();
      }
      peer.receive({ jsonrpc: '2.0', id, result: {} });
      await call;
    }
    expect(asked).toHaveLength(times);
    expect(sent.filter(({ message }) => message.id === 'q')).toHaveLength(times);
  });

  it('settles a request by its own answer alone, once', async () => {
    const { peer, request } = aPeer();
    const [one, two] = [request(), request()];
    expect(peer.receive({ jsonrpc: '2.0', id: 2, result: { n: 2 } })).toBe(true);
    expect(peer.receive({ jsonrpc: '2.0', id: 2, result: { n: 3 } })).toBe(false);
    expect(peer.receive({ jsonrpc: '2.0', id: '1', result: {} })).toBe(false);
    // What came on the stream of another request is no answer to this one.
    expect(peer.receive({ jsonrpc: '2.0', id: 1, result: {} }, 2)).toBe(false);
    expect(peer.receive({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no', data: { a: 1 } } }, 1)).toBe(true);
    expect(await Promise.all([one, two])).toEqual([{ kind: 'error', error: { code: -1, message: 'no', data: { a: 1 } } }, { kind: 'result', result: { n: 2 } }]);
    expect(peer.inFlight()).toBe(0);
  });

  it.each([null, 'text', [], {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', method: 'x', params: [] }, { method: 'x' }, { jsonrpc: '2.0', id: {}, method: 'x' }])('takes %j as noise', (message) => {
    const { peer, request } = aPeer();
    void request();
    expect(peer.receive(message)).toBe(false);
    expect(peer.inFlight()).toBe(1);
  });

  it('tells what had left from what had not, when the transport is gone', async () => {
    const { peer, sent, request } = aPeer();
    const [one, two] = [request(), request()];
    if (sent[1] !== undefined) sent[1].left = false;
    peer.end('it died');
    expect(await one).toEqual({ kind: 'lost', note: 'it died' });
    expect(await two).toEqual({ kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'it died' });
    expect(await request()).toMatchObject({ kind: 'fault', sent: false });
    expect(sent).toHaveLength(2);
  });

  it('gives up at the deadline and says so to the target, if anything had left', async () => {
    const { sent, request } = aPeer();
    expect(await request({ deadlineMs: 5 })).toMatchObject({ kind: 'lost' });
    expect(sent[1]?.message).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(sent[0]?.abandoned).toBe(true);

    const held = aPeer({ leaves: false });
    expect(await held.request({ deadlineMs: 5 })).toMatchObject({ kind: 'fault', sent: false });
    expect(held.sent).toHaveLength(1);
    expect(held.sent[0]?.abandoned).toBe(true);
  });

  it('never cancels the handshake', async () => {
    const { sent, request } = aPeer();
    await request({ method: 'initialize', deadlineMs: 5, cancellable: false });
    expect(sent).toHaveLength(1);
  });

  it('sends nothing for a caller who has cancelled already', async () => {
    const { sent, request } = aPeer();
    expect(await request({ signal: AbortSignal.abort() })).toMatchObject({ kind: 'fault', sent: false });
    expect(sent).toEqual([]);
  });

  it('answers an open question with a cancel when its call ends, and tells who was asked', async () => {
    const { peer, sent, request } = aPeer();
    const cancel = new AbortController();
    let signal: AbortSignal | undefined;
    const call = request({ signal: cancel.signal, relay: relay({ ask: (_method, _params, given) => ((signal = given), new Promise(() => undefined)) }) });
    peer.receive({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Go on?' } });
    cancel.abort();
    await call;
    expect(signal?.aborted).toBe(true);
    expect(sent.map(({ message }) => message.method ?? message.result)).toEqual(['tools/call', { action: 'cancel' }, 'notifications/cancelled']);
  });

  it('puts no question before a human that may belong to one of several calls', () => {
    const { peer, sent, request } = aPeer();
    const asked: string[] = [];
    const mine = (attests: boolean) => relay({ ask: (method) => (asked.push(method), new Promise(() => undefined)), ...(attests && { attests }) });
    void request({ relay: mine(true) });
    void request({ relay: mine(true) });
    peer.receive({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } } });
    peer.receive({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
    expect(sent.at(-1)?.message).toMatchObject({ id: 'q', error: { data: { code: 'question-unclear' } } });
    peer.receive({ jsonrpc: '2.0', id: 's', method: 'elicitation/create', params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } } }, 1);
    expect(asked).toEqual(['roots/list', 'elicitation/create']);
  });

  it('lets a target take its question back: no answer goes out', async () => {
    const { peer, sent, request } = aPeer();
    let answer: (value: Record<string, unknown>) => void = () => undefined;
    void request({ relay: relay({ ask: () => new Promise((resolve) => (answer = resolve)) }) });
    peer.receive({ jsonrpc: '2.0', id: 5, method: 'elicitation/create', params: { message: 'Go on?' } });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    answer({ action: 'accept' });
    await soon();
    expect(sent).toHaveLength(1);
  });

  it('answers ping by itself, and refuses a question nobody can be asked', () => {
    const { peer, sent } = aPeer();
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'ping' });
    peer.receive({ jsonrpc: '2.0', id: 2, method: 'roots/list' });
    expect(sent.map(({ message }) => message)).toMatchObject([{ id: 1, result: {} }, { id: 2, error: { code: -32601 } }]);
  });

  it('does not let a broken door reach the target with more than a fixed sentence', async () => {
    const { peer, sent, request } = aPeer();
    void request({ relay: relay({ ask: () => Promise.reject(new Error('secret inside')), notify: () => { throw new Error('broken'); } }) });
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' });
    expect(peer.receive({ jsonrpc: '2.0', method: 'notifications/message', params: {} })).toBe(true);
    await soon();
    expect(sent[1]?.message.error).toMatchObject({ code: -32603 });
    expect(sent[1]?.text).not.toContain('secret');
  });

  it('gives a target that tells of its progress the time again, where progress was asked for', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { peer, request } = aPeer();
      const told = request({ relay: relay({ progressToken: 'mine' }) });
      const silent = request();
      for (let progress = 1; progress < 4; progress += 1) {
        vi.advanceTimersByTime(50_000);
        for (const progressToken of [1, 2]) peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } });
      }
      expect(await silent).toMatchObject({ kind: 'lost' });
      peer.receive({ jsonrpc: '2.0', id: 1, result: { done: true } });
      expect(await told).toEqual({ kind: 'result', result: { done: true } });
    } finally {
      vi.useRealTimers();
    }
  });

  it('brings what belongs to no call to the session, and changes of lists always', () => {
    const { peer, notified, request } = aPeer();
    const told: string[] = [];
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message' });
    void request({ relay: relay({ notify: (method) => void told.push(method) }) });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message' });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message' }, 'aside');
    peer.receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } });
    expect(told).toEqual(['notifications/message']);
    expect(notified).toEqual(['notifications/message', 'notifications/message', 'notifications/tools/list_changed']);
  });
});
