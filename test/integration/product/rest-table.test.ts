/** The table of the REST dialect (contract, 3.1), row by row: the real composition over real HTTP, with a real target behind it. */
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { refusals, type RefusalCode } from '../../../src/shared/refusals.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { startProduct, type Answered, type Product } from '../../support/product.ts';
import { startHttpWorker, type HttpWorker } from '../../support/workers/http-worker.ts';

let upstream: HttpWorker;
let product: Product;
/** The authenticator's secret cannot be read back, so wrong codes are found beside the good ones. */
const aWrongCode = (): string => ['000000', '111111', '222222'].find((code) => code !== product.code() && code !== product.code(-1))!;
let keys = 0;
const aKey = (): string => `key-${(keys += 1)}`;
const held: (() => void)[] = [];

beforeAll(async () => {
  upstream = await startHttpWorker({
    tools: {
      errs: ({ seen, json }) => json({ jsonrpc: '2.0', id: seen.message?.id, error: { code: -32050, message: 'no such table', data: { table: 't' } } }),
      unauthorized: ({ json }) => json({}, 401),
      breaks: ({ response }) => void response.writeHead(500).end('oops'),
      tears: ({ socket }) => socket.destroy(),
      hangs: () => undefined,
      waits: ({ result }) => void held.push(() => result('at last')),
    },
  });
  product = await startProduct({
    enrolled: true,
    servers: {
      db: { url: upstream.url, preflight_pattern: 'DROP' },
      files: { url: upstream.url, preflight_pattern: 'button:DROP' },
      brief: { url: upstream.url, preflight_pattern: 'button:DROP', expires_after_s: 1 },
      gone: { url: 'http://127.0.0.1:9/mcp', preflight_pattern: 'button:DROP' },
    },
  });
});
afterAll(async () => {
  await product.close();
  await upstream.close();
});

const calls = (): number => upstream.seen.filter(({ message }) => message?.method === 'tools/call').length;
const sql = (text = 'DROP TABLE t'): object => ({ sql: text, n: (keys += 1) });
const idOf = (answer: Answered): HandleId => {
  expect(answer.status).toBe(202);
  return String(answer.json.params?.['handle']) as HandleId;
};
const at = (id: string): string => `/v1/mcp-gateway/handles/${id}`;
const handle = (id: HandleId): Handle => product.composition.approvals.get(id)!;
/** A click, as the window gives it, and the end of what it starts. */
async function click(id: HandleId): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const forget = product.composition.approvals.subscribe((one, change) => {
      if (one.id !== id || !['succeed', 'fault', 'lose'].includes(change)) return;
      forget();
      resolve();
    });
  });
  const { hash } = handle(id).request;
  expect(product.composition.approvals.approve({ id, hash, proof: { kind: 'button' }, way: 'window', actor: 'window' })).toMatchObject({ ok: true });
  await ended;
}
const answered = (id: HandleId, value: string, prompt = `prompt_${id}`): object => ({ inputResponses: { jsonrpc: '2.0', id: prompt, result: { value } } });
/** The refusal as the catalogue has it: status, number, sentence, and what to do. */
function refusedAs(answer: Answered, code: RefusalCode): void {
  const { http, number, sentence, next } = refusals[code];
  expect([answer.status, answer.json.error?.data['code']]).toEqual([http, code]);
  expect(answer.json.error).toMatchObject({ code: number, message: sentence, data: { next } });
}

/** Parks for whoever asks, and gives what is needed to go on with it. */
async function parked(target: string, name = 'run_sql'): Promise<{ id: HandleId; args: object; key: string; again(over?: { meta?: object; args?: object; id?: number }): Promise<Answered> }> {
  const [args, key] = [sql(), aKey()];
  const id = idOf(await product.call(target, name, args, { key }));
  return { id, args, key, again: ({ meta, args: other = args, id: rpc = 7 } = {}) => product.call(target, name, other, { key, id: rpc, ...(meta && { meta }) }) };
}

