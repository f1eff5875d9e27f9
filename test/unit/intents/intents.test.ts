import { describe, expect, it } from 'vitest';
import { createApprovals, type Handle } from '../../../src/main/approvals/index.ts';
import type { Attestor } from '../../../src/main/attestation/index.ts';
import { StoreUnavailable } from '../../../src/main/audit/index.ts';
import { compileCall } from '../../../src/main/canonical/index.ts';
import { createBridges, createIntents } from '../../../src/main/intents/index.ts';
import { ok, refusedWith } from '../../../src/shared/result.ts';
import { handleId, type ClientId, type TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Attestation } from '../../../src/shared/vocabulary/request.ts';
import { aSigner, claimsFor, encoded, memoryBridgeStore } from '../../support/bridges.ts';
import { memoryHandleStore } from '../../support/memory-stores.ts';

const WALL = Date.parse('2026-11-29T21:00:00.000Z');
const CODE = '482910';

/** One bridge named `slack`, one parked call, and an attestor that knows one code. */
function world(mode: Attestation = 'totp') {
  const time = { wall: WALL, mono: 0, boot: 'one' };
  const clock = { now: () => ({ ...time }) };
  const handles = memoryHandleStore();
  const attestor: Attestor = { check: (_, proof, way) => (proof.kind === 'totp' && proof.code === CODE && way === 'intent' ? ok({}) : refusedWith('wrong-code', { attempts_left: 4 })) };
  const approvals = createApprovals({ store: handles, clock, attestor, newHandleId: (wall) => handleId(Math.floor(wall / 1000), 'ad45a9be4329') });
  const compiled = compileCall({ target: 'prod-db' as TargetId, method: 'tools/call', params: { name: 'query', arguments: { sql: 'DROP TABLE t' } } });
  if (!compiled.ok) throw new Error(compiled.code);
  const parked = approvals.park({ kind: 'call', client: 'local' as ClientId, request: compiled.value, trap: { pattern: 'DROP', mode, source: 'flag', where: 'arguments.sql' }, door: 'rest', ttlMs: 600_000 });
  if (!parked.ok) throw new Error(parked.code);
  const store = memoryBridgeStore();
  const bridges = createBridges({ store, clock });
  const slack = aSigner();
  bridges.admit({ name: 'slack', key: slack.key, url: null }, null, { type: 'bridge.added', at: WALL, actor: 'test' });
  const handle = { id: parked.value.id, hash: parked.value.request.hash };
  const intents = createIntents({ store, approvals, clock });
  return {
    time, handle, slack, store, bridges, approvals, events: handles.events,
    claims: (over: Readonly<Record<string, unknown>> = {}) => claimsFor(handle, time.wall, { ...(mode === 'totp' && { totp: CODE }), ...over }),
    take: (intent: string, id: string = handle.id) => intents.take(id, intent),
    status: (): Handle['state']['status'] | undefined => approvals.get(handle.id)?.state.status,
  };
}

