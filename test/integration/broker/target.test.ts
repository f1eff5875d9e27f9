import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ElicitAnswer, Question } from '../../../src/main/broker/ports.ts';
import type { Ask } from '../../../src/main/broker-server/index.ts';
import type { Target } from '../../../src/main/targets/target.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { examples, exampleBody, refusedAt } from '../../fixtures/fabric/requests.ts';
import { aClient, aTarget } from '../../support/builders.ts';
import { fabricErrors } from '../../support/fabric-server/behaviours.ts';
import { startFabricServer } from '../../support/fabric-server/server.ts';
import type { FabricServer } from '../../support/fabric-server/server.ts';
import { aBrokerTarget, textIn, toldIn } from './stand.ts';

let server: FabricServer;
beforeEach(async () => void (server = await startFabricServer()));
afterEach(() => server.close());

const accept: ElicitAnswer = { action: 'accept', content: { confirm: true } };
const accepting: Ask = () => Promise.resolve(accept);
const aws = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };

interface Listed {
  readonly name: string;
  readonly annotations: object;
  readonly inputSchema: object;
}
function toolsIn(answer: Answer): readonly Listed[] {
  if (answer.kind !== 'result') throw new Error('no list');
  return answer.result['tools'] as readonly Listed[];
}

describe('every published request', () => {
  it('is tried out and created with the same canonical bytes, but for the two that are wrong', async () => {
    const { call } = aBrokerTarget(server, accepting);
    for (const { name, changeType, body } of examples) {
      const [dry, real] = [server.of('dry-run').length, server.of('create').length];
      const proposed = toldIn(await call('fabric_propose_change', { change_type: changeType, spec: body }));
      const at = refusedAt[name];
      if (at !== undefined) {
        expect(proposed, name).toMatchObject({ error: { code: 'invalid-spec' }, faults: [{ at }] });
        expect([server.of('dry-run').length, server.of('create').length]).toEqual([dry, real]);
        continue;
      }
      const confirmed = toldIn(await call('fabric_confirm_change', { confirm_token: proposed['confirm_token'] }));
      expect(confirmed, name).toMatchObject({ phase: 'executed', executed: true, human_confirmation: { status: 'accepted' } });
      const [tried, sent] = [server.of('dry-run').at(-1)!, server.of('create').at(-1)!];
      expect([server.of('dry-run').length, server.of('create').length]).toEqual([dry + 1, real + 1]);
      expect(sent.body, name).toBe(tried.body);
      expect(JSON.parse(sent.body), name).toEqual(body);
      expect(tried.target).toBe(`${sent.target}?dryRun=true`);
      expect(createHash('sha256').update(`{"body":${sent.body},"change_type":"${changeType}"}`).digest('hex')).toBe(confirmed['request_sha256']);
    }
    expect(server.created).toHaveLength(examples.length - Object.keys(refusedAt).length);
    expect(server.of('token')).toHaveLength(1);
  });
});

