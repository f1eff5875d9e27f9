/**
 * The broker room: the only way from an agent to a change at Equinix Fabric (document 000). It promises that nothing is proposed that Fabric has
 * not tried out, that a confirm token counts once, for ten minutes and for one request, that a human is asked with every field of it in view, that
 * what is sent is to the byte what was validated, hashed and shown, and that it is sent at most once and never silently lost.
 */
export { createBroker, DEFAULT_ELICIT_TIMEOUT_MS } from './create-broker.ts';
export type { Broker } from './create-broker.ts';
export type { BrokerDeps } from './deps.ts';
export { changeTypes, isChangeType, resourceOf } from './change-type.ts';
export type { ChangeType, Resource } from './change-type.ts';
export { checksLine, noChecks } from './checks.ts';
export type { ConfirmChecks } from './checks.ts';
export { compileChange } from './compile.ts';
export type { Compiled, CompiledChange } from './compile.ts';
export { failure, withoutAnswer, errorLines, errorsTold, result } from './outcome.ts';
export type { Outcome } from './outcome.ts';
export { createProposalStore, MAX_PENDING, TTL_MS } from './proposal-store.ts';
export type { Consumed, Proposal, ProposalStore } from './proposal-store.ts';
export { createMasking, maskedPlaces } from './secrets.ts';
export type { HumanConfirmation, ConfirmationStatus } from './human.ts';
export type { PriceContext } from './prices.ts';
export type { SpecFault } from './spec-faults.ts';
