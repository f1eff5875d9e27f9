import type { ApprovalClient } from '../../shared/contract/approval.ts';
import type { FieldValue } from '../../shared/form/field.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
import { type Decision, type Desk, type DeskEvent, emptyDesk, isFinal, nextDesk } from './desk.ts';

/** How long an outcome stays before the next item takes its place. */
export const OUTCOME_MS = 1_200;
/** How often an unreadable queue is asked again. */
const RETRY_MS = 2_000;

export type Proof = { readonly kind: 'button' } | { readonly kind: 'totp'; readonly code: string };

/** Time, as the page has it. */
export interface PageTime {
  now(): number;
  after(ms: number, then: () => void): () => void;
}

export interface Conductor {
  /** Asks main about the queue; called at the start, and whenever something may have changed. */
  refresh(): void;
  /** A human asked for this item. A decision under way is finished first. */
  open(handle: string | null): void;
  /** `values`: what was filled into the item's form. `grantS`: for how long the same call may be made again without a click. `vary`: the rows left open then. */
  approve(proof: Proof, more?: { readonly values?: readonly FieldValue[] | undefined; readonly grantS?: number; readonly vary?: readonly number[] }): void;
  decline(reason: string | null): void;
  /** Answers a question with neither yes nor no. */
  cancel(): void;
  stop(): void;
}

/** What a refusal says about an item that waits no more; its outcome is then asked for. */
const GONE: ReadonlySet<RefusalCode> = new Set(['already-decided', 'expired', 'withdrawn', 'handle-not-found', 'revision-withdrawn', 'stale']);

/**
 * Keeps the desk in step with main. Requests go one after the other; whatever changes meanwhile is asked for again afterwards. Every answer is
 * applied to the item it was asked for, and to no other.
 */
export function createConductor({ client, time, show, isSeen = () => true }: {
  readonly client: ApprovalClient;
  readonly time: PageTime;
  readonly show: (desk: Desk) => void;
  /** Whether the window can be seen: an outcome nobody sees keeps no item waiting. */
  readonly isSeen?: () => boolean;
}): Conductor {
  let desk = emptyDesk;
  let running = false;
  let again = false;
  let wanted: string | null = null;
  let cancelTimer: (() => void) | null = null;

  const apply = (event: DeskEvent): void => {
    desk = nextDesk(desk, event);
    show(desk);
  };
  const later = (ms: number): void => {
    cancelTimer?.();
    cancelTimer = time.after(ms, refresh);
  };

  /** Asks for one item. Tells whether it was there. */
  const look = async (handle: string | null): Promise<boolean> => {
    const reply = await client.look({ handle });
    if (!reply.ok) {
      apply({ type: 'went-offline', code: reply.code });
      later(RETRY_MS);
      return true;
    }
    const { item, ...numbers } = reply.value;
    if (item === null) apply({ type: 'counted', value: numbers });
    else apply({ type: 'looked', at: time.now(), value: reply.value });
    // Run out by our clock, and not yet settled by main's.
    if (item !== null && item.remainsMs <= 0) later(RETRY_MS);
    return item !== null;
  };

  const learnOutcome = async (handle: string): Promise<RefusalCode | null> => {
    const reply = await client.outcome({ handle });
    if (reply.ok) {
      apply({ type: 'ended', at: time.now(), outcome: reply.value });
      return null;
    }
    apply({ type: 'went-offline', code: reply.code });
    later(RETRY_MS);
    return reply.code;
  };

  const round = async (): Promise<void> => {
    if (wanted !== null) {
      const handle = wanted;
      wanted = null;
      if (desk.shown?.progress.name !== 'asking') await look(handle);
    }
    const { shown, before } = desk;
    if (before !== null && !isFinal(before.outcome)) await learnOutcome(before.outcome.handle);
    if (shown === null) {
      await look(null);
    } else if (shown.progress.name === 'deciding') {
      if (!(await look(shown.item.handle))) await learnOutcome(shown.item.handle);
    } else if (shown.progress.name === 'over') {
      const { outcome, since } = shown.progress;
      if (!isFinal(outcome)) await learnOutcome(outcome.handle);
      const left = isSeen() ? since + OUTCOME_MS - time.now() : 0;
      // Until then only the numbers are asked for: this item waits no more, so none comes with them.
      await look(left <= 0 ? null : outcome.handle);
      if (left > 0) later(left);
    }
  };

  function refresh(): void {
    again = true;
    if (running) return;
    running = true;
    void (async () => {
      try {
        while (again) {
          again = false;
          await round();
        }
      } catch {
        // The bridge itself failed: main is gone, or about to be. Nothing can be decided until it answers again.
        apply({ type: 'went-offline', code: 'internal' });
        later(RETRY_MS);
      } finally {
        running = false;
      }
    })();
  }

  const decide = (what: Decision, send: (handle: string, payloadHash: string) => ReturnType<ApprovalClient['approve']>): void => {
    const shown = desk.shown;
    if (shown === null || shown.progress.name !== 'deciding') return;
    const { handle, payloadHash } = shown.item;
    apply({ type: 'asked', handle, what });
    void (async () => {
      try {
        const reply = await send(handle, payloadHash);
        const refusal = !reply.ok && !GONE.has(reply.code) ? reply : null;
        // An outcome that cannot be read leaves the item on the desk; the next look tells whether it still waits.
        const code = refusal?.code ?? (await learnOutcome(handle));
        if (code !== null) apply({ type: 'refused', at: time.now(), handle, code, detail: refusal?.detail });
      } catch {
        // No answer is no decision we know of. The queue tells, once it can be read again.
        apply({ type: 'refused', at: time.now(), handle, code: 'internal', detail: undefined });
      }
      refresh();
    })();
  };

  return {
    refresh,
    open(handle) {
      wanted = handle;
      const progress = desk.shown?.progress;
      if (handle === null && progress?.name === 'over' && progress.since + OUTCOME_MS <= time.now()) apply({ type: 'cleared' });
      refresh();
    },
    approve: (proof, { values, grantS, vary } = {}) =>
      decide('approve', (handle, payloadHash) => client.approve({ handle, payloadHash, proof, ...(values && { values: values.map(plainValue) }), ...(grantS !== undefined && { grantS }), ...(vary && { vary: [...vary] }) })),
    cancel: () => decide('cancel', (handle, payloadHash) => client.cancel({ handle, payloadHash })),
    decline: (reason) => decide('decline', (handle, payloadHash) => client.decline({ handle, payloadHash, reason })),
    stop: () => cancelTimer?.(),
  };
}

const plainValue = (value: FieldValue): string | number | boolean | string[] | null => (Array.isArray(value) ? [...(value as readonly string[])] : (value as string | number | boolean | null));
