import { describe, expect, it } from 'vitest';
import { createToolCalls, keyOf } from '../../../src/main/registry/index.ts';
import type { HttpRequest, Revision, ToolCallsDeps } from '../../../src/main/registry/index.ts';
import { follow } from '../../../src/main/registry/tool-answer.ts';
import type { ConnectorAnswer, OutgoingRequest } from '../../../src/main/registry/ports.ts';
import type { Result } from '../../../src/shared/result.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { admitted, aRegistry, REVIEWER } from '../../support/registry.ts';
import type { ResourceParts } from '../../support/registry.ts';

const ANNE = { id: 'anne', roles: ['hr'] };
const BOB = { id: 'bob', roles: [] };
const answered = (body: JsonValue | undefined, status = 200): ConnectorAnswer => ({ kind: 'answered', status, body });

function stand(over: Partial<ToolCallsDeps> = {}, answer: (request: OutgoingRequest) => ConnectorAnswer | Promise<ConnectorAnswer> = () => answered({ data: 1 })) {
  const { registry, time } = aRegistry(over.erpBaseUrl === undefined ? {} : { erpBaseUrl: over.erpBaseUrl });
  const sent: OutgoingRequest[] = [];
  const calls = createToolCalls({
    boundary: registry.boundary, clock: time.clock, credentials: { read: () => Promise.resolve('key:secret') },
    connector: { send: (request) => (sent.push(request), Promise.resolve(answer(request))) }, ...over,
  });
  const prepared = (revision: Revision, args: JsonObject = {}): HttpRequest => {
    const request = calls.prepare(revision, args, ANNE);
    if (!request.ok) throw new Error(request.code);
    return request.value;
  };
  const call = (revision: Revision, args: JsonObject = {}, who = ANNE) => calls.run(revision, prepared(revision, args), who);
  return { registry, time, calls, sent, prepared, call, admit: (parts: ResourceParts = {}) => admitted(registry, parts) };
}
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.code);

describe('before a call is parked or sent', () => {
  it('a tool with roles takes only who has one of them', () => {
    const { calls, admit } = stand();
    const guarded = admit({ spec: { security: { allowedRoles: ['admin', 'hr'] } } });
    expect(codeOf(calls.prepare(guarded, {}, ANNE))).toBe('ok');
    expect(codeOf(calls.prepare(guarded, {}, BOB))).toBe('role-not-allowed');
  });

  it('a tool is called no more often than its bucket allows, and is told when again', () => {
    const { calls, admit, time } = stand();
    const limited = admit({ spec: { rateLimit: { requestsPerSecond: 0.5, burst: 2 } } });
    const codes = (count: number) => Array.from({ length: count }, () => codeOf(calls.spend(limited)));
    expect(codes(3)).toEqual(['ok', 'ok', 'tool-rate-limited']);
    expect(calls.spend(limited)).toEqual({ ok: false, code: 'tool-rate-limited', details: { retry_after_s: 2 } });
    time.pass(2_000);
    expect(codes(2)).toEqual(['ok', 'tool-rate-limited']);
  });

  it('another revision of the tool is no way round its rate', () => {
    const { calls, admit } = stand();
    const rateLimit = { requestsPerSecond: 0.5, burst: 1 };
    const [one, two] = [admit({ spec: { rateLimit } }), admit({ version: '2.0.0', spec: { rateLimit } })];
    expect([one, two].map((revision) => codeOf(calls.spend(revision)))).toEqual(['ok', 'tool-rate-limited']);
  });

  it('an origin that is not the approved one is refused', () => {
    const { calls, admit } = stand();
    expect(codeOf(calls.prepare(admit({ execution: { approvedOrigins: ['https://erp.example'] } }), {}, ANNE))).toBe('origin-not-approved');
  });

  it('a credential does not travel in clear, except to this machine and to hosts that were named', () => {
    const security = { authType: 'bearer', credentialRef: 'T', credentialSource: 'env' };
    const code = (endpoint: string, hosts: readonly string[] = []) => {
      const { calls, admit } = stand({ insecureAuthHosts: hosts });
      return codeOf(calls.prepare(admit({ execution: { endpoint }, spec: { security } }), {}, ANNE));
    };
    expect(code('http://erp.example/x')).toBe('credential-in-clear');
    expect(code('http://erp.example/x', ['erp.example'])).toBe('ok');
    expect([code('https://erp.example/x'), code('http://127.0.0.1:9/x')]).toEqual(['ok', 'ok']);
  });
});

