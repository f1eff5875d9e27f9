import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';

/** A human's word that one exact call may be made again without a click, until its end. */
export interface Grant {
  /** `grant_<12 hex>`; a reference, never a permission. */
  readonly id: string;
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  readonly subject: string | null;
  readonly hash: PayloadHash;
  /** The rule that had stopped the call. Under another one the grant does not hold. */
  readonly pattern: string;
  /** The call with whose approval it was given. */
  readonly handle: HandleId;
  readonly givenAt: Moment;
  readonly forMs: number;
}

/** Where grants are kept: those that were neither revoked nor removed. Throws `StoreUnavailable`; every write commits with its audit row. */
export interface GrantStore {
  /** Joins the transaction it is called in. A grant of the same call before it is replaced. */
  give(grant: Grant, event: AuditEvent): void;
  find(client: ClientId, target: TargetId, hash: PayloadHash): Grant | undefined;
  /** The newest first. */
  list(): readonly Grant[];
  /** False when there is none of this id. Without an event nothing is recorded: its time was over. */
  remove(id: string, event?: AuditEvent): boolean;
  record(event: AuditEvent): void;
}