describe('200', () => {
  it('executed: what the target answered, under the caller’s id and key', async () => {
    const answer = await product.call('db', 'echo', { n: 1 }, { key: 'mine', id: 'seven' });
    expect(answer).toMatchObject({ status: 200, json: { jsonrpc: '2.0', id: 'seven', result: { content: [{ type: 'text' }] } } });
    expect([answer.headers.get('x-idempotency-key'), answer.headers.get('x-idempotent-replay')]).toEqual(['mine', null]);
    expect((await product.call('db', 'echo', { n: 2 })).headers.get('x-idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a replay of a passed call is marked, and runs nothing again', async () => {
    const [key, before] = [aKey(), calls()];
    const first = await product.call('db', 'echo', { n: 1 }, { key });
    const second = await product.call('db', 'echo', { n: 1 }, { key, id: 2 });
    expect([second.status, second.headers.get('x-idempotent-replay')]).toEqual([200, 'true']);
    expect(second.json).toEqual({ ...first.json, id: 2 });
    expect(calls()).toBe(before + 1);
  });

  it('50 at once with one key are one run, whose result all share under their own ids', async () => {
    const [key, before] = [aKey(), calls()];
    const all = Array.from({ length: 50 }, (_, id) => product.call('db', 'waits', { n: 1 }, { key, id }));
    await vi.waitUntil(() => held.length > 0);
    held.splice(0).forEach((release) => release());
    const answers = await Promise.all(all);
    expect(answers.map(({ status, json }) => [status, json['id'], JSON.stringify(json.result)])).toEqual(answers.map((_, id) => [200, id, '{"content":[{"type":"text","text":"at last"}]}']));
    expect(answers.filter(({ headers }) => headers.get('x-idempotent-replay') === null)).toHaveLength(1);
    expect(calls()).toBe(before + 1);
  });

  it('a call whose code comes with it is answered with the result of the one run', async () => {
    const [{ id, again }, before] = [await parked('db'), calls()];
    const answer = await again({ meta: answered(id, product.code(-1)) });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-idempotent-replay')).toBeNull();
    const later = await again();
    expect([later.status, later.headers.get('x-idempotent-replay'), later.json.result]).toEqual([200, 'true', answer.json.result]);
    expect(calls()).toBe(before + 1);
  });
});

describe('202', () => {
  it('parked: the yield frame, where to look, when to ask again; the row is committed before the answer leaves, and nothing was sent', async () => {
    const before = upstream.seen.length;
    const answer = await product.call('db', 'run_sql', sql('drop table secrets'), { key: aKey() });
    const id = idOf(answer);
    const other = new BetterSqlite(product.dir.database, { readonly: true });
    expect(other.prepare('SELECT status FROM handles WHERE id = ?').get(id)).toEqual({ status: 'parked' });
    other.close();
    expect([answer.headers.get('location'), answer.headers.get('retry-after')]).toEqual([at(id), '2']);
    expect(Object.keys(answer.json)).toEqual(['jsonrpc', 'id', 'method', 'params']);
    expect(answer.json).toEqual({
      jsonrpc: '2.0', id: `prompt_${id}`, method: 'elicitation/createMessage',
      params: {
        message: "[Pre-flight Guard] High-risk pattern 'DROP' detected on 'db'. Enter TOTP:", payload_hash: handle(id).request.hash, require_totp: true,
        handle: id, state: 'PENDING', executed: false, expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      },
    });
    expect(answer.text).not.toContain('secrets');
    expect(upstream.seen.length).toBe(before);
  });

  it('50 at once with one key make one handle', async () => {
    const [key, args] = [aKey(), sql()];
    const ids = await Promise.all(Array.from({ length: 50 }, (_, id) => product.call('files', 'run_sql', args, { key, id }).then(idOf)));
    expect(new Set(ids).size).toBe(1);
    expect(product.composition.approvals.queue().filter(({ id }) => id === ids[0])).toHaveLength(1);
  });

  it('GET says what the POST would; approved and running is still 202', async () => {
    const { id, again } = await parked('files', 'waits');
    expect((await product.send('GET', at(id))).json).toEqual((await again()).json);
    const done = click(id);
    await vi.waitUntil(() => held.length > 0);
    expect(await again()).toMatchObject({ status: 202, json: { params: { state: 'PENDING', executed: false } } });
    held.splice(0).forEach((release) => release());
    await done;
    expect((await again()).status).toBe(200);
  });
});

describe('401 and 423', () => {
  it('a wrong code says how many tries are left; the fifth locks this handle for this way in', async () => {
    const { id, again } = await parked('db');
    for (const left of [4, 3, 2, 1, 0]) {
      const answer = await again({ meta: answered(id, aWrongCode()) });
      refusedAs(answer, 'wrong-code');
      expect(answer.json.error?.data['attempts_left']).toBe(left);
    }
    const good = await again({ meta: answered(id, product.code()) });
    refusedAs(good, 'totp-locked');
    expect(good.json.error?.data['retry_after_s']).toBeGreaterThan(20);
    expect(handle(id).state.status).toBe('parked');
  });
});

describe('403', () => {
  it('declined by the human, with the reason', async () => {
    const { id, again } = await parked('files');
    expect((await product.control('POST', `${at(id)}/decline`, { reason: 'not\u202e on a Friday' })).status).toBe(200);
    for (const answer of [await again(), await product.send('GET', at(id))]) {
      refusedAs(answer, 'declined');
      expect(answer.json.error?.data).toMatchObject({ handle: id, state: 'FAULTED', reason: 'not on a Friday' });
    }
  });

  it('window-only: no code approves what needs a click', async () => {
    const { id, again } = await parked('files');
    refusedAs(await again({ meta: answered(id, product.code()) }), 'window-only');
    refusedAs(await product.control('POST', `${at(id)}/totp`, { code: product.code() }), 'window-only');
    expect(handle(id).state).toEqual({ status: 'parked', returned: false });
  });

  it('totp-not-enrolled: nothing falls back to a button', async () => {
    const bare = await startProduct({ servers: { db: { url: upstream.url, preflight_pattern: 'DROP' } } });
    const id = idOf(await bare.call('db', 'run_sql', { sql: 'DROP' }, { key: 'k' }));
    refusedAs(await bare.call('db', 'run_sql', { sql: 'DROP' }, { key: 'k', meta: answered(id, '482910') }), 'totp-not-enrolled');
    await bare.close();
  });
});

describe('404', () => {
  it('a target that is not there', async () => {
    refusedAs(await product.call('nowhere', 'echo'), 'unknown-target');
  });

  it('a target that has gone; what its keys were used for is told all the same', async () => {
    const [passed, waits, args] = [aKey(), aKey(), sql()];
    await product.control('PUT', '/v1/mcp-gateway/targets/going', { url: upstream.url, preflight_pattern: 'DROP' });
    const before = await product.call('going', 'echo', { n: 1 }, { key: passed });
    idOf(await product.call('going', 'run_sql', args, { key: waits }));
    await product.control('DELETE', '/v1/mcp-gateway/targets/going');
    const after = await product.call('going', 'echo', { n: 1 }, { key: passed });
    expect([after.status, after.headers.get('x-idempotent-replay'), after.json.result]).toEqual([200, 'true', before.json.result]);
    refusedAs(await product.call('going', 'run_sql', args, { key: waits }), 'stale');
    refusedAs(await product.call('going', 'run_sql', args, { key: waits, meta: answered('txn_1_000000000000' as HandleId, product.code()) }), 'stale');
    refusedAs(await product.call('going', 'run_sql', sql(), { key: waits }), 'idempotency-key-reused');
    refusedAs(await product.call('going', 'echo', { n: 1 }, { key: aKey() }), 'unknown-target');
  });

  it('another client’s handle is not there either, to look at or to take back', async () => {
    const { id } = await parked('files');
    const { token } = (await product.control('POST', '/v1/countersign/clients', { name: 'other' })).json as unknown as { token: string };
    for (const method of ['GET', 'DELETE']) {
      const answer = await product.send(method, at(id), { token });
      refusedAs(answer, 'handle-not-found');
      expect(answer.text).toBe((await product.send(method, at('txn_1_000000000000'), { token })).text);
    }
    expect(handle(id).state.status).toBe('parked');
  });

  it('nor does a code for another client’s handle resume anything or park it anew', async () => {
    const { id } = await parked('files');
    const { token } = (await product.control('POST', '/v1/countersign/clients', { name: 'resumer' })).json as unknown as { token: string };
    const answers = await Promise.all([id, 'txn_1_000000000000' as HandleId].map((one) => product.call('files', 'echo', { path: 'x' }, { token, key: 'k', meta: answered(one, product.code()) })));
    for (const answer of answers) refusedAs(answer, 'handle-not-found');
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(handle(id).state.status).toBe('parked');
  });
});

describe('409', () => {
  it('a prompt id that does not belong to the handle', async () => {
    const { id, again } = await parked('db');
    refusedAs(await again({ meta: answered(id, product.code(), 'prompt_txn_1_000000000000') }), 'prompt-mismatch');
  });

  it.each([['revision-withdrawn', 'revoke'], ['stale', 'outdate']] as const)('%s: the tool is not the one it was parked on', async (code, how) => {
    const { id, again } = await parked('files');
    expect(product.composition.approvals[how](id)).toMatchObject({ ok: true });
    refusedAs(await again(), code);
  });
});

describe('410', () => {
  it('expired, with state FAULTED', async () => {
    const expired = new Promise((resolve) => product.composition.approvals.subscribe((one, change) => change === 'expire' && resolve(one.id)));
    const { id, again } = await parked('brief');
    expect(await expired).toBe(id);
    const answer = await again();
    refusedAs(answer, 'expired');
    expect(answer.json.error?.data).toMatchObject({ handle: id, state: 'FAULTED' });
    expect(product.composition.approvals.approve({ id, hash: handle(id).request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' })).toEqual({ ok: false, code: 'expired' });
  });

  it('withdrawn by the agent, once', async () => {
    const { id, again } = await parked('files');
    expect(await product.send('DELETE', at(id))).toMatchObject({ status: 200, json: { result: { handle: id, state: 'FAULTED', reason: 'withdrawn', executed: false } } });
    refusedAs(await again(), 'withdrawn');
    refusedAs(await product.send('DELETE', at(id)), 'already-decided');
  });
});

describe('413', () => {
  it('a body over 8 MiB', async () => {
    refusedAs(await product.call('db', 'echo', { text: 'x'.repeat(8 * 1024 * 1024) }), 'body-too-large');
  });

  it.each([
    ['5,000 leaves', { sql: 'DROP', list: Array.from({ length: 5_000 }, () => 'a') }],
    ['1 MiB of text', { sql: 'DROP', text: 'x'.repeat(1024 * 1024) }],
  ])('a call that would be trapped and has more than %s is too large to review, and goes nowhere', async (_, args) => {
    const before = upstream.seen.length;
    refusedAs(await product.call('files', 'run_sql', args), 'too-large-to-review');
    expect(upstream.seen.length).toBe(before);
  });
});

describe('422', () => {
  it('payload-mismatch: a code for other than what was parked', async () => {
    const { id, args, again } = await parked('db');
    refusedAs(await again({ meta: answered(id, product.code()), args: { ...args, sql: 'DROP EVERYTHING' } }), 'payload-mismatch');
    expect(handle(id).state.status).toBe('parked');
  });

  it('idempotency-key-reused: another payload under the key of a passed call, or of a parked one', async () => {
    const key = aKey();
    await product.call('db', 'echo', { n: 1 }, { key });
    refusedAs(await product.call('db', 'echo', { n: 2 }, { key }), 'idempotency-key-reused');
    refusedAs(await (await parked('files')).again({ args: { sql: 'SELECT 1' } }), 'idempotency-key-reused');
  });
});

describe('429', () => {
  it('the 21st call that waits; one that is decided makes room, and another client has its own', async () => {
    const { token } = (await product.control('POST', '/v1/countersign/clients', { name: 'busy' })).json as unknown as { token: string };
    const ids: HandleId[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(idOf(await product.call('files', 'run_sql', sql(), { token })));
    refusedAs(await product.call('files', 'run_sql', sql(), { token }), 'too-many-pending');
    expect((await product.call('files', 'run_sql', { sql: 'SELECT 1' }, { token })).status).toBe(200);
    await product.send('DELETE', at(ids[0]!), { token });
    expect((await product.call('files', 'run_sql', sql(), { token })).status).toBe(202);
  });
});

/** What a target does wrong, what a passing call is told of it, and what an approved one is. */
const wrongs = [
  { what: 'a JSON-RPC error of the target', target: 'files', tool: 'errs', status: 502, code: 'upstream-fault', number: -32050, runs: 1 },
  { what: 'a 401 of the target', target: 'files', tool: 'unauthorized', status: 502, code: 'upstream-unauthorized', runs: 1 },
  { what: 'a target nobody listens for', target: 'gone', tool: 'echo', status: 502, code: 'upstream-unreachable', runs: 0 },
  { what: 'a connection torn after the bytes had left', target: 'files', tool: 'tears', status: 504, code: 'unknown', runs: 1 },
  { what: 'a target that answers with a 500', target: 'files', tool: 'breaks', status: 502, code: 'upstream-fault', runs: 1 },
] as const;
describe('502 and 504', () => {
  it.each(wrongs)('$what is $status $code, for a call that passes and for one that was approved, and is never tried again', async ({ target, tool, status, code, runs, ...more }) => {
    const number = 'number' in more ? more.number : refusals[code].number;
    const before = calls();
    const passing = await product.call(target, tool, { n: 1 }, { key: aKey() });
    const { id, again } = await parked(target, tool);
    await click(id);
    const approved = await again();
    for (const answer of [passing, approved, await product.send('GET', at(id))]) {
      expect([answer.status, answer.json.error?.code, answer.json.error?.data['code']]).toEqual([status, number, code]);
    }
    expect(approved.json.error?.data).toMatchObject({ handle: id, state: 'FAULTED' });
    if ('number' in more) expect(approved.json.error).toMatchObject({ message: 'no such table', data: { upstream: { code: -32050, data: { table: 't' } } } });
    expect(calls()).toBe(before + 2 * runs);
  });

  it('no answer within 60 s is 504 unknown, and the target is told to stop', async () => {
    await product.call('files', 'echo', { n: 1 }); // so that the session is there
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const before = upstream.calls('hangs');
      const answer = product.call('files', 'hangs');
      while (upstream.calls('hangs') === before) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(61_000);
      refusedAs(await answer, 'unknown');
    } finally {
      vi.useRealTimers();
    }
    await vi.waitUntil(() => upstream.seen.some(({ message }) => message?.method === 'notifications/cancelled'));
  });
});

describe('503', () => {
  it('the store cannot commit: nothing is parked, passed or kept, and the same key works once it can', async () => {
    const [risky, safe, args] = [aKey(), aKey(), sql()];
    const before = upstream.seen.length;
    const waiting = product.composition.approvals.queue().length;
    const other = new BetterSqlite(product.dir.database);
    other.exec('BEGIN IMMEDIATE');
    try {
      refusedAs(await product.call('files', 'run_sql', args, { key: risky }), 'store-unavailable');
      refusedAs(await product.call('files', 'echo', { n: 1 }, { key: safe }), 'store-unavailable');
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
    expect([upstream.seen.length, product.composition.approvals.queue().length]).toEqual([before, waiting]);
    expect((await product.call('files', 'run_sql', args, { key: risky })).status).toBe(202);
    expect((await product.call('files', 'echo', { n: 1 }, { key: safe })).status).toBe(200);
  });

  it('paused: nothing is sent, doctor says so, and the same call goes through afterwards', async () => {
    const pauseInDoctor = async (): Promise<unknown> => ((await product.control('GET', '/v1/countersign/doctor')).json['checks'] as { name: string }[]).find(({ name }) => name === 'paused');
    const [key, before] = [aKey(), upstream.seen.length];
    await product.control('POST', '/v1/countersign/pause');
    refusedAs(await product.call('files', 'echo', { n: 1 }, { key }), 'paused');
    expect(upstream.seen.length).toBe(before);
    expect(await pauseInDoctor()).toMatchObject({ ok: false, advice: true });
    await product.control('POST', '/v1/countersign/resume');
    expect((await product.call('files', 'echo', { n: 1 }, { key })).status).toBe(200);
    expect(await pauseInDoctor()).toBeUndefined();
  });
});

describe('a restart', () => {
  it('changes no answer: what waits still waits, what ended is told again, and nothing runs twice', async () => {
    const { token } = (await product.control('POST', '/v1/countersign/clients', { name: 'patient' })).json as unknown as { token: string };
    const keyed = async (name: string, args: object): Promise<() => Promise<Answered>> => {
      const key = aKey();
      const send = (): Promise<Answered> => product.call('files', name, args, { key, token });
      const first = await send();
      if (first.status === 202) named.set(name, idOf(first));
      return send;
    };
    const named = new Map<string, HandleId>();
    const passed = await keyed('echo', { n: 1 });
    const waits = await keyed('waiting', sql());
    const done = await keyed('done', sql());
    await click(named.get('done')!);
    const declined = await keyed('declined', sql());
    await product.control('POST', `${at(named.get('declined')!)}/decline`, {});
    const lost = await keyed('tears', sql());
    await click(named.get('tears')!);
    const sends = [passed, waits, done, declined, lost];
    const ask = async (): Promise<readonly (readonly [number, string])[]> => {
      const told: (readonly [number, string])[] = [];
      for (const send of sends) told.push(await send().then(({ status, text }) => [status, text] as const));
      return told;
    };

    const before = await ask();
    const count = calls();
    await product.restart();
    expect(await ask()).toEqual(before);
    expect(before.map(([status]) => status)).toEqual([200, 202, 200, 403, 504]);
    expect(calls()).toBe(count);

    await click(named.get('waiting')!);
    expect((await waits()).status).toBe(200);
    expect(calls()).toBe(count + 1);
  });
});
