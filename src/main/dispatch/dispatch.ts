import type { Result } from '../../shared/result.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Answer, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
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
  /** It is a handle: parked just now, or joined. The handle may be in any state, final ones included. */
  | { readonly kind: 'handle'; readonly handle: Handle; readonly joined: boolean }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly at?: string };

/** Takes calls from the doors: asks the guard, passes or parks, sends an approved one once, settles it. */
export interface Dispatch {
  submit(submission: Submission): Promise<Submitted>;
  /** Resolves when the handle is final, with the handle; rejects with the signal's reason when that is aborted first. */
  settled(id: HandleId, signal: AbortSignal): Promise<Handle>;
  /** Takes a parked call back for its owner. */
  withdraw(id: HandleId, client: IncomingCall['client']): Result<Handle>;
  /** Ends waiting: in-flight calls get `graceMs` to finish. */
  drain(graceMs: number): Promise<void>;
}
