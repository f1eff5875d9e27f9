import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Handle } from './handle.ts';

/**
 * Where handles are kept. Every write commits at full durability, together with its audit row, before it returns; a failed write throws
 * `StoreUnavailable` and leaves nothing behind.
 */
export interface HandleStore {
  insert(handle: Handle, event: AuditEvent): void;
  /** Compare-and-set: writes only when the stored version is `next.version - 1`, and tells whether it did. `within` runs in the same transaction and may refuse it by returning false. */
  advance(next: Handle, event: AuditEvent, within?: () => boolean): boolean;
  get(id: HandleId): Handle | undefined;
  /** Parked, approved and executing ones, first parked first. */
  open(): readonly Handle[];
  openCount(client: ClientId): number;
  /** The handle an identical call joins: the same client, target and hash, open, or executed and not yet fetched (24 h). */
  joinable(client: ClientId, target: TargetId, hash: PayloadHash): Handle | undefined;
  /** All, newest first, at most `limit`. */
  recent(limit: number): readonly Handle[];
  /** When an identical request (target and hash, any client) last executed, epoch ms. */
  lastExecutedAt(target: TargetId, hash: PayloadHash): number | undefined;
  markFetched(id: HandleId): boolean;
}

/** Thrown by a store that could not commit (disk full, I/O error, read-only). The caller refuses with `store-unavailable`. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
