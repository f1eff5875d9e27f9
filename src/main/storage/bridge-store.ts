import type { AuditEvent } from '../audit/index.ts';
import type { BridgeRecord, BridgeStore } from '../intents/ports.ts';
import type { Sealing } from '../mounting/ports.ts';
import type { Connection } from './connection.ts';

export interface BridgeStoreDeps {
  readonly connection: Connection;
  readonly sealing: Sealing;
  readonly record: (event: AuditEvent) => void;
}

/** A used intent is kept this long after it expired, so that a clock set back a little does not let it in again. */
const KEPT_MS = 24 * 3_600_000;

/** The tables of `bridgeSchema`. */
export function createBridgeStore({ connection, sealing, record }: BridgeStoreDeps): BridgeStore {
  const list = connection.prepare<BridgeRecord>('SELECT name, key, url, created_at AS createdAt FROM bridges ORDER BY no');
  const add = connection.prepare('INSERT INTO bridges (name, key, url, sealed, created_at) VALUES (?, ?, ?, ?, ?)');
  const remove = connection.prepare('DELETE FROM bridges WHERE name = ?');
  const secret = connection.prepare<{ readonly sealed: Uint8Array | null }>('SELECT sealed FROM bridges WHERE name = ?');
  const take = connection.prepare('INSERT INTO used_intents (key, jti, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const forget = connection.prepare('DELETE FROM used_intents WHERE expires_at < ?');

  return {
    list: () => list.all(),
    add: ({ name, key, url, createdAt }, plain, event) =>
      connection.transaction(() => {
        add.run(name, key, url, plain === null ? null : sealing.seal(plain), createdAt);
        record(event);
      }),
    remove: (name, event) =>
      connection.transaction(
        () => {
          if (remove.run(name) !== 1) return false;
          record(event);
          return true;
        },
        (removed) => removed,
      ),
    secret(name) {
      const sealed = secret.get(name)?.sealed;
      return sealed === undefined || sealed === null ? undefined : sealing.open(sealed);
    },
    take: ({ key, jti, expiresAt }, now) =>
      connection.transaction(() => {
        forget.run(now - KEPT_MS);
        return take.run(key, jti, Math.ceil(expiresAt)) === 1;
      }),
  };
}
