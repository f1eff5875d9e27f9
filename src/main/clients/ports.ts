import type { ClientId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';

/** A client as it is kept: its token only as a SHA-256 (32 random bytes need no slow hash). Times are epoch milliseconds. */
export interface ClientRecord {
  readonly id: ClientId;
  readonly tokenHash: string;
  readonly roles: readonly string[];
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** How long this client waits for an answer, written by `setup`; null when unknown (50 s). */
  readonly patienceMs: number | null;
}

export interface ClientStore {
  list(): readonly ClientRecord[];
  add(record: ClientRecord, event: AuditEvent): void;
  revoke(id: ClientId, at: number, event: AuditEvent): boolean;
}
