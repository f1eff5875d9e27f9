import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { AuditEvent } from '../../src/main/audit/index.ts';
import type { BridgeRecord, BridgeStore } from '../../src/main/intents/index.ts';

/** A bridge outside: its key pair, and how it signs. */
export interface Signer {
  /** base64url of the 32 bytes. */
  readonly key: string;
  readonly privateKey: KeyObject;
  readonly publicPem: string;
  /** A compact JWS of these claims; `header` takes the place of the usual one. */
  sign(claims: unknown, header?: object): string;
}

export function aSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    key: publicKey.export({ format: 'jwk' }).x ?? '',
    privateKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign(claims, header = { alg: 'EdDSA', typ: 'JWT' }) {
      const signed = `${encoded(header)}.${encoded(claims)}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

export const encoded = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

let count = 0;

/** Claims that are good at `wall` (epoch milliseconds). */
export const claimsFor = (handle: { readonly id: string; readonly hash: string }, wall: number, over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  sub: handle.id, payload_hash: handle.hash, action: 'RESUME', iat: Math.floor(wall / 1000), exp: Math.floor(wall / 1000) + 120, jti: `jti-${(count += 1)}`, ...over,
});

/** A `BridgeStore` that forgets when the test ends. */
export function memoryBridgeStore(record: (event: AuditEvent) => void = () => undefined): BridgeStore {
  const kept: BridgeRecord[] = [];
  const secrets = new Map<string, string>();
  const used = new Set<string>();
  return {
    list: () => [...kept],
    add(bridge, secret, event) {
      record(event);
      kept.push(bridge);
      if (secret !== null) secrets.set(bridge.name, secret);
    },
    remove(name, event) {
      const index = kept.findIndex((bridge) => bridge.name === name);
      if (index === -1) return false;
      record(event);
      kept.splice(index, 1);
      return secrets.delete(name) || true;
    },
    secret: (name) => secrets.get(name),
    take({ key, jti }) {
      const name = `${key} ${jti}`;
      return !used.has(name) && used.add(name).has(name);
    },
  };
}
