import type { AuditEvent, AuditType } from '../audit/index.ts';
import { isAsked, type Handle } from './handle.ts';
import type { EventKind } from './machine.ts';

const types: Readonly<Record<EventKind, AuditType>> = {
  approve: 'handle.approved',
  decline: 'handle.declined',
  withdraw: 'handle.withdrawn',
  expire: 'handle.expired',
  revoke: 'handle.revoked',
  outdate: 'handle.outdated',
  dispatch: 'handle.dispatched',
  succeed: 'handle.executed',
  fault: 'handle.faulted',
  lose: 'handle.unknown',
  giveBack: 'handle.returned',
  adopt: 'question.answered',
  dismiss: 'question.answered',
};

export type Detail = NonNullable<AuditEvent['detail']>;

const about = (handle: Handle, type: AuditType, at: number, actor: string, detail: Detail): AuditEvent => ({
  type, at, actor, target: handle.request.target, handle: handle.id, payloadHash: handle.request.hash, detail,
});

/** The audit row of a step. Details hold codes, counts and our own words, never anything of the request. */
export const recordOf = (next: Handle, event: EventKind, at: number, actor: string, detail: Detail = {}): AuditEvent => about(next, types[event], at, actor, detail);

/** The audit row of a proof that was not even looked at: of the wrong kind, by a way that cannot give one, or for something else than what is stored. */
export const recordOfRefusedProof = (handle: Handle, at: number, actor: string, way: string, code: string): AuditEvent => about(handle, 'proof.refused', at, actor, { way, code });

/** The audit row of parking. A resource's address is a value of the request, so the subject is named for tools and prompts only, and only when it is a plain name. */
export function recordOfParking(handle: Handle, actor: string): AuditEvent {
  const { method, subject, revision } = handle.request;
  const named = subject !== null && (method === 'tools/call' || method === 'prompts/get') && PLAIN_NAME.test(subject);
  return about(handle, isAsked(handle) ? 'question.asked' : 'handle.parked', handle.parkedAt.wall, actor, {
    kind: handle.kind, door: handle.door, method, ...(named && { subject }), ...(revision && { version: revision.version, digest: revision.digest }), mode: handle.trap.mode, source: handle.trap.source, ttl_s: Math.round(handle.ttlMs / 1000),
  });
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
