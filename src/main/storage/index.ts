/** The store of one installation: SQLite behind the ports of the pure rooms. */
export type { AuditListing, AuditReader } from './audit-reader.ts';
export { lockDataDir } from './data-lock.ts';
export { outsideCode } from './outside-code.ts';
export { openStore } from './open-store.ts';
export type { Opened, Store, StoreOptions } from './open-store.ts';
export type { SealedValues, Settings } from './settings.ts';
export type { StoreFault, StoreFaultKind } from './store-fault.ts';
export type { SqliteTargetStore } from './target-store.ts';
