import { describe, expect, it } from 'vitest';
import { changeTypes, compileChange, TTL_MS } from '../../../src/main/broker/index.ts';
import type { ElicitAnswer, FabricReply } from '../../../src/main/broker/ports.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { aBench, accept, aHuman, answering, checksOf, codeOf, created, statusOf, told } from './bench.ts';

const n = 'not_evaluated';
const HELD = { proposal_exists: true, not_evicted: true, not_expired: true, not_previously_used: true, request_matches_binding: true };

describe('the capability table of document 000', () => {
  it('accept with confirm = true: accepted, executed', async () => {
    const bench = aBench();
    const outcome = await bench.broker.confirm(await bench.token(), { elicit: answering(accept) });
    expect(told(outcome)).toMatchObject({ phase: 'executed', executed: true, token_state: 'consumed', confirm_checks: HELD, result: { uuid: 'made-0001', equinix_status: 'PROVISIONING' } });
    expect(statusOf(outcome)).toBe('accepted');
    expect(bench.sent.map(({ bodyText }) => bodyText)).toEqual(bench.tried.map(({ bodyText }) => bodyText));
  });

  it.each<[string, ElicitAnswer, string]>([
    ['decline', { action: 'decline' }, 'declined'],
    ['cancel', { action: 'cancel' }, 'cancelled'],
    ['accept without confirm', { action: 'accept', content: {} }, 'declined'],
    ['accept without content', { action: 'accept', content: undefined }, 'declined'],
    ['accept with confirm = false', { action: 'accept', content: { confirm: false } }, 'declined'],
    ['accept with the text "true"', { action: 'accept', content: { confirm: 'true' } }, 'declined'],
    ['accept with the number 1', { action: 'accept', content: { confirm: 1 } }, 'declined'],
    ['an answer that is none', { action: 'perhaps' } as unknown as ElicitAnswer, 'failed'],
  ])('%s: nothing is sent', async (_, answer, status) => {
    const bench = aBench();
    const token = await bench.token();
    const outcome = await bench.broker.confirm(token, { elicit: answering(answer) });
    expect([told(outcome)['executed'], statusOf(outcome), checksOf(outcome), bench.sent]).toEqual([false, status, HELD, []]);
    expect(codeOf(await bench.broker.confirm(token, { elicit: answering(accept) }))).toBe('proposal-replayed');
  });

  it('no answer in time: timed_out, and a late one changes nothing', async () => {
    const bench = aBench({ elicitTimeoutMs: 5_000 });
    const human = aHuman();
    const confirming = bench.broker.confirm(await bench.token(), { elicit: human.elicit });
    await human.asked();
    bench.pass(5_000);
    expect(statusOf(await confirming)).toBe('timed_out');
    expect(human.signal()?.aborted).toBe(true);
    human.answer(accept);
    await Promise.resolve();
    expect(bench.sent).toEqual([]);
  });

  it('a round trip that fails, or throws at once: failed', async () => {
    const bench = aBench();
    const human = aHuman();
    const confirming = bench.broker.confirm(await bench.token(), { elicit: human.elicit });
    await human.asked();
    human.fail();
    expect(statusOf(await confirming)).toBe('failed');
    expect(statusOf(await bench.broker.confirm(await bench.token(), { elicit: () => { throw new Error('no line'); } }))).toBe('failed');
    expect(bench.sent).toEqual([]);
  });

  it('the call is cancelled while the human thinks: call_cancelled', async () => {
    const bench = aBench();
    const human = aHuman();
    const call = new AbortController();
    const confirming = bench.broker.confirm(await bench.token(), { elicit: human.elicit, signal: call.signal });
    await human.asked();
    call.abort();
    human.answer(accept);
    expect(statusOf(await confirming)).toBe('call_cancelled');
    expect(human.signal()?.aborted).toBe(true);
    expect(bench.sent).toEqual([]);
  });

  it('accept after the ten minutes: accepted, not_expired = false, nothing is sent', async () => {
    const bench = aBench({ elicitTimeoutMs: 3 * TTL_MS });
    const human = aHuman();
    const confirming = bench.broker.confirm(await bench.token(), { elicit: human.elicit });
    await human.asked();
    bench.pass(TTL_MS);
    human.answer(accept);
    const outcome = await confirming;
    expect([told(outcome)['executed'], statusOf(outcome), checksOf(outcome), bench.sent]).toEqual([false, 'accepted', { ...HELD, not_expired: false }, []]);
  });

  it('a client that cannot ask: unsupported_by_client, unless the operator allows it', async () => {
    const strict = aBench();
    const outcome = await strict.broker.confirm(await strict.token());
    expect([told(outcome)['executed'], statusOf(outcome), strict.sent]).toEqual([false, 'unsupported_by_client', []]);
    const open = aBench({ allowUnconfirmed: true });
    const allowed = await open.broker.confirm(await open.token());
    expect([told(allowed)['executed'], statusOf(allowed), open.sent.length]).toEqual([true, 'unsupported_by_client', 1]);
  });

  it('the opt-in helps nobody whose human said no', async () => {
    const bench = aBench({ allowUnconfirmed: true });
    await bench.broker.confirm(await bench.token(), { elicit: answering({ action: 'decline' }) });
    expect(bench.sent).toEqual([]);
  });
});

