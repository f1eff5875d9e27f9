import type { Result } from '../../shared/result.ts';
import type { ClientId, HandleId } from '../../shared/vocabulary/ids.ts';
import type { Attestation } from '../../shared/vocabulary/request.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';

/** What a human hands in. The code is as typed; nothing but the attestor reads it. */
export type Proof = { readonly kind: 'button' } | { readonly kind: 'totp'; readonly code: string };

/** Where a proof came in: the approval window, a client's repeated call, the command line, a signed intent of a bridge. Each counts wrong codes of its own. */
export type Way = 'window' | 'in-band' | 'command-line' | 'intent';

/** What an attestor needs to know of a parked call; a `Handle` is one. */
export interface Awaiting {
  readonly id: HandleId;
  readonly client: ClientId;
  readonly trap: { readonly mode: Attestation };
}

/**
 * A proof that was found good. `within`, when there is one, spends it: the caller runs it inside the transaction that approves and undoes that
 * transaction when it answers false (the code was spent by someone else: `code-used`).
 */
export interface Attested {
  readonly within?: () => boolean;
}

/**
 * Judges a human's proof for one parked call. Refusals: `window-only`, `code-required`, `totp-not-enrolled`, `totp-locked` and
 * `too-many-wrong-codes` (`details.retry_after_s`), `wrong-code` (`details.attempts_left`), `code-used`, `clock-moved`, `secret-sealed`,
 * `store-unavailable`. Never throws for anything a human or a client sent (contract, 3.1 and 4).
 */
export interface Attestor {
  check(handle: Awaiting, proof: Proof, way: Way, now: Moment): Result<Attested>;
}