describe('the target', () => {
  it('fits the shape of a target, and shows a face and its tools', async () => {
    const target: Target = aBrokerTarget(server, undefined).target;
    const downstream = { session: 's', capabilities: {}, clientInfo: {} };
    expect(await target.face(downstream)).toMatchObject({ serverInfo: { name: 'countersign-fabric' }, capabilities: { tools: {} } });
    const list = await target.list('tools/list', downstream);
    const tools = toolsIn(list);
    expect(tools.filter(({ annotations }) => 'readOnlyHint' in annotations && annotations.readOnlyHint !== true).map(({ name }) => name)).toEqual(['fabric_propose_change', 'fabric_confirm_change']);
    expect(tools.every(({ name }) => !/delete|update|patch/.test(name))).toBe(true);
    expect(tools.find(({ name }) => name === 'fabric_confirm_change')!.inputSchema).toMatchObject({ type: 'object', required: ['confirm_token'], additionalProperties: false });
    expect(await target.list('prompts/list', downstream)).toEqual({ kind: 'result', result: { prompts: [] } });
    expect(server.received).toEqual([]);
    await target.close();
  });

  it.each<[string, readonly string[]]>([['', []], ['fabric', []], ['design, FABRIC ,nonsense', []], ['mutate', ['fabric_propose_change', 'fabric_confirm_change']]])('serves the tools that change something only where they are named: "%s"', async (named, changing) => {
    const { target, call } = aBrokerTarget(server, accepting, { EQUINIX_MCP_TOOLSETS: named });
    const list = await target.list('tools/list');
    const names = toolsIn(list).map(({ name }) => name);
    expect(names.filter((name) => /change/.test(name))).toEqual(changing);
    expect(names.includes('fabric_search_connections')).toBe(named !== 'mutate');
    if (changing.length === 0) expect(await call('fabric_propose_change', aws)).toMatchObject({ kind: 'error', error: { code: -32602 } });
  });

  it('asks with what a window shows, and never gives the secret to anybody', async () => {
    const questions: Question[] = [];
    const { call, lines } = aBrokerTarget(server, (question) => {
      questions.push(question);
      return Promise.resolve(accept);
    });
    const proposed = await call('fabric_propose_change', aws);
    const confirmed = await call('fabric_confirm_change', { confirm_token: toldIn(proposed)['confirm_token'] });
    expect(questions[0]).toMatchObject({ card: { hash: toldIn(proposed)['request_sha256'], masked: ['body.zSide.accessPoint.authenticationKey'], text: expect.stringContaining('pair-4711-key') as string } });
    for (const text of [JSON.stringify(proposed), JSON.stringify(confirmed), questions[0]!.message, lines.join('')]) expect(text).not.toContain('pair-4711-key');
    expect(lines.join('')).not.toContain(server.credentials.secretKey);
    expect(server.of('create')[0]!.body).toContain('pair-4711-key');
  });

  it('is unsupported_by_client where nobody can be asked', async () => {
    const { call } = aBrokerTarget(server, undefined);
    const token = toldIn(await call('fabric_propose_change', aws))['confirm_token'];
    expect(toldIn(await call('fabric_confirm_change', { confirm_token: token }))).toMatchObject({ executed: false, human_confirmation: { status: 'unsupported_by_client' } });
    expect(server.of('create')).toEqual([]);
  });

  it('takes nothing but the token to confirm, and tells the predicates even then', async () => {
    const { call } = aBrokerTarget(server, accepting);
    const token = toldIn(await call('fabric_propose_change', aws))['confirm_token'];
    for (const args of [{ confirm_token: token, confirm: true }, { confirm_token: 5 }, {}, { confirm_token: token, spec: {} }]) {
      const refused = await call('fabric_confirm_change', args);
      expect(toldIn(refused)).toMatchObject({ error: { code: 'invalid-params' }, confirm_checks: { proposal_exists: 'not_evaluated' } });
    }
    expect(toldIn(await call('fabric_confirm_change', { confirm_token: token }))['executed']).toBe(true);
    const replayed = await call('fabric_confirm_change', { confirm_token: token });
    expect(textIn(replayed)).toMatch(/^fabric_confirm_change failed: .*\nconfirm_checks: proposal_exists=true, not_evicted=true, not_expired=not_evaluated, not_previously_used=false, request_matches_binding=not_evaluated$/s);
    expect(server.created).toHaveLength(1);
  });

  it('drops nothing of a specification on its way to the check', async () => {
    const { target } = aBrokerTarget(server, accepting);
    const paramsText = '{"name":"fabric_propose_change","arguments":{"change_type":"network_create","spec":{"__proto__":{"type":"EPLAN"},"name":"n"}}}';
    expect(toldIn(await target.call({ client: aClient(), target: aTarget('fabric'), method: 'tools/call', paramsText, session: 's', approved: false, deadlineMs: 60_000 }))).toMatchObject({ faults: expect.arrayContaining([expect.objectContaining({ at: 'spec.__proto__' })]) as unknown });
  });

  it('tells an unknown outcome, and finds by name what was created all the same', async () => {
    const { call } = aBrokerTarget(server, accepting);
    const token = toldIn(await call('fabric_propose_change', aws))['confirm_token'];
    server.next('create', { kind: 'reset' });
    const told = toldIn(await call('fabric_confirm_change', { confirm_token: token }));
    expect(told).toMatchObject({ phase: 'unknown', executed: null });
    const { tool, filter } = told['look_up'] as { readonly tool: string; readonly filter: object };
    const found = toldIn(await call(tool, { filter }));
    expect(found['data']).toMatchObject([{ name: 'to aws', zSide: { accessPoint: { authenticationKey: '[secret, 13 characters]' } } }]);
    expect(server.of('create')).toHaveLength(1);
  });

  it('raises the alarm and mints nothing when the dry run was ignored', async () => {
    const { call, lines } = aBrokerTarget(server, accepting);
    server.next('dry-run', { kind: 'ignores-dry-run' });
    const told = await call('fabric_propose_change', aws);
    expect(textIn(told)).toContain('ALARM');
    expect(toldIn(told)).toMatchObject({ error: { code: 'dry-run-alarm' }, alarm: true });
    expect(toldIn(told)['confirm_token']).toBeUndefined();
    expect(lines.some((line) => line.includes('broker.dry-run.alarm') && line.includes('"error"'))).toBe(true);
  });

  it('tells that a kind cannot be tried out', async () => {
    const { call } = aBrokerTarget(server, accepting);
    server.next('dry-run', { kind: 'answer', status: 400, body: fabricErrors.noDryRun });
    expect(toldIn(await call('fabric_propose_change', aws))).toMatchObject({ error: { code: 'dry-run-unsupported' } });
  });

  it('prices a connection from the pages of the rate card', async () => {
    server.prices = Array.from({ length: 120 }, (_, index) => ({ type: 'VIRTUAL_CONNECTION_PRODUCT', code: `VC-${index}`, currency: 'USD', termLength: 1, charges: [{ type: 'MONTHLY_RECURRING', price: index }], connection: { type: 'EVPL_VC', bandwidth: index === 110 ? 1000 : 7 } }));
    const { call } = aBrokerTarget(server, accepting);
    expect(toldIn(await call('fabric_propose_change', aws))['price_context']).toMatchObject({ priced: true, monthly_recurring: 110, currency: 'USD', code: 'VC-110' });
    expect(server.of('prices')).toHaveLength(2);
  });
});