describe('the predicates of a token that does not count', () => {
  it('unknown', async () => {
    const outcome = await aBench().broker.confirm('chg-9-aaaaaaaaaaaaaaaaaaaaaaaa', { elicit: answering(accept) });
    expect([codeOf(outcome), checksOf(outcome)]).toEqual(['proposal-unknown', { proposal_exists: false, not_evicted: n, not_expired: n, not_previously_used: n, request_matches_binding: n }]);
    expect(outcome.sentence).toMatch(/Propose the change again.*\nconfirm_checks: proposal_exists=false, not_evicted=not_evaluated/s);
  });

  it('evicted', async () => {
    const bench = aBench();
    const token = await bench.token();
    for (let count = 0; count < 20; count += 1) await bench.token();
    const outcome = await bench.broker.confirm(token, { elicit: answering(accept) });
    expect([codeOf(outcome), checksOf(outcome)]).toEqual(['proposal-evicted', { proposal_exists: true, not_evicted: false, not_expired: n, not_previously_used: n, request_matches_binding: n }]);
  });

  it('expired', async () => {
    const bench = aBench();
    const token = await bench.token();
    bench.pass(TTL_MS);
    const outcome = await bench.broker.confirm(token, { elicit: answering(accept) });
    expect([codeOf(outcome), checksOf(outcome)]).toEqual(['proposal-expired', { proposal_exists: true, not_evicted: true, not_expired: false, not_previously_used: true, request_matches_binding: n }]);
  });

  it('replayed, even while the first confirmation is under way', async () => {
    const bench = aBench();
    const token = await bench.token();
    const human = aHuman();
    const first = bench.broker.confirm(token, { elicit: human.elicit });
    await human.asked();
    const outcome = await bench.broker.confirm(token, { elicit: answering(accept) });
    expect([codeOf(outcome), checksOf(outcome)]).toEqual(['proposal-replayed', { proposal_exists: true, not_evicted: true, not_expired: n, not_previously_used: false, request_matches_binding: n }]);
    human.answer(accept);
    expect(told(await first)['executed']).toBe(true);
    expect(bench.sent).toHaveLength(1);
  });

  it('drifted: what it compiles to now is not what was validated', async () => {
    let drift = false;
    const bench = aBench({ compile: (type, spec) => compileChange(type, drift ? { ...(spec as JsonObject), bandwidth: 10_000 } : spec) });
    const token = await bench.token();
    drift = true;
    const human = aHuman();
    const outcome = await bench.broker.confirm(token, { elicit: human.elicit });
    expect([codeOf(outcome), checksOf(outcome), human.questions, bench.sent]).toEqual(['proposal-drifted', { ...HELD, request_matches_binding: false }, [], []]);
  });

  it("another caller's token is unknown to this one, and not used up", async () => {
    const bench = aBench();
    const proposed = await bench.broker.propose('connection_create', exampleBody('Fcr2Colo'), { owner: 'claude' });
    const token = told(proposed)['confirm_token'] as string;
    expect(codeOf(await bench.broker.confirm(token, { elicit: answering(accept), owner: 'cursor' }))).toBe('proposal-unknown');
    expect(told(await bench.broker.confirm(token, { elicit: answering(accept), owner: 'claude' }))['executed']).toBe(true);
    // That it was used is its owner's to know, too.
    expect(codeOf(await bench.broker.confirm(token, { elicit: answering(accept), owner: 'cursor' }))).toBe('proposal-unknown');
    expect(codeOf(await bench.broker.confirm(token, { elicit: answering(accept), owner: 'claude' }))).toBe('proposal-replayed');
  });
});

