import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import { canonicalText, sha256Hex } from '../canonical/index.ts';
import { byKey } from './admission.ts';
import type { ReconciliationHooks } from './ports.ts';
import { keyOf } from './resource.ts';
import type { Revision } from './resource.ts';

export const RECONCILE_EVERY_MS = 10_000;

/** The `reconciliation` object of `GET /api/info` (document 002, reconciliation status): of this process, counted anew at every start. */
export interface ReconciliationStatus {
  readonly attemptCount: number;
  /** ISO 8601, or null before the first. */
  readonly lastAttempt: string | null;
  readonly lastSuccess: string | null;
  /** Empty, or one fixed sentence. */
  readonly lastError: string;
  /** Of the desired state last read; empty before that. */
  readonly desiredStateHash: string;
  /** Rises only when the desired state that was taken over differs from the one before. */
  readonly observedGeneration: number;
  /** Whether what is live is what was last desired, and the last attempt succeeded. */
  readonly converged: boolean;
}

export interface ReconciliationDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Reads the desired state; may throw `StoreUnavailable`. */
  readonly desired: () => readonly Revision[];
  readonly live: () => readonly Revision[];
  /** Makes the desired state the live one. */
  readonly take: (revisions: readonly Revision[]) => void;
  readonly everyMs?: number;
  readonly hooks?: ReconciliationHooks;
  /** Told of every failed attempt, whatever the fault, for the log. */
  readonly failed: (fault: unknown) => void;
}

export const stateHash = (revisions: readonly Revision[]): string =>
  sha256Hex(canonicalText([...revisions].sort(byKey).map((one): JsonValue => ({ ...keyOf(one), digest: one.digest, isActive: one.isActive, isServing: one.isServing }))));

/**
 * Brings what is live to what is desired: at once when started, then again and again, one attempt at a time. A failed attempt leaves what is live as
 * it is and stops nothing: the next one comes in its time, and needs no restart.
 */
export function createReconciliation({ clock, timers, desired, live, take, failed, everyMs = RECONCILE_EVERY_MS, hooks = {} }: ReconciliationDeps) {
  let stopped = true;
  let callOff: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let status: Omit<ReconciliationStatus, 'converged'> = { attemptCount: 0, lastAttempt: null, lastSuccess: null, lastError: '', desiredStateHash: '', observedGeneration: 0 };
  let observed = '';

  async function once(): Promise<void> {
    status = { ...status, attemptCount: status.attemptCount + 1, lastAttempt: isoTime(clock.now().wall) };
    try {
      await hooks.beforeAttempt?.();
      // Read and take over without a pause between: a withdrawal cannot come in the middle and be undone.
      const revisions = desired();
      take(revisions);
      observe(stateHash(revisions));
      status = { ...status, lastSuccess: isoTime(clock.now().wall), lastError: '' };
    } catch (fault) {
      status = { ...status, lastError: 'reconciliation attempt failed' };
      failed(fault);
    }
  }

  function observe(hash: string): void {
    status = { ...status, desiredStateHash: hash, observedGeneration: status.observedGeneration + (hash === observed ? 0 : 1) };
    observed = hash;
  }

  function attempt(): Promise<void> {
    running ??= once().finally(() => (running = undefined));
    return running;
  }

  const arm = (): void => {
    callOff = timers.after(everyMs, () => {
      if (stopped) return;
      arm();
      attempt().catch(failed);
    });
  };

  return {
    /** One attempt now; joins the one that runs. */
    attempt,
    /** The desired state was changed by ourselves and is live already. What was never read whole is not known by what is written to it. */
    wrote(revisions: readonly Revision[]): void {
      if (status.lastSuccess !== null) observe(stateHash(revisions));
    },
    start(): Promise<void> {
      if (!stopped) return running ?? Promise.resolve();
      stopped = false;
      arm();
      return attempt();
    },
    stop(): void {
      stopped = true;
      callOff?.();
      callOff = undefined;
    },
    status: (): ReconciliationStatus => ({ ...status, converged: status.lastSuccess !== null && status.lastError === '' && stateHash(live()) === status.desiredStateHash }),
  };
}
export type Reconciliation = ReturnType<typeof createReconciliation>;
