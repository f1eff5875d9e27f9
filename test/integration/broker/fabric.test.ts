import http from 'node:http';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileChange } from '../../../src/main/broker/index.ts';
import type { CompiledChange } from '../../../src/main/broker/index.ts';
import { createFabric } from '../../../src/main/fabric/index.ts';
import type { FabricDeps } from '../../../src/main/fabric/index.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { fabricErrors } from '../../support/fabric-server/behaviours.ts';
import { startFabricServer } from '../../support/fabric-server/server.ts';
import type { FabricServer } from '../../support/fabric-server/server.ts';

let server: FabricServer;
beforeEach(async () => void (server = await startFabricServer()));
afterEach(() => server.close());

const aFabric = (over: Partial<FabricDeps> = {}) => createFabric({ origin: server.origin, credentials: () => server.credentials, clock: createClock(), ...over });
const yes = () => true;
function change(): CompiledChange {
  const compiled = compileChange('connection_create', exampleBody('COLO2COLO-Dot1q2Dot1q'));
  if (!compiled.ok) throw new Error('the example does not compile');
  return compiled.change;
}

describe('the token', () => {
  it('is asked for once with JSON, also by many at a time, and used until Fabric takes it no longer', async () => {
    const fabric = aFabric();
    await Promise.all(Array.from({ length: 8 }, () => fabric.dryRun(change())));
    expect(server.of('token').map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ grant_type: 'client_credentials', client_id: 'lab-access', client_secret: 'lab-secret-0123' }]);
    server.revokeTokens();
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'refused', status: 401 });
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'answered' });
    expect(server.of('token')).toHaveLength(2);
    expect(server.of('dry-run')).toHaveLength(10);
  });

  it('is never asked for again with credentials that were refused, so that the account is not locked', async () => {
    let pair = { accessKey: 'lab-access', secretKey: 'wrong' };
    const fabric = aFabric({ credentials: () => pair });
    for (let count = 0; count < 6; count += 1) expect(await fabric.dryRun(change())).toMatchObject({ kind: 'unsent', why: 'credentials-refused' });
    expect(server.of('token')).toHaveLength(1);
    pair = server.credentials;
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'answered' });
  });

  it('is asked for once with each of several wrong credentials, also when they come back, or at the same time', async () => {
    const wrong = (secretKey: string) => ({ accessKey: 'lab-access', secretKey });
    let pair = wrong('first');
    const fabric = aFabric({ credentials: () => pair });
    const tries: Promise<unknown>[] = [];
    for (const secret of ['first', 'second', 'first', 'second']) {
      pair = wrong(secret);
      tries.push(fabric.dryRun(change()));
    }
    expect(await Promise.all(tries)).toMatchObject(tries.map(() => ({ kind: 'unsent', why: 'credentials-refused' })));
    pair = wrong('first');
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'unsent', why: 'credentials-refused' });
    expect(server.of('token')).toHaveLength(2);
  });

  it.each([['0'], ['garbage']])('of a lifetime of %s is used once', async (token_timeout) => {
    server.next('token', { kind: 'answer', status: 200, body: { access_token: 'short-lived', token_timeout, token_type: 'Bearer' } });
    const fabric = aFabric();
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'refused', status: 401 });
    expect(await fabric.dryRun(change())).toMatchObject({ kind: 'answered' });
  });

  it('is not looked for elsewhere: without credentials, or with a redirect, nothing is sent to Fabric', async () => {
    expect(await aFabric({ credentials: () => undefined }).dryRun(change())).toMatchObject({ kind: 'unsent', why: 'no-credentials' });
    server.next('token', { kind: 'redirect', status: 307, to: `${server.origin}/elsewhere` });
    expect(await aFabric().dryRun(change())).toMatchObject({ kind: 'unsent', why: 'unreachable' });
    expect(server.received.map(({ place }) => place)).toEqual(['token']);
  });
});

describe('a create', () => {
  it('sends the canonical bytes, the same as its dry run', async () => {
    const fabric = aFabric();
    await fabric.dryRun(change());
    expect(await fabric.create(change(), yes)).toMatchObject({ kind: 'answered', status: 201 });
    expect([server.of('dry-run')[0]!.body, server.of('create')[0]!.body]).toEqual([change().bodyText, change().bodyText]);
    expect(server.of('create')[0]!.target).toBe('/fabric/v4/connections');
  });

  it('asks at the last moment, and leaves nothing when it may not be sent', async () => {
    const fabric = aFabric();
    const asked: number[] = [];
    const reply = await fabric.create(change(), () => {
      asked.push(server.of('token').length);
      return false;
    });
    expect(reply).toMatchObject({ kind: 'unsent', why: 'held-back' });
    expect([asked, server.of('create')]).toEqual([[1], []]);
  });

  it.each([[301], [302], [303], [307], [308]])('does not follow a redirect of %i, and does not know then what happened', async (status) => {
    server.next('create', { kind: 'redirect', status, to: `${server.origin}/fabric/v4/connections` });
    expect(await aFabric().create(change(), yes)).toMatchObject({ kind: 'lost' });
    expect([server.of('create').length, server.created.length]).toEqual([1, 0]);
  });

  it.each([['reset'], ['silent']] as const)('whose answer is lost (%s) is lost, not failed, and is not repeated', async (kind) => {
    server.next('create', { kind });
    expect(await aFabric({ limits: { createMs: 300 } }).create(change(), yes)).toMatchObject({ kind: 'lost' });
    expect([server.of('create').length, server.created.length]).toEqual([1, 1]);
  });

  it.each([[500], [502], [503], [504], [408]])('answered with %i is lost as well', async (status) => {
    server.next('create', { kind: 'answer', status, body: fabricErrors.prices });
    expect(await aFabric().create(change(), yes)).toMatchObject({ kind: 'lost' });
    expect(server.of('create')).toHaveLength(1);
  });

  it('whose answer is cut off after its 201 is done, without a body', async () => {
    server.next('create', { kind: 'cut' });
    expect(await aFabric().create(change(), yes)).toEqual({ kind: 'answered', status: 201, body: undefined });
  });

  it('to where nobody listens is not sent', async () => {
    const free = await new Promise<number>((resolve) => {
      const probe = net.createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as net.AddressInfo;
        probe.close(() => resolve(port));
      });
    });
    expect(await aFabric({ origin: `http://127.0.0.1:${free}` }).create(change(), yes)).toMatchObject({ kind: 'unsent', why: 'unreachable' });
  });
});

