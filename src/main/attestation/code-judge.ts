import { ok, refused, refusedWith } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { KeptSecret, Place, SecretSealing, TotpStore } from './ports.ts';
import { isSecret } from './base32.ts';
import { cleanCode, matchCode } from './totp.ts';
import type { Match } from './totp.ts';
import { countOne, lockedFor, NO_TRIES, relock, triesLeft } from './tries.ts';
import type { Limit, Tries } from './tries.ts';

/** A place wrong codes are counted in, how many it takes, and what is said when it is locked. */
export interface Counter extends Place {
  readonly limit: Limit;
  readonly locked: 'totp-locked' | 'too-many-wrong-codes';
}

/** Who is told of what went wrong and was denied: a fixed event name and what was caught. */
export type Report = (event: string, error: unknown) => void;

export interface JudgeDeps {
  readonly store: TotpStore;
  readonly sealing: SecretSealing;
  readonly report: Report;
}

export interface Judged {
  readonly secret: KeptSecret;
  /** The newest step that is used up for this secret. */
  readonly lastStep: number;
  readonly code: unknown;
  readonly counters: readonly Counter[];
  /** Epoch milliseconds. */
  readonly wall: number;
  /** What is audited when the code is refused; gets the refusal's code. */
  readonly refusal: (code: string) => AuditEvent;
}

/** How far a clock may wobble back before it counts as set back. */
export const CLOCK_WOBBLE_MS = 90_000;

/** Refuses places that are locked, with the longest wait in whole seconds. A lock begun in what is now the future begins anew. */
export function refuseLocked(store: TotpStore, counters: readonly Counter[], wall: number): Result<readonly Tries[]> {
  const tries = counters.map((counter) => {
    const kept = store.tries(counter) ?? NO_TRIES;
    const anew = relock(kept, wall, counter.limit);
    if (anew !== undefined) store.keepTries(counter, anew, wall);
    return anew ?? kept;
  });
  const waits = tries.map((kept) => lockedFor(kept, wall));
  const longest = Math.max(...waits);
  if (longest <= 0) return ok(tries);
  return refusedWith(counters[waits.indexOf(longest)]?.locked ?? 'totp-locked', { retry_after_s: Math.ceil(longest / 1000) });
}

/** Counts one wrong try in every place, before anything is compared, so that a crash gives no guess away free. */
export function countTry(store: TotpStore, counters: readonly Counter[], before: readonly Tries[], wall: number): readonly Tries[] {
  const counted = counters.map((counter, index) => countOne(before[index] ?? NO_TRIES, wall, counter.limit));
  store.atomically(() => {
    counters.forEach((counter, index) => store.keepTries(counter, counted[index] ?? NO_TRIES, wall));
    return true;
  });
  return counted;
}

/** How many wrong codes may follow before the first of these places locks. */
export const attemptsLeft = (counters: readonly Counter[], counted: readonly Tries[]): number =>
  Math.min(...counters.map((counter, index) => triesLeft(counted[index] ?? NO_TRIES, counter.limit)));

/**
 * Judges one code against one secret: clock, locks, then the code itself; gives the step it is good for, which the caller must spend. A wrong
 * code stays counted; one that was used already is not counted, for it tells a guesser nothing.
 */
export function judgeCode({ store, sealing, report }: JudgeDeps, { secret, lastStep, code, counters, wall, refusal }: Judged): Result<{ readonly step: number }> {
  if (wall < store.state().highWater - CLOCK_WOBBLE_MS) return refused('clock-moved');
  const free = refuseLocked(store, counters, wall);
  if (!free.ok) return free;
  const plain = openSecret(sealing, secret, report);
  if (plain === undefined) return refused('secret-sealed');

  const counted = countTry(store, counters, free.value, wall);
  const digits = cleanCode(code);
  const match = digits === undefined ? WRONG : compare(plain, digits, wall, lastStep, report);
  if (match.kind === 'fresh') return ok({ step: match.step });
  if (match.kind === 'used') {
    store.atomically(() => {
      counters.forEach((counter, index) => store.keepTries(counter, free.value[index] ?? NO_TRIES, wall));
      store.record(refusal('code-used'));
      return true;
    });
    return refusedWith('code-used', { attempts_left: attemptsLeft(counters, free.value) });
  }
  store.record(refusal('wrong-code'));
  return refusedWith('wrong-code', { attempts_left: attemptsLeft(counters, counted) });
}

const WRONG: Match = { kind: 'wrong' };

function openSecret(sealing: SecretSealing, secret: KeptSecret, report: Report): string | undefined {
  try {
    const plain = sealing.open(secret.sealed);
    if (isSecret(plain)) return plain;
    report('totp.secret-unreadable', undefined);
  } catch (error) {
    report('totp.secret-sealed', error);
  }
  return undefined;
}

function compare(secret: string, digits: string, wall: number, lastStep: number, report: Report): Match {
  try {
    return matchCode(secret, digits, wall, lastStep);
  } catch (error) {
    report('totp.compare-failed', error);
    return WRONG;
  }
}
