/**
 * The approvals room: the life of a call that waits for a human. It promises that a handle moves only along the table of machine.ts, that nothing
 * is approved after its deadline, on another hash than the stored one, or by a proof of the wrong kind, that one approval is dispatched at most
 * once, that every step is committed with its audit row before anybody is told of it, and that a final handle never changes.
 */
export { createApprovals } from './create-approvals.ts';
export { defaultLimits } from './approvals.ts';
export type { Approval, Approvals, ApprovalsDeps, Limits, Parking, StillServed } from './approvals.ts';
export { deadlineAt } from './deadline.ts';
export type { Answering } from './answering.ts';
export { isAsked, isFinal, isMidCall, reasonOf, refusalOf, wireState } from './handle.ts';
export type { AskedKind, Frozen, Handle, HandleFacts, HandleKind, HandleState, Status, WireState } from './handle.ts';
export type { EventKind } from './machine.ts';
export type { Change, HandleListener } from './steps.ts';