describe('a cancelled call', () => {
  it('while the human thinks sends nothing, and takes the question back', async () => {
    const call = new AbortController();
    let takenBack = false;
    const { call: send } = aBrokerTarget(server, (_, signal) => {
      signal.addEventListener('abort', () => (takenBack = true));
      call.abort();
      return new Promise(() => undefined);
    });
    const token = toldIn(await send('fabric_propose_change', aws))['confirm_token'];
    expect(toldIn(await send('fabric_confirm_change', { confirm_token: token }, { signal: call.signal }))).toMatchObject({ executed: false, human_confirmation: { status: 'call_cancelled' } });
    expect([takenBack, server.of('create')]).toEqual([true, []]);
  });

  it('after the create has left is told that it was executed', async () => {
    const call = new AbortController();
    let answer: (value: unknown) => void = () => undefined;
    server.next('create', { kind: 'slow', until: new Promise((resolve) => (answer = resolve)) });
    const { call: send } = aBrokerTarget(server, accepting);
    const token = toldIn(await send('fabric_propose_change', aws))['confirm_token'];
    const confirming = send('fabric_confirm_change', { confirm_token: token }, { signal: call.signal });
    await server.seen('create');
    call.abort();
    answer(undefined);
    expect(toldIn(await confirming)).toMatchObject({ executed: true, call_cancelled_after_send: true });
  });

  it('before it began consumes nothing', async () => {
    const { call } = aBrokerTarget(server, accepting);
    const token = toldIn(await call('fabric_propose_change', aws))['confirm_token'];
    expect(await call('fabric_confirm_change', { confirm_token: token }, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'fault', sent: false });
    expect(toldIn(await call('fabric_confirm_change', { confirm_token: token }))['executed']).toBe(true);
  });

  it('is what stopping does to a question, and stopping waits for a create that has left', async () => {
    let answer: (value: unknown) => void = () => undefined;
    server.next('create', { kind: 'slow', until: new Promise((resolve) => (answer = resolve)) });
    const { call, target } = aBrokerTarget(server, accepting);
    const token = toldIn(await call('fabric_propose_change', aws))['confirm_token'];
    const confirming = call('fabric_confirm_change', { confirm_token: token });
    await server.seen('create');
    const closing = target.close();
    answer(undefined);
    await closing;
    expect(toldIn(await confirming)['executed']).toBe(true);
  });
});

