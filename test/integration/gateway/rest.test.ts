import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HandleState } from '../../../src/main/approvals/index.ts';
import type { Submitted } from '../../../src/main/dispatch/index.ts';
import { refusals, type RefusalCode } from '../../../src/shared/refusals.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { call, executed, listed, openStand, tool, type Stand } from './stand.ts';

let stand: Stand;
beforeEach(async () => {
  stand = await openStand({ targets: { 'prod-db': { lists: { 'tools/list': listed('tools', [tool('run_sql')]) } } } });
});
afterEach(() => stand.close());

const INVOKE = '/v1/mcp-gateway/prod-db/invoke';
const post = (body: unknown, headers: Record<string, string> = {}, token = 'token-alpha') => stand.send(INVOKE, { body, headers, token });
const key = (name: string) => ({ 'x-idempotency-key': name });
const handleOf = (location: string | null): HandleId => (location ?? '').slice('/v1/mcp-gateway/handles/'.length) as HandleId;

/** Parks a call and gives its handle's id. */
async function parked(mode: 'button' | 'totp' = 'button'): Promise<HandleId> {
  stand.play.submit = (submission) => stand.park(submission, mode);
  return handleOf((await post(call(1), key('k'))).headers.get('location'));
}

describe('a call that passes', () => {
  it('is answered with the result under the caller’s id, 200 and its key', async () => {
    const answer = await post(call('seven', 'echo', { text: 'hi' }), key('k-1'));
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ jsonrpc: '2.0', id: 'seven', result: { content: [{ type: 'text', text: '{"name":"echo","arguments":{"text":"hi"}}' }] } });
    expect(answer.headers.get('x-idempotency-key')).toBe('k-1');
    expect(answer.headers.get('x-idempotent-replay')).toBeNull();
    expect(stand.seen.submissions[0]).toMatchObject({ door: 'rest', key: 'k-1', session: 'rest:alpha', call: { client: 'alpha', target: 'prod-db', method: 'tools/call' } });
  });

  it('gets a key when it brings none, and only tools/call claims keys', async () => {
    const made = (await post(call(1))).headers.get('x-idempotency-key');
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
    expect(stand.seen.submissions[0]?.key).toBe(made);
    const read = await post({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'a:b' } }, key('k'));
    expect(read.headers.get('x-idempotency-key')).toBe('k');
    expect(stand.seen.submissions[1]?.key).toBeUndefined();
  });

  it('is marked when it replays a stored answer', async () => {
    stand.play.submit = (submission) => ({ ...stand.pass(submission), replay: true }) as Submitted;
    expect((await post(call(1), key('k'))).headers.get('x-idempotent-replay')).toBe('true');
  });

  it.each(['', 'with space', 'tab\there', 'ü', 'x'.repeat(256), 'a, b'])('refuses the key %j', async (bad) => {
    const answer = await post(call(1), { 'x-idempotency-key': encodeURI(bad) === bad ? bad : Buffer.from(bad).toString('latin1') });
    expect([answer.status, answer.json.error.data.code]).toEqual([400, 'invalid-idempotency-key']);
    expect(stand.seen.submissions).toEqual([]);
  });

  it('takes a key of 255 characters', async () => {
    expect((await post(call(1), key('~'.repeat(255)))).status).toBe(200);
  });

  it('lists from the directory, pings, and serves nothing that belongs to a session', async () => {
    const list = await post({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
    expect(list.json).toEqual({ jsonrpc: '2.0', id: 3, result: { tools: [tool('run_sql')] } });
    expect((await post({ jsonrpc: '2.0', id: 4, method: 'ping' })).json).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
    const initialize = await post({ jsonrpc: '2.0', id: 5, method: 'initialize', params: {} });
    expect([initialize.status, initialize.json.id, initialize.json.error.code]).toEqual([404, 5, -32601]);
    expect(stand.seen.submissions).toEqual([]);
  });

  it('goes to no target that is not there', async () => {
    const answer = await stand.send('/v1/mcp-gateway/nowhere/invoke', { body: { jsonrpc: '2.0', id: 9, method: 'tools/list' } });
    expect([answer.status, answer.json.id, answer.json.error.data.code]).toEqual([404, 9, 'unknown-target']);
  });
});

