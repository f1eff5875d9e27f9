import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { BoundRevision } from '../../shared/vocabulary/request.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';

/** A human's word that a call may be made again without a click, until its end: exactly the same one, or one that differs in the named fields only. */
export interface Grant {
  /** `grant_<12 hex>`; a reference, never a permission. */
  readonly id: string;
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  readonly subject: string | null;
  /** Of the call it was given with. */
  readonly hash: PayloadHash;
  /** The fields that may hold another value of the same type, in the notation of `pathText`, below `params`. None: exactly the same call. */
  readonly varies: readonly string[];
  /** What all calls it covers have in common (see `shapeOf`). */
  readonly shape: PayloadHash;
  /** The revision that made the request, where a declarative tool did; any other one's is another call. */
  readonly revision: BoundRevision | null;
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
  /** Those for one client's calls of one target. */
  of(client: ClientId, target: TargetId): readonly Grant[];
  /** The newest first. */
  list(): readonly Grant[];
  /** False when there is none of this id. Without an event nothing is recorded: its time was over. */
  remove(id: string, event?: AuditEvent): boolean;
  record(event: AuditEvent): void;
}
