import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { Attested, Attestor, Proof, Way } from './ports.ts';

/** A click counts when it was made in the window. Tokens, tool arguments, files and codes never stand in for one (contract, 3 and 4). */
export const checkButton = (proof: Proof, way: Way): Result<Attested> => (proof.kind === 'button' && way === 'window' ? ok({}) : refused('window-only'));

/** The attestor of an installation that has no authenticator: clicks for button calls, nothing for TOTP calls. */
export const buttonAttestor: Attestor = {
  check: (handle, proof, way) => (handle.trap.mode === 'button' ? checkButton(proof, way) : refused('totp-not-enrolled')),
};