describe('the readings', () => {
  it.each<[string, object, string, unknown]>([
    ['fabric_search_connections', { filter: { and: [] }, limit: 5 }, 'POST /fabric/v4/connections/search', { filter: { and: [] }, pagination: { offset: 0, limit: 5 } }],
    ['fabric_search_networks', {}, 'POST /fabric/v4/networks/search', { pagination: { offset: 0, limit: 20 } }],
    ['fabric_search_service_tokens', {}, 'POST /fabric/v4/serviceTokens/search', { pagination: { offset: 0, limit: 20 } }],
    ['fabric_search_service_profiles', { offset: 40 }, 'POST /fabric/v4/serviceProfiles/search', { pagination: { offset: 40, limit: 20 } }],
    ['fabric_list_ports', { name: 'lab & co' }, 'GET /fabric/v4/ports?name=lab+%26+co', undefined],
    ['fabric_list_metros', {}, 'GET /fabric/v4/metros?offset=0&limit=20', undefined],
    ['fabric_get_metro', { metro_code: 'fr' }, 'GET /fabric/v4/metros/FR', undefined],
    ['fabric_get_port', { uuid: 'p-1' }, 'GET /fabric/v4/ports/p-1', undefined],
    ['fabric_search_prices', { filter: { and: [] } }, 'POST /fabric/v4/prices/search', { filter: { and: [] } }],
  ])('%s asks Fabric as documented', async (name, args, request, body) => {
    await aBrokerTarget(server, undefined).call(name, args);
    const { method, target, body: sent } = server.received.at(-1)!;
    expect([`${method} ${target}`, sent === '' ? undefined : JSON.parse(sent)]).toEqual([request, body]);
  });

  it.each([['../../oauth2/v1/token'], ['a/b'], ['a?dryRun=true'], ['a#b'], [''], ['%2e%2e'], ['a b']])('take no uuid that leads elsewhere: %s', async (uuid) => {
    const { call } = aBrokerTarget(server, undefined);
    expect(toldIn(await call('fabric_get_connection', { uuid }))).toMatchObject({ error: { code: 'invalid-params' } });
    expect(server.received).toEqual([]);
  });

  it('tell what Fabric refuses, and why nothing could be asked', async () => {
    expect(toldIn(await aBrokerTarget(server, undefined).call('fabric_get_connection', { uuid: 'none' }))).toMatchObject({ error: { code: 'fabric-refused' }, fabric_status: 404, fabric_errors: [{ code: 'EQ-3045811' }] });
    expect(toldIn(await aBrokerTarget(server, undefined, { EQUINIX_SECRET_KEY: '' }).call('fabric_get_connection', { uuid: 'none' }))).toMatchObject({ error: { code: 'fabric-no-credentials' } });
  });
});
