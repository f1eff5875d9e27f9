import type { Answer } from '../../../shared/vocabulary/request.ts';

/** How a request can end without an answer of the target. */
export type Failure = Extract<Answer, { kind: 'fault' | 'lost' }>;

/** A message that was handed to the transport. */
export interface Ticket {
  /** Whether any byte of it may have left. */
  left(): boolean;
  /** Takes it back if it has not left, and stops waiting for its answer if it has. */
  abandon(): void;
}

export interface Outbound {
  /** Our id, when the message is a request. */
  readonly id?: number;
  /** What an HTTP transport sends along in its head for this message alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The transport has taken it: the pipe, or the server that answered 202. */
  readonly delivered?: () => void;
  /** Told at most once, when this message alone failed: it could not be sent, or its stream ended without the answer. */
  readonly failed: (failure: Failure) => void;
}

/** What carries messages to a target and brings its messages to `RpcPeer.receive`. */
export interface Wire {
  send(text: string, about: Outbound): Ticket;
}

/** The failure of a message whose transport is gone. */
export function failureOf(left: boolean, note: string, code: Extract<Failure, { kind: 'fault' }>['code'] = 'upstream-unreachable'): Failure {
  if (!left) return { kind: 'fault', code, sent: false, note };
  return code === 'upstream-too-large' ? { kind: 'fault', code, sent: true, note } : { kind: 'lost', note };
}
