import type { BoundRevision } from '../../shared/vocabulary/request.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Grant, GrantStore } from '../grants/ports.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

export interface GrantStoreDeps {
  /** The connection at full durability. */
  readonly connection: Connection;
  readonly record: (event: AuditEvent) => void;
}

interface GrantRow extends Pick<Grant, 'id' | 'client' | 'target' | 'method' | 'subject' | 'hash' | 'shape' | 'handle'> {
  readonly varies: string;
  readonly revision: string | null;
  readonly pattern: Uint8Array;
  readonly given_wall: number;
  readonly given_mono: number;
  readonly given_boot: string;
  readonly for_ms: number;
}

/** The table of `grantSchema`. */
export function createGrantStore({ connection, record }: GrantStoreDeps): GrantStore {
  const { prepare, transaction } = connection;
  const give = prepare('INSERT INTO grants (id, client, target, method, subject, hash, varies, shape, revision, pattern, handle, given_wall, given_mono, given_boot, for_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const replaced = prepare('DELETE FROM grants WHERE client = ? AND target = ? AND hash = ?');
  const of = prepare<GrantRow>('SELECT * FROM grants WHERE client = ? AND target = ? ORDER BY no DESC');
  const list = prepare<GrantRow>('SELECT * FROM grants ORDER BY no DESC');
  const remove = prepare('DELETE FROM grants WHERE id = ?');

  return {
    give: ({ id, client, target, method, subject, hash, varies, shape, revision, pattern, handle, givenAt, forMs }, event) =>
      transaction(() => {
        replaced.run(client, target, hash);
        give.run(id, client, target, method, subject, hash, JSON.stringify(varies), shape, revision && JSON.stringify(revision), bytes(pattern), handle, givenAt.wall, givenAt.mono, givenAt.boot, forMs);
        record(event);
      }),
    of: (client, target) => of.all(client, target).map(grantOf),
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

const grantOf = ({ varies, revision, pattern, given_wall, given_mono, given_boot, for_ms, id, client, target, method, subject, hash, shape, handle }: GrantRow): Grant => ({
  id, client, target, method, subject, hash, varies: JSON.parse(varies) as string[], shape, revision: revision === null ? null : (JSON.parse(revision) as BoundRevision), pattern: textOf(pattern), handle,
  givenAt: { wall: given_wall, mono: given_mono, boot: given_boot }, forMs: for_ms,
});
