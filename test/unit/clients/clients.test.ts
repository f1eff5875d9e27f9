import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClients } from '../../../src/main/clients/index.ts';
import { refused } from '../../../src/shared/result.ts';
import { good } from '../../support/approvals-stand.ts';
import { aClient, aClock, sha256 } from '../../support/builders.ts';
import { memoryClientStore } from '../../support/memory-stores.ts';

function aRoom() {
  const store = memoryClientStore();
  const clock = aClock();
  return { store, clock, clients: createClients({ store, clock, randomToken: () => randomBytes(32).toString('base64url') }) };
}
const me = { actor: 'control:me' };
const revoked = { type: 'client.revoked', at: 1, actor: 'control:me' } as const;

describe('a client', () => {
  test('is found by the token it was given, with its roles and its patience', () => {
    const { clients, clock } = aRoom();
    const { token, record } = good(clients.add('Claude Desktop', ['hr'], { ...me, patienceMs: 240_000 }));
    expect(token).toMatch(/^cs_[A-Za-z0-9_-]{43}$/);
    expect(clients.find(token)).toEqual(record);
    expect(record).toEqual({ id: 'Claude Desktop', tokenHash: sha256(token), roles: ['hr'], createdAt: clock.now().wall, revokedAt: null, patienceMs: 240_000 });
  });

  test('leaves no trace of its token in what is kept and recorded', () => {
    const { clients, store } = aRoom();
    const { token } = good(clients.add('local', [], me));
    expect(JSON.stringify([store.list(), store.events])).not.toContain(token.slice(3));
    expect(store.events).toMatchObject([{ type: 'client.added', actor: 'control:me', detail: { name: 'local', roles: 0 } }]);
  });

  test.each(['', 'cs_', 'cs_short', `cs_${'A'.repeat(44)}`, `xx_${'A'.repeat(43)}`, `cs_${'A'.repeat(42)}\n`, `cs_${'A'.repeat(43)}`])('is not found by %j', (token) => {
    const { clients } = aRoom();
    good(clients.add('local', [], me));
    expect(clients.find(token)).toBeUndefined();
  });

  test('is not found by the hash of its token', () => {
    const { clients } = aRoom();
    const { record } = good(clients.add('local', [], me));
    expect(clients.find(record.tokenHash)).toBeUndefined();
  });

  test('is not found any more once revoked, and its name is free again', () => {
    const { clients, clock } = aRoom();
    const first = good(clients.add('local', [], me));
    expect(clients.find(first.token)).toBeDefined();
    clock.pass(10);
    expect(clients.revoke(aClient('local'), revoked)).toBe(true);
    expect(clients.find(first.token)).toBeUndefined();
    expect(clients.revoke(aClient('local'), revoked)).toBe(false);
    const second = good(clients.add('local', [], me));
    expect(second.token).not.toBe(first.token);
    expect(clients.find(second.token)).toEqual(second.record);
    expect(clients.list().map(({ revokedAt }) => revokedAt)).toEqual([clock.now().wall, null]);
  });

  test('has a name of its own', () => {
    const { clients } = aRoom();
    good(clients.add('local', [], me));
    expect(clients.add('local', [], me)).toEqual(refused('client-exists'));
  });

  test.each(['', ' local', 'a'.repeat(65), 'control:me', 'a\nb', 'ü'])('is not named %j', (name) => {
    const { clients, store } = aRoom();
    expect(clients.add(name, [], me)).toEqual(refused('invalid-client-name'));
    expect(store.list()).toEqual([]);
  });

  test('is seen when its token is', () => {
    const { clients, clock } = aRoom();
    const { token, record } = good(clients.add('local', [], me));
    expect(clients.lastSeenAt(record.id)).toBeNull();
    clock.pass(5_000);
    clients.find(token);
    expect(clients.lastSeenAt(record.id)).toBe(clock.now().wall);
  });

  test('that waited for a click is admitted with the token it was told before', () => {
    const { clients } = aRoom();
    const { token, tokenHash } = clients.mint();
    expect(clients.find(token)).toBeUndefined();
    good(clients.admit({ id: aClient('cursor'), tokenHash, roles: [] }, { type: 'client.added', at: 1, actor: 'window' }));
    expect(clients.find(token)?.id).toBe('cursor');
  });
});
