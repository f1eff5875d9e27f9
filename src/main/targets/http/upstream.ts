import type { TargetFace } from '../../dispatch/ports.ts';
import type { Introduction } from '../rpc/handshake.ts';
import type { RpcPeer } from '../rpc/peer.ts';
import type { Limits } from '../ports.ts';
import type { Log } from '../../platform/log.ts';
import type { HttpClient } from './http-client.ts';
import type { TaskQuestions } from './task-questions.ts';

/** One session with an HTTP target, initialized. */
export interface Upstream {
  readonly peer: RpcPeer;
  readonly face: TargetFace;
  /** False once the server has forgotten it, or its stream broke. */
  usable(): boolean;
  /** Resolves when the server has taken up telling of its own accord, or will not. */
  watch?(): Promise<void>;
  /** Opens the stream on which the server tells of its own accord, when it has one and it is not open. */
  listen(): void;
  /** The same, and resolves when the server can speak on it, or will not. For sessions that a server may ask something. */
  hear?(): Promise<void>;
  /** Whether that stream is open, so that we would hear of a change. */
  heard(): boolean;
  /** Tells the server that the session is over, and settles what waits. Resolves soon, whether or not the server answers. */
  close(): Promise<void>;
}

/** What a server cannot be talked to by, when it does not know the transport at all. */
export type Unknown = 'no-such-transport';

export interface UpstreamDeps {
  readonly client: HttpClient;
  readonly url: URL;
  /** The entry's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly introduction: Introduction;
  readonly limits: Limits;
  readonly log: Log;
  /** Told of the face as soon as it is known; the session may be used only when it is open. */
  readonly agreed: (face: TargetFace) => void;
  readonly notified: (method: string, params: Record<string, unknown> | undefined) => void;
  readonly noise: () => void;
  /** Of all sessions with this target: a task is followed in any of them. */
  readonly taskQuestions: TaskQuestions;
  /** The stream of tidings was lost: nothing more is heard for now. */
  readonly lost: () => void;
  /** It is open again: something may have been missed. */
  readonly missed: () => void;
}

/** How long the server is given to take the end of a session. */
export const CLOSE_MS = 2_000;