describe('a call that goes out', () => {
  it('sends the compiled request with the credential in its one header, the body being the hashed text', async () => {
    for (const [authType, value] of [['api-key', 'key:secret'], ['bearer', 'Bearer key:secret'], ['basic', 'Basic a2V5OnNlY3JldA==']] as const) {
      const { admit, call, sent } = stand();
      const revision = admit({ properties: { b: {}, a: {} }, execution: { method: 'POST' }, spec: { security: { authType, credentialRef: 'T', credentialSource: 'env' } } });
      expect(await call(revision, { b: 1, a: 'ü' })).toEqual({ ok: true, value: { kind: 'result', value: { data: 1 } } });
      expect(sent).toMatchObject([{ method: 'POST', bodyText: '{"a":"ü","b":1}', headers: { accept: 'application/json', 'content-type': 'application/json', authorization: value } }]);
    }
  });

  it.each([undefined, '', 'a\r\nb', 'ü'])('is not sent with the credential %j', async (secret) => {
    const { admit, call, sent } = stand({ credentials: { read: () => Promise.resolve(secret) } });
    const revision = admit({ spec: { security: { authType: 'api-key', credentialRef: 'T', credentialSource: 'file' } } });
    expect(codeOf(await call(revision))).toBe('credential-missing');
    expect(sent).toEqual([]);
  });

  it('after the revision was withdrawn is not sent', async () => {
    const { registry, calls, admit, prepared, sent } = stand();
    const revision = admit();
    const request = prepared(revision);
    await registry.withdraw(keyOf(revision), REVIEWER);
    expect(codeOf(await calls.run(revision, request, ANNE))).toBe('revision-withdrawn');
    expect(sent).toEqual([]);
  });

  it('is one of as many at once as the tool and the caller may have', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { admit, call } = stand({}, () => hold.then(() => answered(1)));
    const revision = admit({ spec: { concurrency: { limit: 2, perPrincipal: 1 } } });
    const first = call(revision);
    expect(codeOf(await call(revision))).toBe('tool-busy');
    const second = call(revision, {}, BOB);
    expect(codeOf(await call(revision, {}, { id: 'carl', roles: [] }))).toBe('tool-busy');
    release();
    expect([codeOf(await first), codeOf(await second), codeOf(await call(revision))]).toEqual(['ok', 'ok', 'ok']);
  });

  it('waits for its place when a human let it out, and is not refused for being one too many', async () => {
    const open: (() => void)[] = [];
    const { calls, prepared, sent, admit } = stand({}, () => new Promise((resolve) => open.push(() => resolve(answered({ data: 1 })))));
    const narrow = admit({ spec: { concurrency: { limit: 1, perPrincipal: 1 } } });
    const running = [1, 2, 3].map(() => calls.run(narrow, prepared(narrow), ANNE, { approved: true }));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => open.length).toBe(count);
      expect(sent).toHaveLength(count);
      open.at(-1)?.();
    }
    expect((await Promise.all(running)).map(codeOf)).toEqual(['ok', 'ok', 'ok']);
  });

  it('frees its place when the connector breaks', async () => {
    let broken = true;
    const { admit, call } = stand({}, () => (broken ? Promise.reject(new Error('bug')) : answered(1)));
    const revision = admit({ spec: { concurrency: { limit: 1, perPrincipal: 1 } } });
    await expect(call(revision)).rejects.toThrow('bug');
    broken = false;
    expect(codeOf(await call(revision))).toBe('ok');
  });
});