describe('a cancellation', () => {
  it('before the start consumes nothing', async () => {
    const bench = aBench();
    const token = await bench.token();
    const outcome = await bench.broker.confirm(token, { elicit: answering(accept), signal: AbortSignal.abort() });
    expect([statusOf(outcome), told(outcome)['token_state']]).toEqual(['call_cancelled', 'not_consumed']);
    expect(told(await bench.broker.confirm(token, { elicit: answering(accept) }))['executed']).toBe(true);
  });

  it('between the approval and the first byte stops the create', async () => {
    const call = new AbortController();
    const bench = aBench({ ready: () => { call.abort(); return Promise.resolve(); } });
    const outcome = await bench.broker.confirm(await bench.token(), { elicit: answering(accept), signal: call.signal });
    expect([told(outcome)['executed'], statusOf(outcome), bench.sent]).toEqual([false, 'call_cancelled', []]);
  });

  it('after the first byte stops nothing, and the result says that it was executed', async () => {
    const call = new AbortController();
    const bench = aBench({ create: (change) => { call.abort(); return Promise.resolve(created(change.body)); } });
    const outcome = await bench.broker.confirm(await bench.token(), { elicit: answering(accept), signal: call.signal });
    expect(told(outcome)).toMatchObject({ executed: true, call_cancelled_after_send: true });
    expect(statusOf(outcome)).toBe('accepted');
  });

  it('is not needed where the ten minutes run out while the sending is made ready', async () => {
    const bench = aBench({ ready: () => { bench.pass(TTL_MS); return Promise.resolve(); } });
    const outcome = await bench.broker.confirm(await bench.token(), { elicit: answering(accept) });
    expect([told(outcome)['executed'], checksOf(outcome), bench.sent]).toEqual([false, { ...HELD, not_expired: false }, []]);
  });
});

describe('what becomes of the create', () => {
  const after = async (reply: FabricReply) => {
    const bench = aBench({ create: () => Promise.resolve(reply) });
    return bench.broker.confirm(await bench.token(exampleBody('COLO2AWSSPwithDot1q-Primary')), { elicit: answering(accept) });
  };

  it('lost: unknown, with how to look it up by name', async () => {
    const outcome = await after({ kind: 'lost', note: 'no answer within 60 s' });
    expect(outcome.isError).toBe(true);
    expect(told(outcome)).toMatchObject({ phase: 'unknown', executed: null, look_up: { tool: 'fabric_search_connections', request: 'POST /fabric/v4/connections/search', filter: { and: [{ property: '/name', operator: '=', values: ['to aws'] }] } } });
  });

  it('refused: not executed, with the words of Fabric and no secret in them', async () => {
    const outcome = await after({ kind: 'refused', status: 403, errors: [{ code: 'EQ-3142402', message: 'no permission for key pair-4711-key', property: null }] });
    expect(told(outcome)).toMatchObject({ phase: 'not_executed', executed: false, fabric_status: 403 });
    expect(JSON.stringify(outcome)).toContain('EQ-3142402');
    expect(JSON.stringify(outcome)).not.toContain('pair-4711-key');
  });

  it('not sent: not executed', async () => {
    expect(told(await after({ kind: 'unsent', why: 'unreachable', note: 'connection refused' }))).toMatchObject({ executed: false, error: { code: 'fabric-unreachable' } });
  });

  it('accepted with an answer nobody can read: executed, and said so', async () => {
    expect(told(await after({ kind: 'answered', status: 201, body: undefined }))).toMatchObject({ executed: true, result: { uuid: null } });
  });
});

describe('a recorder that fails', () => {
  it('keeps the create from going out', async () => {
    const bench = aBench({ recorder: (event) => { if (event.type === 'create.sent') throw new Error('the disk is full'); } });
    const outcome = await bench.broker.confirm(await bench.token(), { elicit: answering(accept) });
    expect([outcome.isError, told(outcome)['executed'], codeOf(outcome), bench.sent]).toEqual([true, false, 'store-unavailable', []]);
  });

  it('changes no outcome once it is out', async () => {
    const faults: unknown[] = [];
    const bench = aBench({ recorder: (event) => { if (event.type === 'create.executed') throw new Error('the disk is full'); }, report: (error) => faults.push(error) });
    expect(told(await bench.broker.confirm(await bench.token(), { elicit: answering(accept) }))['executed']).toBe(true);
    expect(faults).toHaveLength(1);
  });
});

it('has three changes and no more', () => {
  expect(changeTypes).toEqual(['connection_create', 'network_create', 'service_token_create']);
});
