import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredentials, createHttpConnector } from '../../../src/main/connector/index.ts';
import { createToolCalls, keyOf } from '../../../src/main/registry/index.ts';
import type { ConnectorAnswer } from '../../../src/main/registry/ports.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { admitted, aRegistry, REVIEWER } from '../../support/registry.ts';
import type { ResourceParts } from '../../support/registry.ts';
import { ERP_TOKEN, startErpServer } from '../../support/erp-server/erp-server.ts';

let erp: Awaited<ReturnType<typeof startErpServer>>;
let other: Awaited<ReturnType<typeof startErpServer>>;
beforeAll(async () => {
  other = await startErpServer();
  erp = await startErpServer({ redirectTo: `${other.origin}/stolen` });
});
afterAll(async () => {
  await erp.stop();
  await other.stop();
});
beforeEach(() => void erp.received.splice(0));

const send = (where: string, { method = 'GET', bodyText = null as string | null, deadlineMs = 5_000, approvedOrigins = [erp.origin] } = {}): Promise<ConnectorAnswer> =>
  createHttpConnector({ deadlineMs, answerBytes: 100_000 }).send({ method, url: new URL(where, erp.origin), headers: { accept: 'application/json', authorization: ERP_TOKEN }, bodyText, approvedOrigins });

describe('the connector', () => {
  it('gives status and JSON of an answer', async () => {
    expect(await send('/api/method/ping')).toEqual({ kind: 'answered', status: 200, body: { message: 'pong' } });
    expect(await send('/odd/status?status=417')).toMatchObject({ kind: 'answered', status: 417 });
    expect(await send('/odd/empty')).toEqual({ kind: 'answered', status: 204, body: null });
  });

  it('sends the body as it was given, byte for byte', async () => {
    const bodyText = '{"employee_name":"Zoë \u2028"}';
    await send('/api/resource/Employee', { method: 'POST', bodyText });
    expect(erp.received.map(({ body }) => body)).toEqual([bodyText]);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect of status %i', async (status) => {
    expect(await send(`/odd/redirect?status=${status}`, { method: 'POST', bodyText: '{}' })).toMatchObject({ kind: 'answered', status });
    expect(erp.received).toHaveLength(1);
    expect(other.received).toEqual([]);
  });

  it('connects to no origin that is not approved', async () => {
    expect(await send(`${other.origin}/api/method/ping`)).toEqual({ kind: 'broken', sent: false });
    expect(other.received).toEqual([]);
  });

  it.each(['/odd/html', '/odd/zipped', '/odd/changed', '/odd/twice'])('takes what %s answers for no JSON', async (where) => {
    expect(await send(where)).toEqual({ kind: 'answered', status: 200, body: undefined });
  });

  it.each(['/odd/large', '/odd/cut', '/odd/reset'])('gives up on %s, knowing that the request had left, and asks once', async (where) => {
    expect(await send(where, { method: 'POST', bodyText: '{}' })).toEqual({ kind: 'broken', sent: true });
    expect(erp.received).toHaveLength(1);
  });

  it('ends a call that is not answered in its time', async () => {
    expect(await send('/odd/hang', { deadlineMs: 200 })).toEqual({ kind: 'timed-out', sent: true });
  });

  it('knows that nothing was sent when nobody listens', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(probe.address() as AddressInfo).port}`;
    await new Promise((resolve) => probe.close(resolve));
    expect(await send(`${origin}/x`, { approvedOrigins: [origin] })).toEqual({ kind: 'broken', sent: false });
  });
});

describe('credentials', () => {
  it('are read from the environment or from a file of the folder, and from nowhere else', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'credentials-'));
    writeFileSync(path.join(root, 'ERP_TOKEN'), `${ERP_TOKEN}\n`);
    const { read } = createCredentials({ env: { ERP_TOKEN: 'from env' }, folder: root });
    expect(await read({ source: 'env', name: 'ERP_TOKEN' })).toBe('from env');
    expect(await read({ source: 'file', name: 'ERP_TOKEN' })).toBe(ERP_TOKEN);
    for (const name of ['OTHER', '../ERP_TOKEN', '.', '']) expect(await read({ source: 'file', name })).toBeUndefined();
    for (const name of ['OTHER', '__proto__', 'toString']) expect(await read({ source: 'env', name })).toBeUndefined();
    expect(await createCredentials({ env: {}, folder: undefined }).read({ source: 'file', name: 'ERP_TOKEN' })).toBeUndefined();
    rmSync(root, { recursive: true });
  });
});

describe('a tool of an ERP', () => {
  function stand() {
    const { registry, time } = aRegistry({ erpBaseUrl: erp.origin });
    const calls = createToolCalls({ boundary: registry.boundary, clock: time.clock, erpBaseUrl: erp.origin, connector: createHttpConnector(), credentials: createCredentials({ env: { ERP_TOKEN }, folder: undefined }) });
    const security = { authType: 'api-key', credentialRef: 'ERP_TOKEN', credentialSource: 'env' };
    const admit = (parts: ResourceParts) => admitted(registry, { ...parts, spec: { security, ...parts.spec } });
    const call = async (parts: ResourceParts, args: JsonObject) => {
      const revision = admit(parts);
      const request = calls.prepare(revision, args, { id: 'anne', roles: [] });
      return request.ok ? calls.run(revision, request.value, { id: 'anne', roles: [] }) : request;
    };
    return { registry, calls, admit, call };
  }
  const list: ResourceParts = { properties: { filters: { type: 'array' } }, execution: { responsePath: 'data' } };

  it('lists what its filters ask for', async () => {
    expect(await stand().call(list, { filters: [['status', '=', 'Active']] })).toMatchObject({ ok: true, value: { kind: 'result', value: [{ name: 'HR-EMP-00001' }] } });
  });

  it('tells that input did not validate, and nothing of the trace', async () => {
    const outcome = await stand().call({ name: 'create_employee', properties: { department: {} }, execution: { method: 'POST' } }, { department: 'Sales' });
    expect(outcome).toEqual({ ok: true, value: { kind: 'fault', fault: 'INVALID_INPUT', status: 417, executed: 'no' } });
  });

  it('is refused by the ERP without its credential', async () => {
    expect(await stand().call({ ...list, spec: { security: {} } }, {})).toMatchObject({ ok: true, value: { fault: 'PERMISSION_DENIED', status: 401 } });
  });

  it('that was withdrawn while its call was parked reaches nobody', async () => {
    const { registry, calls, admit } = stand();
    const revision = admit(list);
    const request = calls.prepare(revision, {}, { id: 'anne', roles: [] });
    if (!request.ok) throw new Error(request.code);
    await registry.withdraw(keyOf(revision), REVIEWER);
    expect(await calls.run(revision, request.value, { id: 'anne', roles: [] })).toEqual({ ok: false, code: 'revision-withdrawn' });
    expect(erp.received).toEqual([]);
  });
});
