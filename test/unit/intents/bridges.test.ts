import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { announcementOf, createBridges, readBridgeKey, readBridgeUrl, signedHeaders, webhookSecret } from '../../../src/main/intents/index.ts';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { aSigner, memoryBridgeStore } from '../../support/bridges.ts';

const clock = { now: () => ({ wall: 1_792_523_154_000, mono: 0, boot: 'one' }) };
const event = { type: 'bridge.added', at: 0, actor: 'test' } as const;

describe('the public key of a bridge', () => {
  const { key, publicPem, privateKey } = aSigner();
  it.each([
    ['PEM', publicPem],
    ['JWK', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: key })],
    ['base64url', ` ${key}\n`],
    ['hex', Buffer.from(key, 'base64url').toString('hex')],
  ])('is read from %s', (_, text) => expect(readBridgeKey(text)).toEqual({ ok: true, value: key }));

  it.each([
    ['a private key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a private JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
    ['another curve', JSON.stringify({ kty: 'EC', crv: 'P-256', x: key, y: key })],
    ['too few bytes', key.slice(0, 40)],
    ['a broken PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
    ['nothing', ''],
    ['a key under which every signature is good', '01' + '00'.repeat(31)],
  ])('is not %s', (_, text) => expect(readBridgeKey(text)).toMatchObject({ ok: false, code: 'invalid-bridge', at: expect.stringMatching(/^key: /) }));
});

describe('the address of a bridge', () => {
  it.each(['https://hooks.example.com/in', 'http://127.0.0.1:9000/x', 'http://localhost/x', 'http://[::1]:80/x'])('may be %s', (url) => expect(readBridgeUrl(url).ok).toBe(true));
  it.each(['http://example.com/', 'http://127.0.0.1.example.com/', 'ftp://localhost/', 'https://me:secret@example.com/', 'file:///etc/passwd', 'no url', 'https://a b/'])('may not be %s', (url) =>
    expect(readBridgeUrl(url)).toMatchObject({ code: 'invalid-bridge' }));
});

describe('adding a bridge', () => {
  it('refuses a second of the same name or key, a name no id could be, and more than there may be', () => {
    const bridges = createBridges({ store: memoryBridgeStore(), clock });
    const first = aSigner();
    expect(bridges.admit({ name: 'slack', key: first.key, url: null }, null, event)).toMatchObject({ ok: true, value: { createdAt: 1_792_523_154_000 } });
    expect(bridges.read({ name: 'slack', key: aSigner().key, url: null })).toMatchObject({ code: 'bridge-exists' });
    expect(bridges.read({ name: 'other', key: first.key, url: null })).toMatchObject({ code: 'bridge-exists' });
    expect(bridges.read({ name: 'No Good', key: aSigner().key, url: null })).toMatchObject({ code: 'invalid-bridge' });
    for (let number = 1; number < 32; number += 1) bridges.admit({ name: `b-${number}`, key: aSigner().key, url: null }, null, event);
    expect(bridges.read({ name: 'one-more', key: aSigner().key, url: null })).toMatchObject({ code: 'too-many-bridges' });
  });
});

describe('what a bridge is told', () => {
  const handle = {
    id: 'txn_1792523154_ad45a9be4329', request: { hash: 'ab'.repeat(32), target: 'prod-db', subject: 'query', text: '{"sql":"DROP TABLE secret"}' },
    trap: { mode: 'totp', pattern: 'DROP' }, parkedAt: { wall: 1_792_523_154_000 }, ttlMs: 600_000, frozen: { wall: 0, mono: 0 },
  } as unknown as Handle;

  it('are references, target and times, and nothing of the request', () => {
    const { id, body } = announcementOf(handle);
    expect(id).toBe('msg_txn_1792523154_ad45a9be4329');
    expect(JSON.parse(body)).toEqual({
      type: 'handle.parked', timestamp: new Date(1_792_523_154_000).toISOString(),
      data: { handle: handle.id, payload_hash: 'ab'.repeat(32), target: 'prod-db', require_totp: true, expires_at: new Date(1_792_523_754_000).toISOString() },
    });
  });

  it('is signed over id, time and body as the Standard Webhooks specification says', () => {
    const announcement = announcementOf(handle);
    const raw = Buffer.alloc(32, 7);
    const expected = createHmac('sha256', raw).update(`${announcement.id}.1792523160.${announcement.body}`).digest('base64');
    expect(signedHeaders(announcement, webhookSecret(raw), 1_792_523_160_900)).toEqual({ 'webhook-id': announcement.id, 'webhook-timestamp': '1792523160', 'webhook-signature': `v1,${expected}` });
  });
});