describe('a signed intent', () => {
  it('resumes a call that asks for a code, when it brings the code, and the audit names the bridge', () => {
    const { slack, claims, take, status, events } = world();
    expect(take(slack.sign(claims()))).toMatchObject({ ok: true, value: { state: { status: 'approved' } } });
    expect(status()).toBe('approved');
    expect(events.at(-1)).toMatchObject({ type: 'handle.approved', actor: 'bridge:slack', detail: { way: 'intent' } });
  });

  it.each(['totp', 'button'] as const)('declines a %s call, with its reason', (mode) => {
    const { slack, claims, take } = world(mode);
    expect(take(slack.sign(claims({ action: 'DECLINE', totp: undefined, reason: 'not on\u202e Friday' })))).toMatchObject({ ok: true, value: { state: { status: 'declined', reason: 'not on Friday' } } });
  });

  it('never gives a click', () => {
    const { slack, claims, take, status } = world('button');
    expect(take(slack.sign(claims({ totp: CODE })))).toMatchObject({ ok: false, code: 'window-only' });
    expect(status()).toBe('parked');
  });

  it.each([
    ['without the code', { totp: undefined }, 'code-required'],
    ['with a wrong code', { totp: '000000' }, 'wrong-code'],
    ['for another payload', { payload_hash: '0'.repeat(64) }, 'payload-mismatch'],
    ['for another handle', { sub: 'txn_1792523154_000000000000' }, 'intent-mismatch'],
    ['that is over', { iat: WALL / 1000 - 200, exp: WALL / 1000 }, 'intent-expired'],
    ['of the future', { iat: WALL / 1000 + 90, exp: WALL / 1000 + 120 }, 'intent-expired'],
    ['that is not to be used before later', { nbf: WALL / 1000 + 90 }, 'intent-expired'],
    ['that counts for longer than five minutes', { exp: WALL / 1000 + 301 }, 'intent-claims'],
    ['that ends before it begins', { exp: WALL / 1000 - 1 }, 'intent-claims'],
    ['with a time that is a text', { exp: String(WALL / 1000 + 60) }, 'intent-claims'],
    ['without a beginning', { iat: undefined }, 'intent-claims'],
    ['without a jti', { jti: undefined }, 'intent-claims'],
    ['with an empty jti', { jti: '' }, 'intent-claims'],
    ['for another action', { action: 'resume' }, 'intent-claims'],
    ['with a code that is a number', { totp: 482910 }, 'intent-claims'],
  ])('is refused %s, and the call still waits', (_, over, code) => {
    const { slack, claims, take, status } = world();
    expect(take(slack.sign(claims(over)))).toMatchObject({ ok: false, code });
    expect(status()).toBe('parked');
  });

  it('counts once, whatever became of it', () => {
    const { slack, claims, take } = world();
    const wrong = slack.sign(claims({ totp: '000000' }));
    expect(take(wrong)).toMatchObject({ code: 'wrong-code', details: { attempts_left: 4 } });
    expect(take(wrong)).toMatchObject({ code: 'intent-replayed' });
    const good = slack.sign(claims());
    expect(take(good)).toMatchObject({ ok: true });
    expect(take(good)).toMatchObject({ code: 'intent-replayed' });
    expect(take(slack.sign(claims()))).toMatchObject({ code: 'already-decided' });
  });

  it('counts once also when its bridge was removed and added again meanwhile', () => {
    const { slack, claims, take, bridges } = world();
    const intent = slack.sign(claims({ totp: '000000' }));
    take(intent);
    const event = { type: 'bridge.removed', at: WALL, actor: 'test' } as const;
    bridges.remove('slack', event);
    expect(take(slack.sign(claims()))).toMatchObject({ code: 'intent-invalid' });
    bridges.admit({ name: 'other', key: slack.key, url: null }, null, event);
    expect(take(intent)).toMatchObject({ code: 'intent-replayed' });
  });

  it('tells how the call ended when it did', () => {
    const { slack, claims, take, time } = world();
    time.wall += 600_001;
    expect(take(slack.sign(claims()))).toMatchObject({ code: 'expired' });
  });

  it.each<[string, (slack: ReturnType<typeof aSigner>, claims: object) => string]>([
    ['signed with another key', (_, claims) => aSigner().sign(claims)],
    ['without a signature', (_, claims) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
    ['that names another algorithm', (slack, claims) => slack.sign(claims, { alg: 'HS256' })],
    ['that names another bridge', (slack, claims) => slack.sign(claims, { alg: 'EdDSA', kid: 'teams' })],
    ['that brings a key of its own', (_, claims) => { const other = aSigner(); return other.sign(claims, { alg: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x: other.key } }); }],
    ['with critical extensions', (slack, claims) => slack.sign(claims, { alg: 'EdDSA', crit: ['b64'], b64: false })],
    ['whose claims were altered', (slack, claims) => slack.sign(claims).replace(/\.[^.]+\./, `.${encoded({ ...claims, action: 'DECLINE' })}.`)],
    ['that says a claim twice', (slack) => slack.sign('{"sub":"a","sub":"b"}')],
    ['whose claims are no object', (slack) => slack.sign('[]')],
    ['that is no JWS', () => 'abc'],
    ['of more bytes than an intent has', (slack, claims) => slack.sign({ ...claims, more: 'x'.repeat(9_000) })],
    ['whose signature is written in another way', (slack, claims) => { const intent = slack.sign(claims); return intent.slice(0, -1) + String.fromCharCode(intent.charCodeAt(intent.length - 1) + 1); }],
  ])('%s is refused like any other that nobody signed', (_, make) => {
    const { slack, claims, take, status } = world();
    expect(take(make(slack, claims()))).toEqual({ ok: false, code: 'intent-invalid' });
    expect(status()).toBe('parked');
  });

  it('takes the name of the bridge as its key id', () => {
    const { slack, claims, take } = world();
    expect(take(slack.sign(claims(), { alg: 'EdDSA', kid: 'slack' }))).toMatchObject({ ok: true });
  });

  it('is refused with nothing done when the store cannot keep that it was used', () => {
    const { slack, claims, take, store, status } = world();
    store.take = () => {
      throw new StoreUnavailable('the disk is full');
    };
    expect(take(slack.sign(claims()))).toMatchObject({ code: 'store-unavailable' });
    expect(status()).toBe('parked');
  });
});
