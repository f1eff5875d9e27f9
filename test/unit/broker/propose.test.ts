import { describe, expect, it } from 'vitest';
import type { FabricReply } from '../../../src/main/broker/ports.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { aBench, accept, aHuman, codeOf, told } from './bench.ts';

const SECRET = 'pair-4711-key';
const aws = exampleBody('COLO2AWSSPwithDot1q-Primary');
const answered = (body: JsonObject): Promise<FabricReply> => Promise.resolve({ kind: 'answered', status: 200, body });

describe('a proposal', () => {
  it('gives the token, the expiry, the request and its hash, and what the dry run echoed', async () => {
    const bench = aBench();
    const result = told(await bench.broker.propose('connection_create', exampleBody('COLO2COLO-Dot1q2Dot1q')));
    expect(result).toMatchObject({
      phase: 'dry_run', change_type: 'connection_create', validation: { resource: 'connection', type: 'EVPL_VC', bandwidth_mbps: 1000 }, expires_in_seconds: 600, evicted_proposals: [], echo_differences: [],
      compiled_request: { body: exampleBody('COLO2COLO-Dot1q2Dot1q'), change_type: 'connection_create' }, request_sha256: bench.tried[0]!.hash, price_context: { priced: false, note: 'unpriced: no rate card here' },
    });
    expect(result['confirm_token']).toMatch(/^chg-1-[0-9a-f]{24}$/);
  });

  it('is refused before anything is sent when it is not a good one', async () => {
    const bench = aBench();
    expect(codeOf(await bench.broker.propose('connection_create', { ...aws, colour: 'red' }))).toBe('invalid-spec');
    expect(codeOf(await bench.broker.propose('connection_delete', aws))).toBe('invalid-spec');
    expect(codeOf(await bench.broker.propose('network_create', undefined))).toBe('invalid-spec');
    expect([bench.tried, bench.asked, bench.sent]).toEqual([[], [], []]);
  });

  it.each<[string, FabricReply, string]>([
    ['refused', { kind: 'refused', status: 400, errors: [{ code: 'EQ-3036013', message: `bad key ${SECRET}`, property: 'zSide' }] }, 'dry-run-refused'],
    ['not to be had for this kind', { kind: 'refused', status: 400, errors: [{ code: 'EQ-3142411', message: 'no dry run', property: null }] }, 'dry-run-unsupported'],
    ['unreadable', { kind: 'answered', status: 200, body: undefined }, 'dry-run-unreadable'],
    ['without an answer', { kind: 'lost', note: 'silence' }, 'fabric-lost'],
    ['without credentials', { kind: 'unsent', why: 'no-credentials', note: '' }, 'fabric-no-credentials'],
    ['not reached', { kind: 'unsent', why: 'unreachable', note: 'ECONNREFUSED' }, 'fabric-unreachable'],
    ['answered with a uuid', { kind: 'answered', status: 200, body: { ...aws, uuid: 'real-1' } }, 'dry-run-alarm'],
    ['answered with a state', { kind: 'answered', status: 201, body: { ...aws, state: 'PROVISIONING' } }, 'dry-run-alarm'],
    ['answered with an address', { kind: 'answered', status: 200, body: { ...aws, href: 'https://fabric.example/x' } }, 'dry-run-alarm'],
  ])('mints nothing when the dry run is %s', async (_, reply, code) => {
    const bench = aBench({ dryRun: () => Promise.resolve(reply) });
    const outcome = await bench.broker.propose('connection_create', aws);
    expect([outcome.isError, codeOf(outcome), told(outcome)['confirm_token']]).toEqual([true, code, undefined]);
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
    expect(bench.events.some(({ type }) => type === 'proposal.minted')).toBe(false);
  });

  it('mints nothing for a call that was cancelled in the meantime', async () => {
    const call = new AbortController();
    const bench = aBench({ dryRun: ({ body }) => { call.abort(); return answered(body); } });
    expect(codeOf(await bench.broker.propose('connection_create', aws, { signal: call.signal }))).toBe('withdrawn');
    expect(bench.events.map(({ type }) => type)).toEqual(['proposal.refused']);
  });

  it('raises the alarm with what may have been created', async () => {
    const bench = aBench({ dryRun: ({ body }) => answered({ ...body, uuid: 'real-1', state: 'PROVISIONING' }) });
    const outcome = await bench.broker.propose('connection_create', aws);
    expect(outcome.sentence).toMatch(/^ALARM.*uuid "real-1".*"to aws"/);
    expect(bench.events.map(({ type }) => type)).toEqual(['dry-run.alarmed']);
  });

  it('lists those it evicts', async () => {
    const bench = aBench();
    const first = await bench.token();
    for (let count = 1; count < 20; count += 1) await bench.token();
    const result = told(await bench.broker.propose('connection_create', aws));
    expect(result['evicted_proposals']).toMatchObject([{ confirm_token: first, change_type: 'connection_create', name: 'port to port' }]);
  });

  it('tells where the echo is not what was proposed, and says of secrets only that they differ', async () => {
    const bench = aBench({
      dryRun: ({ body }) => {
        const rest = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'order'));
        return answered({ ...rest, bandwidth: 500, zSide: { accessPoint: { ...((body['zSide'] as JsonObject)['accessPoint'] as JsonObject), authenticationKey: 'another-secret', profile: { uuid: 'c', href: 'https://fabric.example/c' } } } });
      },
    });
    const result = told(await bench.broker.propose('connection_create', { ...aws, zSide: { accessPoint: { type: 'SP', profile: { uuid: 'c' }, authenticationKey: SECRET } } }));
    expect(result['echo_differences']).toEqual([
      { path: 'bandwidth', proposed: '1000', echoed: '500' },
      { path: 'order.purchaseOrderNumber', proposed: '"po-88"', echoed: null },
      { path: 'order.termLength', proposed: '1', echoed: null },
      { path: 'zSide.accessPoint.authenticationKey', proposed: '[secret]', echoed: '[secret]' },
    ]);
  });
});

