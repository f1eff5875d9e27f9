import type { Refused, Result } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Answer, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { Handle } from '../approvals/index.ts';
import type { Relay } from './ports.ts';

/** A call as a door hands it in. */
export interface Submission {
  readonly call: IncomingCall;
  readonly door: 'rest' | 'mcp';
  /** The idempotency key, on the REST door only. */
  readonly key?: string;
  /** The downstream session: a session id, or `rest:<client>`. */
  readonly session: string;
  readonly relay?: Relay;
  /** Aborted when the client cancelled the call. */
  readonly signal?: AbortSignal;
}

/** What became of a submission by the time the door may answer. */
export type Submitted =
  /** It passed the guard (or replays an answer that passed before) and the target answered, or did not. */
  | { readonly kind: 'answered'; readonly answer: Answer; readonly replay: boolean }
  /** It is a handle: parked or approved by this very submission, or `joined` when it was there before. It may be in any state, final ones included. */
  | { readonly kind: 'handle'; readonly handle: Handle; readonly joined: boolean }
  | (Omit<Refused, 'ok'> & { readonly kind: 'refused'; readonly handle?: HandleId });

/** A call that brings the human's code along (document 003, 3.2): the original payload again, with the prompt's id and what was typed. */
export interface Resumption {
  readonly submission: Submission;
  readonly promptId: string;
  readonly value: string;
  /** Ends the waiting for the result, not the run. */
  readonly signal: AbortSignal;
}

/** Takes calls from the doors: asks the guard, passes or parks, sends an approved one once, settles it. */
export interface Dispatch {
  /** Whether the guard would let this call pass to its target. Sends, starts and records nothing; for doors that must look something up before they know the target. */
  wouldPass(call: IncomingCall): boolean;
  submit(submission: Submission): Promise<Submitted>;
  /** Approves a parked TOTP call in-band and waits for its result. A call whose key names no parked handle is an ordinary submission. */
  resume(resumption: Resumption): Promise<Submitted>;
  /** Resolves when the handle is final, with the handle; rejects with the signal's reason when that is aborted first. */
  settled(id: HandleId, signal: AbortSignal): Promise<Handle>;
  /** Takes a parked call back for its owner. One that runs goes on, except that a confirmation of the broker is stopped if nothing was sent. */
  withdraw(id: HandleId, client: IncomingCall['client']): Result<Handle>;
  /** Ends waiting: in-flight calls get `graceMs` to finish. */
  drain(graceMs: number): Promise<void>;
}
