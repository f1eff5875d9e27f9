/**
 * The grants room: what a human has allowed to be done again without a click. It promises that a grant is for exactly one client, target and payload
 * hash, that it holds only under the rule it was given under, never where a code is asked for, and never after its end; that its giving, every use
 * and its end are on record; and that it can be revoked at any time (contract, 4).
 */
export { createGrants, GRANT_SECONDS } from './create-grants.ts';
export type { Granted, Grants, GrantsDeps } from './create-grants.ts';
export type { Grant } from './ports.ts';
