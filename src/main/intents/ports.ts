import type { AuditEvent } from '../audit/index.ts';

/** Somebody outside who may sign intents, and is told of parked calls when it has a URL. */
export interface BridgeRecord {
  /** Lower-case letters, digits and single hyphens, at most 32 characters. */
  readonly name: string;
  /** Its Ed25519 public key: 32 bytes as base64url. */
  readonly key: string;
  /** Where parked calls are announced: https, or http to this machine; null when it is told nothing. */
  readonly url: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** An intent that was taken. `expiresAt` is epoch milliseconds. */
export interface UsedIntent {
  /** The key it was signed with, so that a bridge that is removed and added again cannot say it twice. */
  readonly key: string;
  readonly jti: string;
  readonly expiresAt: number;
}

/** Where bridges and used intents are kept. Writes commit at full durability before they return; one that cannot throws `StoreUnavailable`. */
export interface BridgeStore {
  /** First added first. */
  list(): readonly BridgeRecord[];
  /** `secret` signs what the bridge is told; it is sealed. */
  add(record: BridgeRecord, secret: string | null, event: AuditEvent): void;
  /** False when there was none of this name. */
  remove(name: string, event: AuditEvent): boolean;
  /** Throws when what sealed it is not there. */
  secret(name: string): string | undefined;
  /** Takes an intent; false when it was taken before. Those that expired long before `now` are forgotten. */
  take(used: UsedIntent, now: number): boolean;
}
