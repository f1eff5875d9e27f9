/**
 * The attestation room: tells whether a human's proof is good for one parked call, and sees to it that a proof is good once. A click counts in
 * the window only; a code counts for its step and the one after, once, for one handle; wrong codes lock the place they were given in, counted
 * before they are compared. It keeps the authenticator too: offer, first code, recovery codes, reset. It decides and never approves.
 */
export { buttonAttestor } from './button.ts';
export { createAttestation } from './create-attestation.ts';
export type { AttestationDeps, Proving, TotpStatus } from './create-attestation.ts';
export type { Enrolment, Offer } from './enrolment.ts';
export type { Asked, ChangeProof, Door } from './owner-proof.ts';
export type { Attested, Attestor, Awaiting, KeptSecret, Place, Proof, RecoverySet, SecretSealing, TotpState, TotpStore, Way } from './ports.ts';