describe('errors', () => {
  it.each<[string, number, unknown, unknown]>([
    ['a list', 403, fabricErrors.noPermission, [{ code: 'EQ-3142402', message: 'Do not have create connection permission on this port', property: null }]],
    ['a list with more to say', 400, fabricErrors.badQuery, [{ code: 'EQ-3036013', message: 'Invalid Query Parameter; not one of the allowed values', property: 'presence' }]],
    ['one alone', 404, fabricErrors.unknownUuid[0], [{ code: 'EQ-3045811', message: 'uuid not found', property: null }]],
    ['an empty list', 400, [], []],
    ['strangers', 400, ['x', null, 5], []],
  ])('are read from %s', async (_, status, body, errors) => {
    server.next('dry-run', { kind: 'answer', status, body: body as never });
    expect(await aFabric().dryRun(change())).toEqual({ kind: 'refused', status, errors });
  });

  it.each<[string, Parameters<FabricServer['next']>[1]]>([
    ['a page for people', { kind: 'raw', status: 200, text: '<html>' }],
    ['nothing', { kind: 'raw', status: 200, text: '' }],
    ['twice the same member', { kind: 'raw', status: 200, text: '{"name":"a","name":"b"}' }],
    ['another encoding', { kind: 'raw', status: 200, text: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['far too much', { kind: 'raw', status: 200, text: `"${'x'.repeat(70_000)}"` }],
  ])('an answer of %s has no body', async (_, behaviour) => {
    server.next('dry-run', behaviour);
    expect(await aFabric({ limits: { answerBytes: 65_536 } }).dryRun(change())).toEqual({ kind: 'answered', status: 200, body: undefined });
  });

  it('and silence: a reading ends when its time is over, or when nobody waits for it any more', async () => {
    server.next('read', { kind: 'silent' });
    server.next('read', { kind: 'silent' });
    expect(await aFabric({ limits: { requestMs: 200 } }).read({ path: 'metros' })).toMatchObject({ kind: 'lost' });
    const call = new AbortController();
    const reading = aFabric().read({ path: 'metros' }, call.signal);
    await server.seen('read', 2);
    call.abort();
    expect(await reading).toMatchObject({ kind: 'lost', note: 'the call was cancelled' });
  });
});

describe('prices', () => {
  const filter = { and: [{ property: '/type', operator: '=', values: ['VIRTUAL_CONNECTION_PRODUCT'] }] };
  const card = (length: number) => Array.from({ length }, (_, index) => ({ code: `P${index}` }));

  it.each([[0], [1], [100], [101], [250]])('of %i rows come whole, the first page asked for as documented', async (length) => {
    server.prices = card(length);
    expect(await aFabric().prices(filter)).toEqual({ kind: 'rows', rows: card(length) });
    expect(JSON.parse(server.of('prices')[0]!.body)).toEqual({ filter });
  });

  it('that cannot be read whole are none', async () => {
    server.prices = card(150);
    server.next('prices', { kind: 'answer', status: 200, body: { pagination: { offset: 0, limit: 100, total: 150 }, data: card(100) } });
    server.next('prices', { kind: 'answer', status: 200, body: { pagination: { offset: 0, limit: 100, total: 150 }, data: card(100) } });
    expect(await aFabric().prices(filter)).toMatchObject({ kind: 'none' });
    server.next('prices', { kind: 'answer', status: 500, body: fabricErrors.prices });
    expect(await aFabric().prices(filter)).toMatchObject({ kind: 'none' });
    server.next('prices', { kind: 'silent' });
    expect(await aFabric({ limits: { pricesMs: 200 } }).prices(filter)).toMatchObject({ kind: 'none' });
  });
});

it('sends the bearer to its own origin only', async () => {
  const seen: (string | undefined)[] = [];
  const other = http.createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  server.next('read', { kind: 'redirect', status: 302, to: `http://127.0.0.1:${(other.address() as net.AddressInfo).port}/` });
  expect(await aFabric().read({ path: 'metros' })).toMatchObject({ kind: 'lost' });
  expect(seen).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});