describe('a call that is parked', () => {
  it('yields exactly the documented frame, members in order', async () => {
    stand.play.submit = (submission) => stand.park(submission, 'totp');
    const answer = await post(call(777), key('k'));
    const id = handleOf(answer.headers.get('location'));
    const handle = stand.handles.get(id)!;
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/v1/mcp-gateway/handles/${id}`);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.headers.get('x-idempotency-key')).toBe('k');
    expect(answer.text).toBe(
      JSON.stringify({
        jsonrpc: '2.0',
        id: `prompt_${id}`,
        method: 'elicitation/createMessage',
        params: {
          message: "[Pre-flight Guard] High-risk pattern 'DROP' detected on 'prod-db'. Enter TOTP:",
          payload_hash: handle.request.hash,
          require_totp: true,
          handle: id,
          state: 'PENDING',
          executed: false,
          expires_at: new Date(handle.parkedAt.wall + 600_000).toISOString(),
        },
      }),
    );
    expect(answer.text).not.toContain('TABLE');
  });

  it('says in button mode where to approve', async () => {
    stand.play.submit = (submission) => stand.park(submission, 'button');
    const { params } = (await post(call(1))).json;
    expect(params.message).toBe("[Pre-flight Guard] High-risk pattern 'DROP' detected on 'prod-db'. Approve in Countersign.");
    expect(params.require_totp).toBe(false);
  });

  it('still yields while it runs', async () => {
    const id = await parked();
    stand.settle(id, { status: 'executing', approvedAt: 1, dispatchedAt: 2 });
    const answer = await post(call(1), key('k'));
    expect([answer.status, answer.json.params.state, answer.json.params.executed]).toEqual([202, 'PENDING', false]);
  });

  it('once executed is answered with the stored result under the new caller’s id, as a replay, and noted as fetched', async () => {
    const id = await parked();
    stand.settle(id, executed({ content: [], extra: { kept: true } }));
    const answer = await post(call('later'), key('k'));
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ jsonrpc: '2.0', id: 'later', result: { content: [], extra: { kept: true } } });
    expect(answer.headers.get('x-idempotent-replay')).toBe('true');
    expect(stand.seen.fetched).toEqual([id]);
  });

  const ends: readonly [HandleState, number, RefusalCode][] = [
    [{ status: 'declined', settledAt: 1, reason: 'not today' }, 403, 'declined'],
    [{ status: 'expired', settledAt: 1 }, 410, 'expired'],
    [{ status: 'withdrawn', settledAt: 1 }, 410, 'withdrawn'],
    [{ status: 'revision-withdrawn', settledAt: 1 }, 409, 'revision-withdrawn'],
    [{ status: 'stale', settledAt: 1 }, 409, 'stale'],
    [{ status: 'upstream-fault', settledAt: 1, code: 'upstream-unauthorized', answer: null }, 502, 'upstream-unauthorized'],
    [{ status: 'upstream-fault', settledAt: 1, code: 'of another version', answer: null }, 502, 'upstream-fault'],
    [{ status: 'unknown', settledAt: 1 }, 504, 'unknown'],
  ];
  it.each(ends)('that ended as %j is told as %i', async (state, status, code) => {
    const id = await parked();
    stand.settle(id, state);
    for (const answer of [await post(call(5), key('k')), await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'GET' })]) {
      expect(answer.status).toBe(status);
      expect(answer.json.error).toMatchObject({ code: refusals[code].number, message: refusals[code].sentence, data: { code, handle: id, state: 'FAULTED', next: refusals[code].next } });
      expect(answer.json.error.data.reason).toBe(state.status === 'declined' ? 'not today' : undefined);
    }
    expect(stand.seen.fetched).toEqual([id, id]);
  });

  it('that the target answered with an error carries that error whole, as a replay', async () => {
    const error = { code: -32050, message: 'no such table', data: { hint: 'x' } };
    const id = await parked();
    stand.settle(id, { status: 'upstream-fault', settledAt: 1, code: 'upstream-fault', answer: JSON.stringify({ error }) });
    const answer = await post(call(5), key('k'));
    expect(answer.status).toBe(502);
    expect(answer.json).toEqual({ jsonrpc: '2.0', id: 5, error: { code: -32050, message: 'no such table', data: { code: 'upstream-fault', handle: id, state: 'FAULTED', next: refusals['upstream-fault'].next, upstream: error } } });
    expect(answer.headers.get('x-idempotent-replay')).toBe('true');
  });
});

describe('what a target says to a passing call', () => {
  const answers: readonly [Answer, number, RefusalCode][] = [
    [{ kind: 'fault', code: 'upstream-unauthorized', sent: true, note: 'secret detail' }, 502, 'upstream-unauthorized'],
    [{ kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'secret detail' }, 502, 'upstream-unreachable'],
    [{ kind: 'fault', code: 'upstream-timeout', sent: false, note: 'secret detail' }, 504, 'upstream-timeout'],
    [{ kind: 'fault', code: 'upstream-fault', sent: true, note: 'secret detail' }, 502, 'upstream-fault'],
    [{ kind: 'fault', code: 'upstream-too-large', sent: true, note: 'secret detail' }, 502, 'upstream-too-large'],
    [{ kind: 'error', error: { code: -32602, message: 'bad arguments' } }, 502, 'upstream-fault'],
    [{ kind: 'lost', note: 'secret detail' }, 504, 'unknown'],
  ];
  it.each(answers)('%j is %i', async (answer, status, code) => {
    stand.play.submit = () => ({ kind: 'answered', answer, replay: false });
    const told = await post(call('x'));
    expect([told.status, told.json.id, told.json.error.data.code]).toEqual([status, 'x', code]);
    expect(told.text).not.toContain('secret detail');
    if (answer.kind === 'error') expect(told.json.error).toMatchObject({ code: -32602, message: 'bad arguments', data: { upstream: answer.error } });
  });
});

describe('what dispatch refuses', () => {
  const codes: readonly [RefusalCode, number][] = [
    ['idempotency-key-reused', 422], ['too-large-to-review', 413], ['too-many-pending', 429], ['store-unavailable', 503], ['paused', 503], ['target-closed', 503], ['unknown-target', 404],
  ];
  it.each(codes)('%s is %i, under the caller’s id and with what to do next', async (code, status) => {
    stand.play.submit = () => ({ kind: 'refused', code });
    const answer = await post(call('mine'), key('k'));
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ jsonrpc: '2.0', id: 'mine', error: { code: refusals[code].number, message: refusals[code].sentence, data: { code, next: refusals[code].next } } });
    expect(answer.headers.get('retry-after') !== null).toBe(status === 429 || status === 503);
  });

  it('a bug inside becomes a 500 that says nothing of it', async () => {
    stand.play.submit = () => Promise.reject(new Error('SELECT secret'));
    const answer = await post(call(1));
    expect([answer.status, answer.json.error.data.code]).toEqual([500, 'internal']);
    expect(answer.text).not.toContain('secret');
    expect(stand.seen.log.join('')).toContain('gateway.fault');
  });
});

describe('the in-band resume', () => {
  const withCode = (id: string, value: unknown = '482910') => call(778, 'run_sql', { sql: 'DROP TABLE t' }, { inputResponses: { jsonrpc: '2.0', id: `prompt_${id}`, result: { value: value as string } } });

  it('hands over prompt and code apart from the payload, waits for the result, and answers it as no replay', async () => {
    const id = await parked('totp');
    stand.play.resume = ({ submission }) => {
      const joined = stand.park(submission, 'totp');
      return { ...joined, joined: false, handle: stand.settle(joined.handle.id, executed({ content: [] })) };
    };
    const answer = await post(withCode(id), key('k'));
    expect([answer.status, answer.json, answer.headers.get('x-idempotent-replay')]).toEqual([200, { jsonrpc: '2.0', id: 778, result: { content: [] } }, null]);
    const [resumption] = stand.seen.resumptions;
    expect(resumption).toMatchObject({ promptId: `prompt_${id}`, value: '482910', submission: { key: 'k', call: { params: { name: 'run_sql', arguments: { sql: 'DROP TABLE t' } } } } });
    expect(JSON.stringify(resumption?.submission)).not.toContain('482910');
  });

  it('keeps the rest of _meta', async () => {
    const body = call(1, 'run_sql', {}, { 'toolplane.resourceDigest': 'sha256:x', inputResponses: { jsonrpc: '2.0', id: 'prompt_x', result: { value: '1' } } });
    await post(body);
    expect(stand.seen.resumptions[0]?.submission.call.params).toEqual({ name: 'run_sql', arguments: {}, _meta: { 'toolplane.resourceDigest': 'sha256:x' } });
  });

  const judged: readonly [RefusalCode, number, Record<string, number>][] = [
    ['handle-not-found', 404, {}], ['window-only', 403, {}], ['totp-not-enrolled', 403, {}], ['prompt-mismatch', 409, {}], ['payload-mismatch', 422, {}],
    ['totp-locked', 423, { retry_after_s: 60 }], ['wrong-code', 401, { attempts_left: 4 }], ['code-used', 401, {}],
  ];
  it.each(judged)('%s is told as %i', async (code, status, details) => {
    const id = await parked('totp');
    stand.play.resume = () => ({ kind: 'refused', code, handle: id, details });
    const answer = await post(withCode(id), key('k'));
    expect(answer.status).toBe(status);
    expect(answer.json.error.data).toEqual({ code, handle: id, next: refusals[code].next, ...details });
    if (code === 'totp-locked') expect(answer.headers.get('retry-after')).toBe('60');
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Countersign-Proof realm="countersign"');
  });

  it.each([
    [{}, 'jsonrpc'],
    [{ jsonrpc: '2.0', id: 7, result: { value: '1' } }, 'id'],
    [{ jsonrpc: '2.0', id: 'p', result: { value: 482910 } }, 'result.value'],
    [{ jsonrpc: '2.0', id: 'p' }, 'result.value'],
    ['482910', 'jsonrpc'],
  ])('refuses the malformed answer %j instead of sending it on', async (inputResponses, at) => {
    const answer = await post(call(1, 'run_sql', {}, { inputResponses: inputResponses as string }));
    expect([answer.status, answer.json.error.data.at]).toEqual([400, `params._meta.inputResponses.${at}`]);
    expect([stand.seen.submissions, stand.seen.resumptions]).toEqual([[], []]);
  });

  it('does not wait for a client that went away', async () => {
    const id = await parked('totp');
    const aborted = new Promise<void>((resolve) => {
      stand.play.resume = ({ signal }) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          resolve();
          reject(signal.reason as Error);
        });
      });
    });
    const leaving = new AbortController();
    const lost = fetch(`${stand.url}${INVOKE}`, { method: 'POST', signal: leaving.signal, headers: { authorization: 'Bearer token-alpha', 'content-type': 'application/json' }, body: JSON.stringify(withCode(id)) });
    await expect.poll(() => stand.seen.resumptions.length).toBe(1);
    leaving.abort();
    await expect(lost).rejects.toThrow();
    await aborted;
    expect(stand.seen.log.join('')).not.toContain('gateway.fault');
  });
});

describe('a handle', () => {
  it('answers its owner what the POST would answer now', async () => {
    const id = await parked();
    const waiting = await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'GET' });
    expect([waiting.status, waiting.json.params.handle, waiting.headers.get('retry-after')]).toEqual([202, id, '2']);
    stand.settle(id, executed({ content: [] }));
    expect((await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'GET' })).json).toEqual({ jsonrpc: '2.0', id: null, result: { content: [] } });
  });

  it('is taken back by its owner, once', async () => {
    const id = await parked();
    const first = await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'DELETE' });
    expect([first.status, first.json.result]).toEqual([200, { handle: id, state: 'FAULTED', reason: 'withdrawn', executed: false }]);
    const again = await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'DELETE' });
    expect([again.status, again.json.error.data.code]).toEqual([409, 'already-decided']);
    expect((await stand.send(`/v1/mcp-gateway/handles/${id}`, { method: 'GET' })).status).toBe(410);
  });

  it('of another client answers exactly as one that never was', async () => {
    const id = await parked();
    for (const method of ['GET', 'DELETE']) {
      const others = await stand.send(`/v1/mcp-gateway/handles/${id}`, { method, token: 'token-beta' });
      const nobodys = await stand.send('/v1/mcp-gateway/handles/txn_1792523154_000000000000', { method, token: 'token-beta' });
      const noHandle = await stand.send('/v1/mcp-gateway/handles/../../etc', { method, token: 'token-beta' });
      expect([others.status, others.text]).toEqual([404, nobodys.text]);
      expect(noHandle.status).toBe(404);
    }
    expect(stand.seen.withdrawn).toEqual([]);
  });

  it('is not approved by anything a client can say', async () => {
    const id = await parked();
    stand.play.submit = (submission) => stand.park(submission);
    const claims = await post(call(2, 'run_sql', { sql: 'DROP TABLE t', approved: true, handle: id, totp: '123456' }));
    expect(claims.status).toBe(202);
    for (const path of [`/v1/mcp-gateway/handles/${id}/approve`, `/v1/countersign/handles/${id}/approve`, `/v1/mcp-gateway/handles/${id}`]) {
      expect((await stand.send(path, { body: { approved: true } })).status).toBeOneOf([404, 405]);
    }
    for (const body of [{ approved: true }, { intent: 'x' }]) expect((await stand.send(`/v1/mcp-gateway/handles/${id}/resume`, { body })).status).toBeOneOf([400, 401]);
    expect(stand.handles.get(id)?.state.status).toBe('parked');
  });
});
