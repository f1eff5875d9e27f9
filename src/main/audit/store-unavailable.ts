/**
 * Thrown by a store that could not read or commit (disk full, I/O error, read-only, damaged): nothing was done, in part or in whole. Every store
 * throws this one, since every change is committed together with its audit row; the caller refuses with `store-unavailable`.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
