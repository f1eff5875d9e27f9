import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { BoundRevision } from '../../shared/vocabulary/request.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Dated } from './deadline.ts';
import type { Handle } from './handle.ts';

export { StoreUnavailable } from '../audit/index.ts';

/**
 * Where handles are kept. Every write commits at full durability, together with its audit row, before it returns; a failed read or write throws
 * `StoreUnavailable` and leaves nothing behind. What is read is what was written: a stored request whose hash no longer fits is a failed read.
 */
export interface HandleStore {
  /** `within` runs in the same transaction and may refuse it by returning false; tells whether the handle was written. */
  insert(handle: Handle, event: AuditEvent, within?: () => boolean): boolean;
  /** Compare-and-set: writes only when the stored version is `next.version - 1`, and tells whether it did. `within` runs in the same transaction and may refuse it by returning false. */
  advance(next: Handle, event: AuditEvent, within?: () => boolean): boolean;
  get(id: HandleId): Handle | undefined;
  /** Parked, approved and executing ones, first parked first. */
  open(): readonly Handle[];
  /** How many are open, of one client or in all. */
  openCount(client?: ClientId): number;
  /** Parked and approved ones: what a deadline is judged by, and nothing heavier. */
  waiting(): readonly (Dated & { readonly id: HandleId })[];
  /**
   * The handle an identical call joins: the same client, target, hash and bound revision; open, or ended as executed, declined, upstream-fault or unknown after
   * `settledAfter` (epoch ms) and not yet fetched. The newest when there are several.
   */
  joinable(client: ClientId, target: TargetId, hash: PayloadHash, settledAfter: number, revision?: BoundRevision): Handle | undefined;
  /** All, newest first, at most `limit`. */
  recent(limit: number): readonly Handle[];
  /** When an identical request (target and hash, any client) last executed or may have, epoch ms. */
  lastExecutedAt(target: TargetId, hash: PayloadHash): number | undefined;
  /** Notes that a client was told how a final handle ended. False when that was noted before, or the handle is not final. */
  markFetched(id: HandleId): boolean;
  /** Takes the answers out of final handles that ended before this time (epoch ms), some hundred at once; gives how many, with `event` of that number recorded in the same transaction. */
  forgetAnswers(settledBefore: number, event: (count: number) => AuditEvent): number;
  /**
   * Takes the texts of requests out of final handles that ended before this time (epoch ms), and of the oldest of those whose texts are together more than
   * this many bytes, some hundred at once; gives how many, with `event` of that number recorded in the same transaction. Hash and history stay.
   */
  forgetRequests(kept: { readonly settledBefore: number; readonly bytes: number }, event: (count: number) => AuditEvent): number;
  /** Records an event that changes no handle. */
  record(event: AuditEvent): void;
  /** Since when the product is paused; kept across restarts. */
  pausedSince(): Moment | null;
  pause(since: Moment, event: AuditEvent): void;
  /** Ends a pause and writes the deadlines it moved, in one transaction: compare-and-set on each, all or nothing. */
  resume(moved: readonly Handle[], event: AuditEvent): boolean;
}
