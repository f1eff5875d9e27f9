/**
 * The dispatch room: the one way from a door to a target. It promises that the guard is asked before anything else happens, that a trapped call
 * starts no I/O, that an approved one is sent at most once and only after its intent is committed, and that one idempotency key means one run.
 */
export { createClaims } from './claims.ts';
export type { Claims } from './claims.ts';
export { createDispatch } from './create-dispatch.ts';
export type { DispatchDeps } from './deps.ts';
export type { Dispatch, Resumption, Submission, Submitted } from './dispatch.ts';
