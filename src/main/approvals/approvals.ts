import type { RefusalCode } from '../../shared/refusals.ts';
import type { Result } from '../../shared/result.ts';
import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { Answer, BoundRevision, CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import type { Question } from '../../shared/vocabulary/question.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Attestor, Proof, Way } from '../attestation/index.ts';
import type { Answering } from './answering.ts';
import type { Handle, HandleFacts } from './handle.ts';
import type { HandleStore } from './ports.ts';
import type { HandleListener } from './steps.ts';

/** How many calls may be open, for one client and in all (contract, 3.1: 429). */
export interface Limits {
  readonly perClient: number;
  readonly total: number;
}

export const defaultLimits: Limits = { perClient: 20, total: 1000 };

export interface ApprovalsDeps {
  readonly store: HandleStore;
  readonly clock: Clock;
  /** A fresh handle id for the given epoch milliseconds. */
  readonly newHandleId: (wall: number) => HandleId;
  readonly attestor: Attestor;
  readonly limits?: Limits;
  /** Takes what a listener threw; the step it was told of stays done. When not given, it is thrown to the caller of that step. */
  readonly listenerFailed?: (error: unknown) => void;
}

export interface Parking {
  readonly kind: HandleFacts['kind'];
  readonly client: ClientId;
  readonly request: CompiledRequest;
  readonly trap: Trap;
  readonly door: HandleFacts['door'];
  readonly ttlMs: number;
  /** What is asked, for the kinds that ask. Kept in memory until the handle is final, and nowhere else. */
  readonly question?: Question;
  /** For the audit; `client:<name>` when not given. */
  readonly actor?: string;
  /** Runs in the transaction that parks; false undoes it: `idempotency-key-reused`. */
  readonly within?: (id: HandleId) => boolean;
}

export interface Approval {
  readonly id: HandleId;
  /** The hash the human was shown. */
  readonly hash: string;
  readonly proof: Proof;
  readonly way: Way;
  /** Who decides, for the audit. */
  readonly actor: string;
  /** Runs in the transaction that approves; a code undoes it all and is the refusal. */
  readonly also?: (handle: Handle) => RefusalCode | undefined;
}

/** Whether a tool is still the one its call was parked on; asked inside the transaction that dispatches (document 002). */
export type StillServed = () => 'served' | 'revision-withdrawn' | 'stale';

/**
 * Everything that can be done with parked calls. Commands give a `Result`: `handle-not-found`, how a final handle ended (`declined`, `expired` and so
 * on), `already-decided`, `paused`, `clock-moved`, `store-unavailable`, and what each names. Reads throw `StoreUnavailable` when the store cannot be read.
 */
export interface Approvals {
  /** Commits the call before it returns. `too-many-pending`, `idempotency-key-reused`. */
  park(parking: Parking): Result<Handle>;
  /** A handle whose time is over is expired first, so that nobody is told that it still waits. */
  get(id: HandleId): Handle | undefined;
  /** The client's own handle; somebody else's is `handle-not-found` like one that never was. */
  own(id: HandleId, client: ClientId): Result<Handle>;
  /** What waits for a human, first parked first. */
  queue(): readonly Handle[];
  /** A client's calls that are not final, first parked first. */
  pending(client: ClientId): readonly Handle[];
  /** Everything kept, newest first. */
  recent(limit: number): readonly Handle[];
  /** The human's yes; to a question, with what its fields begin with. In this order: state, kind of proof (`window-only`, `code-required`), `hash-mismatch`, deadline, the attestor's word; a spent code is `code-used`. */
  approve(approval: Approval): Result<Handle>;
  /** The human's no, to a question too; `hash` null when nothing was shown (command line). A reason is kept of calls and changes only: a question's asker takes none. */
  decline(declining: { readonly id: HandleId; readonly hash: string | null; readonly reason: string | null; readonly actor: string }): Result<Handle>;
  /** What a handle asks, while it waits for the answer. */
  question(id: HandleId): Question | undefined;
  /**
   * Answers a question. Whatever the answer is, the call it belongs to goes on and its end becomes the handle's (`settle`). A yes is proven like any
   * other; `answer-misfit` when the values do not fit the form, `window-only` when it has to be filled in and there is no window.
   */
  answer(answering: Answering): Result<Handle>;
  /**
   * Nobody waits for the answer any more: the target took the question back, or the call has ended. It goes on like one that nobody answered; `apart`:
   * the handle is the question's own, and ends as withdrawn. When the store cannot commit it, that is owed: tried again until it can, and nothing else happens to the handle before.
   */
  lapse(id: HandleId, apart?: boolean): Result<Handle>;
  withdraw(withdrawing: { readonly id: HandleId; readonly client: ClientId }): Result<Handle>;
  /** The tool revision was withdrawn. */
  revoke(id: HandleId): Result<Handle>;
  /** The tool's definition changed. */
  outdate(id: HandleId): Result<Handle>;
  /** Commits the intent to send. Only who got `ok` may send, once, exactly the request of the handle it got. */
  beginDispatch(id: HandleId, stillServed?: StillServed): Result<Handle>;
  /** What was approved and will not be sent now goes back to the queue and needs a new proof. Owed, like a lapse, when the store cannot commit it. */
  giveBack(id: HandleId): Result<Handle>;
  /** Commits the outcome. Owed, like a lapse, when the store cannot: it is kept in memory and tried again by `expireDue`. */
  settle(id: HandleId, answer: Answer): Result<Handle>;
  /** Expires what is over; gives the expired ones. */
  expireDue(): Result<readonly Handle[]>;
  /**
   * For the start: executing becomes unknown, and so does a call with its target's question open; other questions are withdrawn, for who asked is gone;
   * approved goes back to the queue, what is over expires. In a `restored` store (an older copy put back)
   * what waits is withdrawn instead, since it may have been decided and sent in the meantime. Gives the changed ones.
   */
  settleInterrupted(left?: { readonly restored: boolean }): Result<readonly Handle[]>;
  /** The handle an identical call joins instead of being parked: an open one, or one whose end nobody fetched within 24 hours. */
  joinable(client: ClientId, target: TargetId, hash: PayloadHash, revision?: BoundRevision): Handle | undefined;
  /** When an identical request last ran, or may have, epoch ms. */
  lastExecutedAt(target: TargetId, hash: PayloadHash): number | undefined;
  /** A client was told how it ended. True for the first time. */
  markFetched(id: HandleId): Result<boolean>;
  /** Takes the answers out of handles that ended more than 24 hours ago, fetched or not; gives how many. What was asked and decided stays. */
  forgetAnswers(): Result<number>;
  /** Takes the texts of requests out of handles that ended more than 90 days ago, and of the oldest where they are more than 256 MiB; gives how many. Who asked, the hash, what was decided and how it ended stay. */
  forgetRequests(): Result<number>;
  subscribe(listener: HandleListener): () => void;
  /** The kill switch: nothing is approved or dispatched, deadlines stand still, what is approved and unsent goes back to the queue. */
  pause(actor: string): Result<void>;
  resume(actor: string): Result<void>;
  isPaused(): boolean;
  /** Milliseconds until something must be looked at again; null when nothing will be. */
  nextDeadlineMs(): number | null;
  /** Milliseconds this handle may still wait, by the clock that is first over; never below 0. */
  remainsMs(handle: Handle): number;
}
