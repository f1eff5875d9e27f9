import type { HandleId, ClientId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Grant, GrantStore } from '../grants/ports.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

export interface GrantStoreDeps {
  /** The connection at full durability. */
  readonly connection: Connection;
  readonly record: (event: AuditEvent) => void;
}

interface GrantRow {
  readonly id: string;
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  readonly subject: string | null;
  readonly hash: PayloadHash;
  readonly pattern: Uint8Array;
  readonly handle: HandleId;
  readonly given_wall: number;
  readonly given_mono: number;
  readonly given_boot: string;
  readonly for_ms: number;
}

/** The table of `grantSchema`. */
export function createGrantStore({ connection, record }: GrantStoreDeps): GrantStore {
  const { prepare, transaction } = connection;
  const give = prepare('INSERT INTO grants (id, client, target, method, subject, hash, pattern, handle, given_wall, given_mono, given_boot, for_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const replaced = prepare('DELETE FROM grants WHERE client = ? AND target = ? AND hash = ?');
  const find = prepare<GrantRow>('SELECT * FROM grants WHERE client = ? AND target = ? AND hash = ?');
  const list = prepare<GrantRow>('SELECT * FROM grants ORDER BY no DESC');
  const remove = prepare('DELETE FROM grants WHERE id = ?');

  return {
    give: ({ id, client, target, method, subject, hash, pattern, handle, givenAt, forMs }, event) =>
      transaction(() => {
        replaced.run(client, target, hash);
        give.run(id, client, target, method, subject, hash, bytes(pattern), handle, givenAt.wall, givenAt.mono, givenAt.boot, forMs);
        record(event);
      }),
    find(client, target, hash) {
      const row = find.get(client, target, hash);
      return row && grantOf(row);
    },
    list: () => list.all().map(grantOf),
    remove: (id, event) =>
      transaction(() => {
        if (remove.run(id) !== 1) return false;
        if (event !== undefined) record(event);
        return true;
      }),
    record,
  };
}

const grantOf = ({ id, client, target, method, subject, hash, pattern, handle, given_wall, given_mono, given_boot, for_ms }: GrantRow): Grant => ({
  id, client, target, method, subject, hash, pattern: textOf(pattern), handle, givenAt: { wall: given_wall, mono: given_mono, boot: given_boot }, forMs: for_ms,
});
