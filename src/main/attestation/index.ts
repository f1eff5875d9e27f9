/** The attestation room: tells whether a human's proof is good for one parked call, and sees to it that a proof is good once. */
export { buttonAttestor } from './button.ts';
export type { Attested, Attestor, Awaiting, Proof, Way } from './ports.ts';
