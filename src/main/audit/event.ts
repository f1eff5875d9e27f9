/**
 * The vocabulary of the audit: what happened, in the past tense. Details hold names, hashes, counts and codes, never values of a request, headers,
 * environment values, codes or secrets. To add an event: add its name here, record it in the same transaction as the change it speaks of, and name
 * it in docs/ARCHITECTURE.md.
 */
export const auditTypes = [
  'gateway.started', 'gateway.stopped', 'gateway.paused', 'gateway.resumed',
  'call.passed', 'call.refused', 'call.lost',
  'handle.parked', 'handle.approved', 'handle.declined', 'handle.withdrawn', 'handle.expired', 'handle.returned', 'handle.revoked', 'handle.outdated',
  'handle.dispatched', 'handle.executed', 'handle.faulted', 'handle.unknown', 'answers.forgotten', 'requests.forgotten',
  'question.asked', 'question.answered', 'proof.refused', 'totp.offered', 'totp.enrolled', 'totp.reset', 'totp.recovered',
  'target.connected', 'target.changed', 'target.disconnected', 'target.listed', 'sandbox.started', 'sandbox.ended',
  'tools.pinned', 'tools.changed', 'tools.withheld', 'tools.admitted',
  'client.added', 'client.revoked', 'change.proposed', 'change.applied', 'grant.given', 'grant.used', 'grant.revoked', 'bridge.added', 'bridge.removed', 'audit.doubted',
  'revision.admitted', 'revision.served', 'revision.withdrawn', 'revision.removed', 'revision.migrated',
  'proposal.minted', 'proposal.evicted', 'proposal.refused', 'dry-run.alarmed', 'confirm.refused', 'confirm.answered', 'create.sent', 'create.executed', 'create.refused', 'create.unknown',
] as const;
export type AuditType = (typeof auditTypes)[number];

export interface AuditEvent {
  readonly type: AuditType;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Who did it: `client:<name>`, `window`, `control:<OS user>`, `sentinel`, `gateway`. */
  readonly actor: string;
  readonly target?: string | null;
  readonly handle?: string | null;
  readonly payloadHash?: string | null;
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The two chains: what decides or sends is durable at once, what merely passed is not allowed to slow the answer. */
export type Chain = 'decisions' | 'passes';
