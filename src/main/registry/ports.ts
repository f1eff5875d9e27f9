import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Revision, RevisionKey } from './resource.ts';

export { StoreUnavailable } from '../audit/index.ts';

/**
 * Where the desired state is kept: every admitted revision, withdrawn ones too (an inactive revision is its own tombstone). Every write is one
 * transaction at full durability together with its audit row; a failed read or write throws `StoreUnavailable` and leaves nothing behind.
 */
export interface RevisionStore {
  all(): readonly Revision[];
  /** Puts and removes in one transaction, by name and version. */
  write(change: { readonly put: readonly Revision[]; readonly remove?: readonly RevisionKey[] }, event: AuditEvent): void;
  /** Resources stored before there was admission, as they were written. `write` of a revision takes its row out of this list. */
  legacy(): readonly JsonValue[];
}

export type AuthorityEventType = 'dispatch_committed' | 'commit_denied' | 'withdrawal_committed' | 'origin_denied';

/** What happened at the boundary, and nothing of the call: no arguments, headers, credentials, paths or answers (document 002, withdrawal and dispatch). */
export interface AuthorityEvent {
  /** Rises by one with each event, given at the moment of commitment: the order of events, whenever they are told. */
  readonly sequence: number;
  readonly type: AuthorityEventType;
  readonly toolName: string;
  readonly toolVersion: string;
  readonly resourceDigest: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** For tests and evaluation only; production leaves them unset, and nothing over HTTP reaches them. */
export interface AuthorityHooks {
  /** Awaited after the origin was checked and before the lock is asked for. */
  readonly beforeCommit?: (key: RevisionKey) => Promise<void>;
  /** Told after the lock is released; may withdraw. */
  readonly onEvent?: (event: AuthorityEvent) => void;
}

/** For tests only, like `AuthorityHooks`. A rejection fails the attempt. */
export interface ReconciliationHooks {
  readonly beforeAttempt?: () => Promise<void>;
}

/** Where a revision's credential is read at the moment it is needed; undefined when it is not set. Its value goes nowhere but into the one header. */
export interface Credentials {
  read(ref: { readonly source: 'env' | 'file'; readonly name: string }): Promise<string | undefined>;
}

/** A request on its way out: the credential is in its header, the body is the text that was hashed. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText: string | null;
  /** The revision's: whatever `url` says, nothing is connected to anywhere else. */
  readonly approvedOrigins: readonly string[];
}

/** `body` is undefined when the answer is not JSON, null when it is empty; a redirect is an answer like any other. `sent`: bytes may have left. */
export type ConnectorAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: JsonValue | undefined }
  | { readonly kind: 'timed-out'; readonly sent: boolean }
  /** Not reached, broke off, or answered with more than is taken. */
  | { readonly kind: 'broken'; readonly sent: boolean };

/** Sends once: follows no redirect and repeats nothing. Never throws for what the other side does. */
export interface Connector {
  send(request: OutgoingRequest): Promise<ConnectorAnswer>;
}
