import { ok, refusedWith } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { AuditEvent, AuditType } from '../audit/index.ts';
import { attemptsLeft, countTry, judgeCode, refuseLocked } from './code-judge.ts';
import type { Counter, JudgeDeps } from './code-judge.ts';
import type { KeptSecret } from './ports.ts';
import { cleanRecovery, recoveryHash } from './recovery.ts';
import { PER_HANDLE } from './tries.ts';

/** Where a change of the authenticator is asked for. With a window it happens there only; headless, the command line may enrol the first one (contract, 4). */
export type Door = 'window' | 'command-line';

/** Proves that whoever changes an enrolled authenticator is its owner: the present code, or one of the recovery codes. */
export type ChangeProof = { readonly kind: 'totp'; readonly code: string } | { readonly kind: 'recovery'; readonly code: string };

/** Who asks, and where. */
export interface Asked {
  readonly door: Door;
  /** As audited: `window`, `control:<OS user>`. */
  readonly actor: string;
}

/** An `Asked` with its time, epoch milliseconds. */
export type Timed = Asked & { readonly wall: number };

/** The places, other than handles, in which wrong codes are counted. */
type Scope = 'totp.enrol' | 'totp.change' | 'totp.recovery';

export const placeOf = (scope: Scope, door: Door): readonly Counter[] => [{ scope, way: door, limit: PER_HANDLE, locked: 'too-many-wrong-codes' }];

export const eventOf = (type: AuditType, { actor, wall }: Timed, detail: NonNullable<AuditEvent['detail']>): AuditEvent => ({ type, at: wall, actor, detail });

export const refusalOf = (asked: Timed, scope: Scope) => (code: string): AuditEvent => eventOf('proof.refused', asked, { way: asked.door, for: scope, code });

/** Judges the owner's proof. What it gives spends the proof, and must run inside the transaction that makes the change. */
export function proveOwner(deps: JudgeDeps, asked: Timed, active: KeptSecret, proof: ChangeProof): Result<() => boolean> {
  if (proof.kind === 'recovery') return proveByRecovery(deps, asked, proof.code);
  const { store } = deps;
  const { enrolment, lastStep } = store.state();
  const counters = placeOf('totp.change', asked.door);
  const judged = judgeCode(deps, { secret: active, lastStep, code: proof.code, counters, wall: asked.wall, refusal: refusalOf(asked, 'totp.change') });
  if (!judged.ok) return judged;
  return ok(() => {
    for (const counter of counters) store.forgetTries(counter);
    return store.spend({ enrolment, step: judged.value.step, at: asked.wall });
  });
}

/** The hash, not the code, is looked up, so how long that takes says nothing of the code. */
function proveByRecovery({ store }: JudgeDeps, asked: Timed, typed: unknown): Result<() => boolean> {
  const counters = placeOf('totp.recovery', asked.door);
  const free = refuseLocked(store, counters, asked.wall);
  if (!free.ok) return free;
  const counted = countTry(store, counters, free.value, asked.wall);
  const set = store.recovery();
  const clean = cleanRecovery(typed);
  const hash = set === undefined || clean === undefined ? undefined : recoveryHash(clean, set);
  if (hash === undefined || !store.isRecovery(hash)) {
    store.record(refusalOf(asked, 'totp.recovery')('wrong-code'));
    return refusedWith('wrong-code', { attempts_left: attemptsLeft(counters, counted) });
  }
  return ok(() => {
    for (const counter of counters) store.forgetTries(counter);
    if (!store.useRecovery(hash, asked.wall)) return false;
    store.record(eventOf('totp.recovered', asked, { left: store.recovery()?.left ?? 0 }));
    return true;
  });
}
