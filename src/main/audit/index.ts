/**
 * The audit room: the vocabulary of what happened, and the two chains that make a changed, removed, swapped or cut-off record visible. It promises
 * that `verifyChain` names the first row of a chain that is not as it was written, given a key that whoever altered it did not have.
 */
export { anchorKey, anchorOf, isAnchor } from './anchor.ts';
export type { Anchor, AnchorKey } from './anchor.ts';
export { auditTypes } from './event.ts';
export type { AuditEvent, AuditType, Chain } from './event.ts';
export { chainHash, chainStart, rowAfter } from './row.ts';
export type { AuditRow, ChainHead } from './row.ts';
export { StoreUnavailable } from './store-unavailable.ts';
export { verifyChain } from './verify.ts';
export type { ChainFault, ChainVerdict, VerifyInput } from './verify.ts';
