import { refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { codesLeft, createAttestor } from './attestor.ts';
import type { Report } from './code-judge.ts';
import { createEnrolment } from './enrolment.ts';
import type { Enrolment } from './enrolment.ts';
import type { Attestor, SecretSealing, TotpStore, Way } from './ports.ts';

export interface TotpStatus {
  readonly enrolled: boolean;
  /** Epoch milliseconds, or null when nothing is enrolled. */
  readonly enrolledAt: number | null;
  /** An offered secret waits for its first code. */
  readonly offered: boolean;
  readonly recoveryLeft: number;
  /** What would seal a secret now; null when an enrolment would be refused with `no-safe-seal`. */
  readonly seal: 'keyring' | 'passphrase' | null;
  /** Whether the enrolled secret can be opened now; null when nothing is enrolled. */
  readonly opens: boolean | null;
}

export interface AttestationDeps {
  readonly store: TotpStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly sealing: SecretSealing;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Whether this process has a window. */
  readonly hasWindow: boolean;
  /** Names the account in the authenticator app, such as `me@laptop`. */
  readonly label: string;
  /** Who the command line is in the audit: `control:<OS user>`. */
  readonly controlActor: string;
  /** Told of secrets that do not open and codes that could not be compared; both were refused. */
  readonly report: Report;
  /** scrypt's N for recovery codes. */
  readonly recoveryCost?: number;
}

export interface Proving extends Attestor {
  readonly enrolment: Enrolment;
  /** Whether a TOTP call can be approved at all; else the window offers enrolment first. */
  enrolled(): boolean;
  /** Where wrong codes were given for a handle by one way in: how many may still follow, and for how long codes are refused. Nothing when none were given. */
  codesLeft(handle: HandleId, way: Way): { readonly attemptsLeft: number; readonly lockedMs: number } | undefined;
  status(): TotpStatus;
}

const RECOVERY_COST = 2 ** 14;

/** The human's proof: judges clicks and codes, and keeps the authenticator (contract, 3.1 and 4; RFC 6238). */
export function createAttestation({ recoveryCost = RECOVERY_COST, ...deps }: AttestationDeps): Proving {
  const { store, sealing, clock, report } = deps;
  const attestor = createAttestor(deps);
  const enrolment = createEnrolment({ ...deps, recoveryCost });

  return {
    check: (handle, proof, way, now) => unlessStoreFails(() => attestor.check(handle, proof, way, now)),
    enrolment: {
      ...enrolment,
      begin: (asked) => unlessStoreFails(() => enrolment.begin(asked)),
      confirm: (asked) => unlessStoreFails(() => enrolment.confirm(asked)),
      reset: (asked) => unlessStoreFails(() => enrolment.reset(asked)),
    },
    codesLeft: (handle, way) => codesLeft(store, handle, way, clock.now().wall),
    enrolled: () => store.active() !== undefined,
    status() {
      const active = store.active();
      return {
        enrolled: active !== undefined,
        enrolledAt: active?.at ?? null,
        offered: enrolment.offered(),
        recoveryLeft: store.recovery()?.left ?? 0,
        seal: sealing.strength() ?? null,
        opens: active === undefined ? null : opens(active.sealed),
      };
    },
  };

  function opens(sealed: Uint8Array): boolean {
    try {
      sealing.open(sealed);
      return true;
    } catch (error) {
      report('totp.secret-sealed', error);
      return false;
    }
  }
}

/** A store that cannot commit refuses; any other error is a bug and goes on. */
function unlessStoreFails<T>(work: () => Result<T>): Result<T> {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreUnavailable) return refused('store-unavailable');
    throw error;
  }
}