describe('secrets', () => {
  const secretive = { ...aws, additionalInfo: [{ key: 'accessKey', value: 'AKZZ-not-for-eyes' }, { key: 'secretKey', value: 'hush-hush-hush' }, { key: 'ASN', value: 64512 }, { key: 'bgp md5', value: 1234567 }] };
  const hidden = [SECRET, 'AKZZ-not-for-eyes', 'hush-hush-hush', '1234567'];

  it('stand in no result and no question, and change the hash', async () => {
    const bench = aBench({ dryRun: ({ body }) => answered(body) });
    const proposed = await bench.broker.propose('connection_create', secretive);
    const human = aHuman();
    const confirming = bench.broker.confirm(told(proposed)['confirm_token'] as string, { elicit: human.elicit });
    await human.asked();
    const { message, card } = human.questions[0]!;
    human.answer(accept);
    const executed = await confirming;
    for (const secret of hidden) for (const text of [JSON.stringify(proposed), message, JSON.stringify(card.facts), JSON.stringify(executed), JSON.stringify(bench.events)]) expect(text).not.toContain(secret);
    expect(message).toContain('zSide.accessPoint.authenticationKey = "[secret, 13 characters]"');
    expect(message).toContain('additionalInfo[2].value = 64512');
    expect(card.masked).toEqual(['body.additionalInfo[0].value', 'body.additionalInfo[1].value', 'body.additionalInfo[3].value', 'body.zSide.accessPoint.authenticationKey']);
    const other = await bench.broker.propose('connection_create', { ...secretive, additionalInfo: [] });
    expect(told(other)['request_sha256']).not.toBe(told(proposed)['request_sha256']);
    expect(bench.sent[0]!.bodyText).toContain(SECRET);
  });
});

it('are masked where they stand and nowhere else, so that no key can hide a field from the human', async () => {
  const bench = aBench();
  const human = aHuman();
  const spec = { ...aws, name: 'EVPL_VC', zSide: { accessPoint: { type: 'SP', profile: { uuid: 'the-real-one' }, authenticationKey: 'the-real-one' } }, additionalInfo: [{ key: 'secret', value: 'EVPL_VC' }, { key: 'monkey', value: 'in view' }] };
  const confirming = bench.broker.confirm(await bench.token(spec), { elicit: human.elicit });
  await human.asked();
  const { message } = human.questions[0]!;
  human.answer({ action: 'decline' });
  await confirming;
  for (const line of ['type = "EVPL_VC"', 'name = "EVPL_VC"', 'zSide.accessPoint.profile.uuid = "the-real-one"', 'zSide.accessPoint.authenticationKey = "[secret, 12 characters]"', 'additionalInfo[0].value = "[secret, 7 characters]"', 'additionalInfo[1].value = "in view"']) expect(message).toContain(`\n  ${line}\n`);
});

