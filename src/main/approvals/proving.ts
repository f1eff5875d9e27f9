import type { RefusalCode } from '../../shared/refusals.ts';
import { ok, refused, type Result } from '../../shared/result.ts';
import type { Clock, Moment } from '../../shared/vocabulary/time.ts';
import type { Attestor, Proof, Way } from '../attestation/index.ts';
import type { Handle } from './handle.ts';
import { barredByTime, type EventKind } from './machine.ts';
import type { HandleStore } from './ports.ts';
import { recordOfRefusedProof } from './records.ts';

/** A human's yes: the hash they were shown, and how they prove it was them. */
export interface Proven {
  readonly hash: string;
  readonly proof: Proof;
  readonly way: Way;
  /** Who decides, for the audit. */
  readonly actor: string;
}

export interface ProvingDeps {
  readonly store: Pick<HandleStore, 'record'>;
  readonly clock: Clock;
  readonly attestor: Attestor;
  readonly pausedSince: () => Moment | null;
}

/** Spends the proof; runs inside the transaction of the step, and undoes it by giving a code. */
export type Spend = () => RefusalCode | undefined;

/** Judges a proof for a step that says yes. In this order: kind of proof (`window-only`, `code-required`), `hash-mismatch`, deadline and pause, the attestor's word. */
export function createProving({ store, clock, attestor, pausedSince }: ProvingDeps): (handle: Handle, step: EventKind, proven: Proven) => Result<Spend> {
  return (handle, step, { hash, proof, way, actor }) => {
    const now = clock.now();
    const refuse = (code: RefusalCode): Result<Spend> => {
      store.record(recordOfRefusedProof(handle, now.wall, actor, way, code));
      return refused(code);
    };
    if (handle.trap.mode === 'button' && (proof.kind !== 'button' || way !== 'window')) return refuse('window-only');
    if (handle.trap.mode === 'totp' && proof.kind !== 'totp') return refuse('code-required');
    if (hash !== handle.request.hash) return refuse('hash-mismatch');
    const barred = barredByTime(handle, step, now, pausedSince());
    if (barred !== undefined) return refused(barred);
    const attested = attestor.check(handle, proof, way, now);
    if (!attested.ok) return attested;
    const spend = attested.value.within;
    return ok(() => (spend === undefined || spend() ? undefined : 'code-used'));
  };
}
