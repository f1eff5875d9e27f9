import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable, type AuditEvent } from '../../../src/main/audit/index.ts';
import { createFabricSeat } from '../../../src/main/compose/fabric-seat.ts';
import type { Relay } from '../../../src/main/dispatch/ports.ts';
import { createClock } from '../../../src/main/platform/clock.ts';
import { createLog } from '../../../src/main/platform/log.ts';
import type { CardQuestion } from '../../../src/shared/vocabulary/question.ts';
import { exampleBody } from '../../fixtures/fabric/requests.ts';
import { aClient, aTarget } from '../../support/builders.ts';
import { startFabricServer, type FabricServer } from '../../support/fabric-server/server.ts';
import { environment, toldIn } from './stand.ts';

let server: FabricServer;
beforeEach(async () => void (server = await startFabricServer()));
afterEach(() => server.close());

const aws = { change_type: 'connection_create', spec: exampleBody('COLO2AWSSPwithDot1q-Primary') };
const relay = (over: Partial<Relay>): Relay => ({ notify: () => undefined, ask: () => Promise.reject(new Error('not the client')), ...over });

async function aSeat({ env = {}, window = true, record = () => undefined }: { readonly env?: Readonly<Record<string, string>>; readonly window?: boolean; readonly record?: (event: AuditEvent) => void } = {}) {
  const clock = createClock();
  const kept = new Map<string, string>();
  const sealed = { get: (key: string) => kept.get(key), set: (key: string, plain: string) => void kept.set(key, plain), remove: (key: string) => void kept.delete(key) };
  const seat = createFabricSeat({ env: { ...environment(server), ...env }, sealed, clock, log: createLog({ write: () => undefined, clock }), window, record });
  const { target } = (await seat.open())!;
  const call = async (name: string, args: object, via?: Relay) =>
    toldIn(await target.call({ client: aClient(), target: aTarget('fabric'), method: 'tools/call', paramsText: JSON.stringify({ name, arguments: args }), session: 's', approved: false, deadlineMs: 60_000, ...(via !== undefined && { relay: via }) }));
  return { seat, call, token: async () => (await call('fabric_propose_change', aws))['confirm_token'] };
}

describe('a create', () => {
  it('that cannot be recorded is not sent, and the agent is told so', async () => {
    const recorded: string[] = [];
    const { call, token } = await aSeat({
      record(event) {
        if (event.type === 'create.sent') throw new StoreUnavailable('disk full');
        recorded.push(event.type);
      },
    });
    const told = await call('fabric_confirm_change', { confirm_token: await token() }, relay({ askWindow: () => Promise.resolve({ action: 'accept', content: { confirm: true } }) }));
    expect(told).toMatchObject({ phase: 'not_executed', executed: false, error: { code: 'store-unavailable' } });
    expect(recorded).toEqual(['proposal.minted', 'confirm.answered']);
    expect(server.of('create')).toEqual([]);
  });

  it('is recorded before the first byte of it leaves', async () => {
    const sent: number[] = [];
    const { call, token } = await aSeat({ record: ({ type }) => { if (type === 'create.sent') sent.push(server.of('create').length); } });
    await call('fabric_confirm_change', { confirm_token: await token() }, relay({ askWindow: () => Promise.resolve({ action: 'accept', content: { confirm: true } }) }));
    expect(sent).toEqual([0]);
    expect(server.of('create')).toHaveLength(1);
  });
});

describe('the question', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a click when nothing is set', {}, 'button'],
    ['a click when it says so', { FIBER_PREFLIGHT_MODE_FABRIC: '1click' }, 'button'],
    ['a code when it says so', { FIBER_PREFLIGHT_MODE_FABRIC: 'TOTP' }, 'totp'],
    ['a code when nobody knows the word', { FIBER_PREFLIGHT_MODE_FABRIC: 'wink' }, 'totp'],
    ['a click whatever holds for other targets', { FIBER_PREFLIGHT_MODE: 'totp' }, 'button'],
  ])('asks for %s', async (_, env, mode) => {
    const questions: CardQuestion[] = [];
    const { call, token } = await aSeat({ env });
    await call('fabric_confirm_change', { confirm_token: await token() }, relay({ askWindow: (question) => (questions.push(question), Promise.resolve({ action: 'decline' })) }));
    expect(questions.map((question) => question.mode)).toEqual([mode]);
  });

  it('is never turned from a code into a click of a client, where there is no window', async () => {
    let asked = 0;
    const client = relay({ takesForms: true, ask: () => ((asked += 1), Promise.resolve({ action: 'accept', content: { confirm: true } })) });
    const { seat, call, token } = await aSeat({ window: false, env: { FIBER_PREFLIGHT_MODE_FABRIC: 'totp', EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' } });
    for (const via of [client, undefined]) expect(await call('fabric_confirm_change', { confirm_token: await token() }, via)).toMatchObject({ executed: false, human_confirmation: { status: 'failed' } });
    expect([asked, server.of('create').length]).toEqual([0, 0]);
    expect(seat.probe()).toMatchObject({ ok: false, note: expect.stringContaining('FIBER_PREFLIGHT_FABRIC=confirm_change') as string });
  });

  it('is failed where there is a window that cannot be asked, and never the client\'s to answer', async () => {
    let asked = 0;
    const client = relay({ takesForms: true, ask: () => ((asked += 1), Promise.resolve({ action: 'accept', content: { confirm: true } })) });
    const { call, token } = await aSeat({ env: { EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS: 'true' } });
    expect(await call('fabric_confirm_change', { confirm_token: await token() }, client)).toMatchObject({ executed: false, human_confirmation: { status: 'failed' } });
    expect(await call('fabric_confirm_change', { confirm_token: await token() })).toMatchObject({ executed: false, human_confirmation: { status: 'failed' } });
    expect([asked, server.of('create').length]).toEqual([0, 0]);
  });

  it('that runs out with its proposal is told as timed out, and one a human dismissed as cancelled', async () => {
    const { call, token } = await aSeat();
    const over = (question: CardQuestion) => ((question.card as { expiresAt: number }).expiresAt = 0, Promise.resolve({ action: 'cancel' } as const));
    expect(await call('fabric_confirm_change', { confirm_token: await token() }, relay({ askWindow: over }))).toMatchObject({ executed: false, human_confirmation: { status: 'timed_out' } });
    expect(await call('fabric_confirm_change', { confirm_token: await token() }, relay({ askWindow: () => Promise.resolve({ action: 'cancel' }) }))).toMatchObject({ executed: false, human_confirmation: { status: 'cancelled' } });
  });
});
