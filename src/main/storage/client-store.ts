import type { ClientId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { ClientRecord, ClientStore } from '../clients/ports.ts';
import type { Connection } from './connection.ts';

export interface ClientStoreDeps {
  readonly connection: Connection;
  readonly record: (event: AuditEvent) => void;
}

type ClientRow = Omit<ClientRecord, 'roles'> & { readonly roles: string };

/** The table `clients`. Revoked ones are kept; a name may be used again after that. */
export function createClientStore({ connection, record }: ClientStoreDeps): ClientStore {
  const list = connection.prepare<ClientRow>(
    'SELECT id, token_hash AS tokenHash, roles, created_at AS createdAt, revoked_at AS revokedAt, patience_ms AS patienceMs FROM clients ORDER BY no',
  );
  const add = connection.prepare('INSERT INTO clients (id, token_hash, roles, created_at, revoked_at, patience_ms) VALUES (?, ?, ?, ?, ?, ?)');
  const revoke = connection.prepare('UPDATE clients SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  return {
    list: () => list.all().map((row) => ({ ...row, roles: JSON.parse(row.roles) as string[] })),
    add: (client, event) =>
      connection.transaction(() => {
        add.run(client.id, client.tokenHash, JSON.stringify(client.roles), client.createdAt, client.revokedAt, client.patienceMs);
        record(event);
      }),
    revoke: (id: ClientId, at, event) =>
      connection.transaction(
        () => {
          if (revoke.run(at, id) !== 1) return false;
          record(event);
          return true;
        },
        (revoked) => revoked,
      ),
  };
}
