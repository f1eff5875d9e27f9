import { generateURI } from 'otplib';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import { base32 } from './base32.ts';
import { CLOCK_WOBBLE_MS, judgeCode } from './code-judge.ts';
import type { JudgeDeps } from './code-judge.ts';
import { eventOf, placeOf, proveOwner, refusalOf } from './owner-proof.ts';
import type { Asked, ChangeProof, Timed } from './owner-proof.ts';
import type { KeptSecret } from './ports.ts';
import { RECOVERY_BYTES, RECOVERY_CODES, recoveryCode, recoveryHash } from './recovery.ts';

/** How long an offered secret waits for its first code. */
const OFFER_MS = 10 * 60_000;
const SECRET_BYTES = 20;
const SALT_BYTES = 16;
const ISSUER = 'Countersign';

/** A secret to be scanned, shown once. It counts only after `confirm` saw a code made with it. */
export interface Offer {
  /** The `otpauth://` link a QR code holds. */
  readonly otpauth: string;
  /** The same secret in base32, for typing. */
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface EnrolmentDeps extends JudgeDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Whether there is a window; then the command line changes nothing. */
  readonly hasWindow: boolean;
  /** Names the account in the authenticator app, such as `me@laptop`. */
  readonly label: string;
  /** scrypt's N for recovery codes. */
  readonly recoveryCost: number;
}

/** Enrols, replaces and resets the authenticator. Every change is audited in the transaction that makes it. */
export interface Enrolment {
  /**
   * Offers a new secret, which takes the place of an earlier offer; an active secret stays active until `confirm`. Refusals: `window-only`,
   * `totp-already-enrolled` (command line), `no-safe-seal`, `code-required` when one is enrolled and no proof came, and those of the proof.
   */
  begin(asked: Asked & { readonly proof?: ChangeProof }): Result<Offer>;
  /** Activates the offered secret and gives ten recovery codes, shown once. Refusals: `window-only`, `no-enrolment`, and those of a code. */
  confirm(asked: Asked & { readonly code: string }): Result<{ readonly recoveryCodes: readonly string[] }>;
  /** Removes the authenticator. Refusals: `window-only`, `totp-not-enrolled`, and those of the proof. */
  reset(asked: Asked & { readonly proof: ChangeProof }): Result<null>;
  /** Whether an offer waits for its first code. */
  offered(): boolean;
  /** Removes an offer whose time is over. A timer does this; start-up does it for an offer of an earlier run. */
  dropStaleOffer(): void;
}

export function createEnrolment(deps: EnrolmentDeps): Enrolment {
  const { store, sealing, clock, timers, randomBytes, hasWindow, label, recoveryCost, report } = deps;
  const timed = ({ door, actor }: Asked): Timed => ({ door, actor, wall: clock.now().wall });
  function seal(secret: string): Uint8Array | undefined {
    try {
      return sealing.seal(secret);
    } catch (error) {
      report('totp.seal-failed', error);
      return undefined;
    }
  }

  /** The offer that waits at `wall`; one whose time is over does not, nor one from what is now the future. */
  function offer(wall: number): KeptSecret | undefined {
    const pending = store.pending();
    return pending !== undefined && wall >= pending.at - CLOCK_WOBBLE_MS && wall < pending.at + OFFER_MS ? pending : undefined;
  }

  function dropStaleOffer(): void {
    try {
      if (store.pending() !== undefined && offer(clock.now().wall) === undefined) store.dropPending();
    } catch (error) {
      report('totp.offer-not-dropped', error);
    }
  }

  return {
    begin({ proof, ...who }) {
      const asked = timed(who);
      if (hasWindow && asked.door !== 'window') return refused('window-only');
      const active = store.active();
      if (active !== undefined && asked.door !== 'window') return refused('totp-already-enrolled');
      const strength = sealing.strength();
      if (strength === undefined) return refused('no-safe-seal');
      if (active !== undefined && proof === undefined) return refused('code-required');
      const proven = active === undefined || proof === undefined ? ok(() => true) : proveOwner(deps, asked, active, proof);
      if (!proven.ok) return proven;

      const secret = base32(randomBytes(SECRET_BYTES));
      const sealed = seal(secret);
      if (sealed === undefined) return refused('no-safe-seal');
      const kept = store.atomically(() => {
        if (!proven.value()) return false;
        store.keepPending({ sealed, at: asked.wall });
        store.record(eventOf('totp.offered', asked, { sealed: strength, replaces: active !== undefined }));
        return true;
      });
      if (!kept) return refused('code-used');
      timers.after(OFFER_MS + 1000, dropStaleOffer);
      return ok({ otpauth: generateURI({ issuer: ISSUER, label: label.replaceAll(':', ' '), secret }), secret, expiresAt: asked.wall + OFFER_MS });
    },

    confirm({ code, ...who }) {
      const asked = timed(who);
      if (hasWindow && asked.door !== 'window') return refused('window-only');
      const pending = offer(asked.wall);
      if (pending === undefined) return refused('no-enrolment');
      const counters = placeOf('totp.enrol', asked.door);
      const judged = judgeCode(deps, { secret: pending, lastStep: -1, code, counters, wall: asked.wall, refusal: refusalOf(asked, 'totp.enrol') });
      if (!judged.ok) return judged;

      const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCode(randomBytes(RECOVERY_BYTES)));
      const seasoning = { salt: randomBytes(SALT_BYTES), cost: recoveryCost };
      const hashes = codes.map((one) => recoveryHash(one.replaceAll('-', ''), seasoning));
      store.atomically(() => {
        for (const counter of [...counters, ...placeOf('totp.change', asked.door), ...placeOf('totp.recovery', asked.door)]) store.forgetTries(counter);
        store.activate({ sealed: pending.sealed, at: asked.wall }, judged.value.step);
        store.keepRecovery({ ...seasoning, hashes });
        store.record(eventOf('totp.enrolled', asked, { recovery_codes: codes.length }));
        return true;
      });
      return ok({ recoveryCodes: codes });
    },

    reset({ proof, ...who }) {
      const asked = timed(who);
      if (asked.door !== 'window') return refused('window-only');
      const active = store.active();
      if (active === undefined) return refused('totp-not-enrolled');
      const proven = proveOwner(deps, asked, active, proof);
      if (!proven.ok) return proven;
      const done = store.atomically(() => {
        if (!proven.value()) return false;
        store.clear();
        store.record(eventOf('totp.reset', asked, { by: proof.kind }));
        return true;
      });
      return done ? ok(null) : refused('code-used');
    },

    offered: () => offer(clock.now().wall) !== undefined,
    dropStaleOffer,
  };
}
