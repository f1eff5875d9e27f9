import type { Result } from '../../shared/result.ts';
import type { ClientId, HandleId } from '../../shared/vocabulary/ids.ts';
import type { Attestation } from '../../shared/vocabulary/request.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';

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

/** What the installation knows of codes. Neither `lastStep` nor `highWater` is ever lowered, not even by a reset. */
export interface TotpState {
  /** The newest time step that was spent. */
  readonly lastStep: number;
  /** The latest time (epoch milliseconds) at which a good code was taken. */
  readonly highWater: number;
  /** Counts activations and resets, so that a proof found good for one secret is never spent under the next. */
  readonly enrolment: number;
}

/** A TOTP secret at rest: sealed, with the time (epoch milliseconds) it was activated or offered at. */
export interface KeptSecret {
  readonly sealed: Uint8Array;
  readonly at: number;
}

/** Where wrong codes are counted: `scope` is a handle id or the name of a place. */
export interface Place {
  readonly scope: string;
  readonly way: Way;
}

/** A set of recovery codes: their salt and scrypt cost, and how many are unused. */
export interface RecoverySet {
  readonly salt: Uint8Array;
  readonly cost: number;
  readonly left: number;
}

/**
 * Where the state of the proof is kept. Every call commits at full durability before it returns, or joins the transaction it is called in; one
 * that cannot commit throws `StoreUnavailable` and leaves nothing behind.
 */
export interface TotpStore {
  /** Runs all of `work` in one transaction. False undoes everything and is passed on, and so is an error. */
  atomically(work: () => boolean): boolean;
  state(): TotpState;
  active(): KeptSecret | undefined;
  pending(): KeptSecret | undefined;
  keepPending(secret: KeptSecret): void;
  dropPending(): void;
  /** Makes `secret` the active one in place of any other, drops the pending one, counts the enrolment up, and lifts last step and high-water mark to `step` and `secret.at`. */
  activate(secret: KeptSecret, step: number): void;
  /** Removes the active and the pending secret and all recovery codes, and counts the enrolment up. */
  clear(): void;
  /** Compare-and-set: takes `step` when it is newer than the last one and the enrolment is still this one; lifts the high-water mark to `at`. Tells whether it did. */
  spend(spent: { readonly enrolment: number; readonly step: number; readonly at: number }): boolean;
  tries(place: Place): { readonly failures: number; readonly lockedUntil: number } | undefined;
  keepTries(place: Place, tries: { readonly failures: number; readonly lockedUntil: number }, at: number): void;
  forgetTries(place: Place): void;
  recovery(): RecoverySet | undefined;
  keepRecovery(set: { readonly salt: Uint8Array; readonly cost: number; readonly hashes: readonly Uint8Array[] }): void;
  /** Whether an unused recovery code has this hash. */
  isRecovery(hash: Uint8Array): boolean;
  /** Compare-and-set: marks the unused code of this hash used. Tells whether there was one. */
  useRecovery(hash: Uint8Array, at: number): boolean;
  record(event: AuditEvent): void;
}

/** Seals the TOTP secret under something an agent of the same user does not simply read: a keyring or a passphrase, never a key that lies beside it. */
export interface SecretSealing {
  /** What would seal a secret now; nothing when neither is there, and then nothing is sealed. */
  strength(): 'keyring' | 'passphrase' | undefined;
  /** Throws when `strength` is nothing. */
  seal(plain: string): Uint8Array;
  /** Throws when what sealed it is not there, or it was tampered with. */
  open(sealed: Uint8Array): string;
}
