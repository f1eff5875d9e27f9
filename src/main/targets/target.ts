import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Downstream, Outgoing, TargetFace, Turn } from '../dispatch/ports.ts';
import type { Unready } from './rpc/handshake.ts';
import type { ListKind, ListMethod } from './rpc/lists.ts';

export interface TargetStatus {
  /** Living processes of this target. */
  readonly activeSandboxes: number;
  /** `failed`: the last attempt to start or reach it did not succeed. */
  readonly state: 'idle' | 'running' | 'failed';
  /** How many tools its last list had. */
  readonly tools: number;
  /** Why it failed, in our own words. */
  readonly note: string | null;
  /** Lines or messages that were none, since it was connected. */
  readonly noise: number;
  /** The end of what its last process wrote to stderr, as it came. For the operator's eyes only: it may hold anything. */
  readonly stderr: string;
}

/** One connected target, in one of the three modes of document 003, section 1. */
export interface Target {
  call(outgoing: Outgoing): Promise<Answer>;
  /** A turn for a call that can wait for it, where calls go out one after the other. */
  turn?(): Turn | Promise<Turn>;
  face(downstream: Downstream): Promise<TargetFace | Unready>;
  list(method: ListMethod, downstream: Downstream): Promise<Answer>;
  /** What is known of a list without asking or starting anything. */
  stored?(method: ListMethod): Answer | undefined;
  /** Asks for all lists anew, where they come from a stored catalogue. */
  refresh(): Promise<Unready | undefined>;
  /** A notification of the client behind a downstream session; for targets that know of sessions. */
  tell(session: string, method: string, params: JsonObject): void;
  /** Asks the target to tell of changes of its lists, where it has to be asked. */
  watch?(downstream: Downstream): Promise<void>;
  endSession(session: string): void;
  /** Whether a tool's name is one of this target's, listed or not; only of targets whose tools keep their own names. Asks nobody. */
  owns?(name: string): boolean;
  status(): TargetStatus;
  /** Ends all that runs for it. Calls in flight are settled. */
  close(): Promise<void>;
}

/** What a target tells of its own accord. */
export interface Tellings {
  readonly changed: (what: ListKind) => void;
  /** A notification that belongs to no call, and the downstream session it is for. */
  readonly notified: (session: string, method: string, params: Record<string, unknown> | undefined) => void;
}