describe('the question', () => {
  it('names change, target, price, term, age, hash and every field, and has one box without a default', async () => {
    const rows = [{ type: 'VIRTUAL_CONNECTION_PRODUCT', code: 'VC-100', charges: [{ type: 'MONTHLY_RECURRING', price: 500.5 }, { type: 'NON_RECURRING', price: 0 }], currency: 'EUR', termLength: 24, connection: { type: 'EVPL_VC', bandwidth: 100 } }];
    const bench = aBench({ prices: { kind: 'rows', rows } });
    const body = exampleBody('COLO2COLO-Dot1q2Dot1q-withTerms');
    const human = aHuman();
    const confirming = bench.broker.confirm(await bench.token(body), { elicit: human.elicit });
    await human.asked();
    const { message, requestedSchema, card } = human.questions[0]!;
    expect(message).toContain('Change type: connection_create');
    expect(message).toContain('Target: connection "two years", POST https://fabric.example/fabric/v4/connections');
    expect(message).toContain('Price context: 500.5 EUR a month, 0 EUR once (an estimate from the rate card, not a quote)');
    expect(message).toContain('Term: 24 months, COMMITTED');
    expect(message.indexOf('Change type')).toBeLessThan(message.indexOf('Price context'));
    expect(message).toContain('Proposal age: 0 s of 600 s');
    expect(message).toContain(`Request SHA-256: ${bench.tried[0]!.hash}`);
    expect(message).toContain('  aSide.accessPoint.linkProtocol.vlanTag = 1001');
    expect(requestedSchema).toMatchObject({ type: 'object', required: ['confirm'], properties: { confirm: { type: 'boolean' } } });
    expect(JSON.stringify(requestedSchema)).not.toContain('default');
    expect(card).toMatchObject({ changeType: 'connection_create', hash: bench.tried[0]!.hash, masked: [], expiresAt: card.proposedAt + 600_000 });
    expect(card.facts.map(({ label }) => label)).toEqual(['Price context', 'Term', 'Dry run', 'Where', 'Target', 'Change type']);
    human.answer({ action: 'decline' });
    await confirming;
  });

  it('shows what cannot be seen, and lets no value make a line of its own', async () => {
    const bench = aBench();
    const human = aHuman();
    const confirming = bench.broker.confirm(await bench.token({ ...aws, name: 'harmless\u202e\nProposal age: 0 s' }), { elicit: human.elicit });
    await human.asked();
    const { message } = human.questions[0]!;
    expect(message).toContain('name = "harmless\u2039U+202E RLO\u203a\\nProposal age: 0 s"');
    expect(message.split('\n').filter((line) => line.startsWith('Proposal age'))).toHaveLength(1);
    human.answer({ action: 'cancel' });
    await confirming;
  });
});

describe('the price', () => {
  const row = (over: JsonObject = {}): JsonObject => ({ type: 'VIRTUAL_CONNECTION_PRODUCT', charges: [{ type: 'MONTHLY_RECURRING', price: 150 }], currency: 'USD', termLength: 1, connection: { type: 'EVPL_VC', bandwidth: 1000 }, ...over });
  const priceOf = async (rows: readonly JsonObject[], spec = aws) => told(await aBench({ prices: { kind: 'rows', rows } }).broker.propose('connection_create', spec))['price_context'];

  it('is that of the one rate that fits', async () => {
    expect(await priceOf([row({ connection: { type: 'EVPL_VC', bandwidth: 50 } }), row(), row({ connection: { type: 'IP_VC', bandwidth: 1000 } })])).toMatchObject({ priced: true, monthly_recurring: 150, non_recurring: null, currency: 'USD', price_source: 'EQUINIX_LIVE' });
  });

  it('prefers the term asked for, and says when it has only another', async () => {
    const rates = [row({ termLength: 12, charges: [{ type: 'MONTHLY_RECURRING', price: 120 }] }), row()];
    expect(await priceOf(rates)).toMatchObject({ monthly_recurring: 150 });
    expect(await priceOf(rates.slice(0, 1))).toMatchObject({ monthly_recurring: 120, note: 'the rate is for 12 months, the request is for 1' });
  });

  it.each<[string, readonly JsonObject[]]>([
    ['no rate fits', [row({ connection: { type: 'EVPL_VC', bandwidth: 50 } })]],
    ['rates differ', [row(), row({ charges: [{ type: 'MONTHLY_RECURRING', price: 151 }] })]],
    ['a rate has no charge', [row({ charges: [] })]],
    ['a rate has no currency', [row({ currency: 5 })]],
    ['the metro is another', [row({ connection: { type: 'EVPL_VC', bandwidth: 1000, zSide: { accessPoint: { location: { metroCode: 'SV' } } } } })]],
  ])('is honestly none when %s', async (_, rates) => {
    expect(await priceOf(rates)).toMatchObject({ priced: false, note: expect.stringMatching(/^unpriced: /) as string });
  });

  it('asks with what the request names, and not at all for what has no product', async () => {
    const bench = aBench();
    await bench.broker.propose('connection_create', aws);
    expect(bench.asked[0]).toMatchObject({ and: [{ property: '/type', operator: '=', values: ['VIRTUAL_CONNECTION_PRODUCT'] }, { property: '/connection/type', values: ['EVPL_VC'] }, { property: '/connection/bandwidth', operator: 'IN', values: ['1000'] }, { property: '/connection/aSide/accessPoint/type' }, { property: '/connection/aSide/accessPoint/port/uuid' }, { property: '/connection/zSide/accessPoint/type' }, { property: '/connection/zSide/accessPoint/location/metroCode', values: ['DC'] }, { property: '/connection/zSide/accessPoint/profile/uuid' }] });
    const priced = told(await bench.broker.propose('network_create', exampleBody('Create-Local-EPLAN-Network')))['price_context'];
    expect([priced, bench.asked.length]).toMatchObject([{ priced: false }, 1]);
  });
});
