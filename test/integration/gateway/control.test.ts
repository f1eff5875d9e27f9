import { afterEach, describe, expect, it } from 'vitest';
import type { Control } from '../../../src/main/control/index.ts';
import { controlPaths } from '../../../src/shared/contract/control.ts';
import { ok, refused, refusedWith } from '../../../src/shared/result.ts';
import { openSession, speak } from './mcp-client.ts';
import { CONTROL_TOKEN, openStand, type Stand } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());

/** A control room that writes down what it is asked and answers by name. */
async function asking(answers: Partial<Record<keyof Control, unknown>>): Promise<unknown[][]> {
  const asked: unknown[][] = [];
  const control = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      (...input: unknown[]) => {
        asked.push([name, ...input]);
        return answer;
      },
    ]),
  ) as Partial<Control>;
  stand = await openStand({ control });
  return asked;
}

const ask = (method: string, path: string, body?: unknown) => stand.send(path, { method, token: CONTROL_TOKEN, body });

describe('the control routes', () => {
  const applied = ok({ status: 'applied' });
  const routes: readonly [string, string, unknown, keyof Control, unknown, readonly unknown[], unknown][] = [
    ['GET', controlPaths.targets, undefined, 'targets', [{ id: 'fs' }], [], { targets: [{ id: 'fs' }] }],
    ['PUT', controlPaths.target('fs'), { command: 'x', unknown: [1] }, 'connect', Promise.resolve(ok({ status: 'applied', warnings: [] })), ['fs', { command: 'x', unknown: [1] }], { status: 'applied', warnings: [] }],
    ['DELETE', controlPaths.target('fs'), undefined, 'disconnect', Promise.resolve(applied), ['fs'], { status: 'applied' }],
    ['POST', controlPaths.mount, { text: '{}', variables: { A: 'b' } }, 'mount', Promise.resolve(ok({ entries: [], warnings: [] })), ['{}', { A: 'b' }, { preview: false, unguarded: false }], { entries: [], warnings: [] }],
    ['GET', controlPaths.handles, undefined, 'handles', [], [{ all: false }], { handles: [] }],
    ['GET', `${controlPaths.handles}?all=true`, undefined, 'handles', [], [{ all: true }], { handles: [] }],
    ['GET', controlPaths.handle('txn_1_x'), undefined, 'show', ok({ handle: 'txn_1_x' }), ['txn_1_x'], { handle: 'txn_1_x' }],
    ['POST', controlPaths.decline('txn_1_x'), { reason: 'no' }, 'decline', ok({ handle: 'txn_1_x' }), ['txn_1_x', 'no'], { handle: 'txn_1_x' }],
    ['POST', controlPaths.decline('txn_1_x'), {}, 'decline', ok({ handle: 'txn_1_x' }), ['txn_1_x', null], { handle: 'txn_1_x' }],
    ['POST', controlPaths.totp('txn_1_x'), { code: '123456' }, 'attest', ok({ handle: 'txn_1_x' }), ['txn_1_x', '123456'], { handle: 'txn_1_x' }],
    ['GET', controlPaths.change('txn_1_x'), undefined, 'change', ok({ change: 'txn_1_x' }), ['txn_1_x'], { change: 'txn_1_x' }],
    ['GET', controlPaths.clients, undefined, 'clients', [], [], { clients: [] }],
    ['POST', controlPaths.clients, { name: 'A client', roles: ['hr'] }, 'addClient', ok({ status: 'applied', token: 't' }), ['A client', ['hr'], { patienceS: null }], { status: 'applied', token: 't' }],
    ['DELETE', controlPaths.client('A client/ü'), undefined, 'revokeClient', applied, ['A client/ü'], { status: 'applied' }],
    ['GET', `${controlPaths.audit}?chain=passes&limit=3&before=9`, undefined, 'auditList', ok([]), [{ chain: 'passes', limit: 3, before: 9 }], { events: [] }],
    ['GET', controlPaths.auditVerify, undefined, 'auditVerify', ok({ ok: true, rows: 2 }), [], { ok: true, rows: 2 }],
    ['POST', controlPaths.pause, undefined, 'pause', ok({ paused: true }), [], { paused: true }],
    ['POST', controlPaths.resume, undefined, 'resume', ok({ paused: false }), [], { paused: false }],
    ['GET', controlPaths.doctor, undefined, 'doctor', { version: '1' }, [], { version: '1' }],
  ];
  it.each(routes)('%s %s', async (method, path, body, name, answer, input, told) => {
    const asked = await asking({ [name]: answer });
    const response = await ask(method, path, body);
    expect([response.status, response.json]).toEqual([200, told]);
    expect(asked).toEqual([[name, ...input]]);
  });

  it('tell a change that waits for a click as 202 with its address', async () => {
    await asking({ connect: Promise.resolve(ok({ status: 'waiting', change: 'txn_1_x', expires_at: 'soon' })) });
    const response = await ask('PUT', controlPaths.target('fs'), { command: 'x' });
    expect([response.status, response.headers.get('location'), response.json.change]).toEqual([202, '/v1/countersign/changes/txn_1_x', 'txn_1_x']);
  });

  it('tell a refusal with its place and its numbers', async () => {
    await asking({ connect: Promise.resolve(refused('invalid-entry', 'command')), attest: refusedWith('wrong-code', { attempts_left: 3 }) });
    const entry = await ask('PUT', controlPaths.target('fs'), {});
    expect([entry.status, entry.json.error.data]).toMatchObject([400, { code: 'invalid-entry', at: 'command' }]);
    const code = await ask('POST', controlPaths.totp('txn_1_x'), { code: '000000' });
    expect([code.status, code.json.error.data]).toMatchObject([401, { code: 'wrong-code', attempts_left: 3 }]);
  });

  it.each([
    ['POST', controlPaths.clients, { name: 1 }, 'name'],
    ['POST', controlPaths.clients, { name: 'a', role: 'x' }, 'role'],
    ['POST', controlPaths.clients, { name: 'a', roles: ['x', 2] }, 'roles[1]'],
    ['POST', controlPaths.mount, [], '$'],
    ['GET', `${controlPaths.audit}?limit=-1`, undefined, 'limit'],
    ['GET', `${controlPaths.audit}?chain=passes&chain=decisions`, undefined, 'chain'],
    ['GET', `${controlPaths.audit}?chain=other`, undefined, 'chain'],
    ['GET', `${controlPaths.handles}?everything=1`, undefined, 'everything'],
  ])('%s %s refuses %j at %s', async (method, path, body, at) => {
    const asked = await asking({ addClient: ok({}), decline: ok({}), mount: ok({}), auditList: ok([]), handles: [] });
    const response = await ask(method, path, body);
    expect([response.status, response.json.error.data]).toMatchObject([400, { code: 'invalid-params', at }]);
    expect(asked).toEqual([]);
  });

  it('stream the audit line by line, and stop when nobody reads', async () => {
    let made = 0;
    function* lines() {
      for (; made < 200_000; made += 1) yield `${JSON.stringify({ seq: made, filler: 'x'.repeat(200) })}\n`;
    }
    await asking({ auditExport: ok({ [Symbol.iterator]: lines }) });
    const response = await fetch(stand.url + controlPaths.auditExport, { headers: { authorization: `Bearer ${CONTROL_TOKEN}` } });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^\{"seq":0,/);
    await reader.cancel();
    await expect.poll(async () => (await stand.send('/healthz', { method: 'GET' })).status).toBe(200);
    expect(made).toBeLessThan(200_000);
  });

  it('end the sessions of a client whose token is revoked', async () => {
    await asking({ revokeClient: applied });
    const session = await openSession(stand);
    await ask('DELETE', controlPaths.client('alpha'));
    expect(stand.seen.ended).toEqual([session]);
    expect((await speak(stand, { jsonrpc: '2.0', id: 1, method: 'ping' }, { session })).status).toBe(404);
  });

  it('open to no client, and no client route opens to the control token', async () => {
    const asked = await asking({ targets: [], handles: [], clients: [], doctor: {}, pause: ok({}) });
    for (const [method, path] of [['GET', controlPaths.targets], ['GET', controlPaths.handles], ['GET', controlPaths.clients], ['GET', controlPaths.doctor], ['POST', controlPaths.pause]] as const) {
      expect((await stand.send(path, { method })).status).toBe(401);
    }
    for (const [method, path] of [['POST', '/mcp'], ['GET', '/mcp'], ['POST', '/v1/mcp-gateway/fs/invoke'], ['GET', '/v1/mcp-gateway/handles/txn_1_000000000000']] as const) {
      expect((await stand.send(path, { method, token: CONTROL_TOKEN, body: method === 'POST' ? {} : undefined })).status).toBe(401);
    }
    expect(asked).toEqual([]);
  });
});
