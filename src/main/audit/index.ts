/** The audit room: the vocabulary of what happened, and the chain that makes a changed, removed or swapped record visible. */
export { auditTypes } from './event.ts';
export type { AuditEvent, AuditType, Chain } from './event.ts';
export { StoreUnavailable } from './store-unavailable.ts';