describe('the cache', () => {
  it('answers no approved call: what a human let out goes out', async () => {
    const { calls, prepared, sent, admit } = stand();
    const cached = admit({ spec: { cache: { enabled: true, ttlSeconds: 60 } } });
    for (let count = 0; count < 2; count += 1) expect((await calls.run(cached, prepared(cached), ANNE, { approved: true })).ok).toBe(true);
    expect(sent).toHaveLength(2);
  });

  const cache = { enabled: true, ttlSeconds: 60, flushOn: ['update_employee'] };

  it('answers the same request of the same principal to the same revision, until its time is over', async () => {
    const { admit, call, sent, time } = stand();
    const revision = admit({ spec: { cache } });
    await call(revision);
    expect(await call(revision)).toEqual({ ok: true, value: { kind: 'result', value: { data: 1 } } });
    expect(sent).toHaveLength(1);
    time.pass(60_000);
    await call(revision);
    expect(sent).toHaveLength(2);
  });

  it('keeps revisions, principals and requests apart', async () => {
    const { admit, call, sent } = stand();
    const [one, two] = [admit({ spec: { cache } }), admit({ version: '2.0.0', spec: { cache } })];
    await call(one);
    await call(two);
    await call(one, {}, BOB);
    await call(one, { status: 'Left' });
    expect(sent).toHaveLength(4);
  });

  it('gives nothing of a withdrawn revision', async () => {
    const { registry, calls, admit, prepared, sent } = stand();
    const revision = admit({ spec: { cache } });
    const request = prepared(revision);
    await calls.run(revision, request, ANNE);
    await registry.withdraw(keyOf(revision), REVIEWER);
    expect(codeOf(await calls.run(revision, request, ANNE))).toBe('revision-withdrawn');
    expect(sent).toHaveLength(1);
  });

  it('forgets when a named tool was called, also what was being read meanwhile', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const bench = stand({}, async ({ method }) => {
      if (method === 'GET') await meanwhile?.();
      return answered(1);
    });
    const revision = bench.admit({ spec: { cache } });
    const writer = bench.admit({ name: 'update_employee', execution: { method: 'POST' } });
    await bench.call(revision);
    await bench.call(writer);
    meanwhile = () => bench.call(writer);
    await bench.call(revision);
    meanwhile = undefined;
    await bench.call(revision);
    expect(bench.sent.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  it('keeps no fault', async () => {
    const { admit, call, sent } = stand({}, () => answered({}, 500));
    const revision = admit({ spec: { cache } });
    await call(revision);
    await call(revision);
    expect(sent).toHaveLength(2);
  });
});

describe('an answer', () => {
  const outcome = async (answer: ConnectorAnswer, parts: ResourceParts = {}) => {
    const { admit, call } = stand({}, () => answer);
    const result = await call(admit(parts));
    return result.ok ? result.value : result.code;
  };

  it.each([
    [400, 'INVALID_INPUT', 'no'], [417, 'INVALID_INPUT', 'no'], [422, 'INVALID_INPUT', 'no'], [401, 'PERMISSION_DENIED', 'no'], [403, 'PERMISSION_DENIED', 'no'], [404, 'NOT_FOUND', 'no'], [409, 'CONFLICT', 'no'],
    [408, 'DEPENDENCY_TIMEOUT', 'unknown'], [504, 'DEPENDENCY_TIMEOUT', 'unknown'], [429, 'RATE_LIMITED', 'no'], [500, 'DEPENDENCY_UNAVAILABLE', 'unknown'], [302, 'DEPENDENCY_UNAVAILABLE', 'no'],
  ] as const)('of status %i is %s, and holds nothing of its body', async (status, fault, executed) => {
    expect(await outcome(answered({ exc: 'Traceback SECRET' }, status))).toEqual({ kind: 'fault', fault, status, executed });
  });

  it('that never came is unknown when bytes had left', async () => {
    expect(await outcome({ kind: 'timed-out', sent: true })).toEqual({ kind: 'fault', fault: 'DEPENDENCY_TIMEOUT', status: null, executed: 'unknown' });
    expect(await outcome({ kind: 'broken', sent: false })).toEqual({ kind: 'fault', fault: 'DEPENDENCY_UNAVAILABLE', status: null, executed: 'no' });
  });

  it('is read at the response path and must fit the output schema', async () => {
    const parts = { execution: { responsePath: 'data[0].name' }, spec: { outputSchema: { type: 'string' } } };
    expect(await outcome(answered({ data: [{ name: 'Ada' }] }), parts)).toEqual({ kind: 'result', value: 'Ada' });
    for (const body of [{ data: [{ name: 7 }] }, { data: [] }, { message: 1 }, null]) expect(await outcome(answered(body), parts)).toMatchObject({ kind: 'fault', fault: 'INTERNAL', executed: 'yes' });
    expect(await outcome(answered(undefined))).toMatchObject({ kind: 'fault', fault: 'DEPENDENCY_UNAVAILABLE', executed: 'yes' });
  });

  it('is followed by own members only', () => {
    expect(follow({ a: [[1, { b: null }]] }, 'a[0][1].b')).toBeNull();
    for (const path of ['constructor', 'a.length', 'a[9]', 'a.b']) expect(follow({ a: [1] }, path)).toBeUndefined();
  });
});
