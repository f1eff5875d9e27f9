/**
 * The grants room: what a human has allowed to be done again without a click. It promises that a grant is for one client, one target, one tool and exactly
 * the request it was given with, but for the values of fields a human named; that nothing the rule matches stands in one of those; that it holds only under
 * the rule it was given under, never where a code is asked for, and never after its end; that its giving, every use and its end are on record; and that it
 * can be revoked at any time (contract, 4).
 */
export { createGrants, GRANT_SECONDS } from './create-grants.ts';
export type { Choice, Granted, Grants, GrantsDeps } from './create-grants.ts';
export { MOST_VARYING } from './shape.ts';
export type { Grant } from './ports.ts';
