import type { AuditVerdict, AuditView, ClientView, EntryPreview, GrantView, HandleView, TargetView } from '../../shared/contract/control.ts';
import { isJsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { STAND_INS } from '../../shared/vocabulary/stand-in.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import { visibleJson } from '../../shared/visible-text.ts';
import { deadlineAt, reasonOf, wireState, type Handle } from '../approvals/index.ts';
import type { AuditRow, ChainVerdict } from '../audit/index.ts';
import type { ClientRecord } from '../clients/index.ts';
import { leavesOfText, pathText, standInsOf } from '../canonical/index.ts';
import type { Grant } from '../grants/index.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Guarding } from '../preflight/ports.ts';
import type { BuiltInTarget, ConnectedTarget, TargetRunning } from './ports.ts';

/** A target as the control routes show it: environment and header values by name only. */
export function targetView({ spec, from }: ConnectedTarget, guarding: Guarding, running: TargetRunning | undefined): TargetView {
  const { id, reach, mode, expiresAfterS, lingerS } = spec;
  return {
    id,
    transport: reach.transport,
    mode,
    ...(reach.transport === 'stdio' ? { command: reach.command, args: reach.args } : { url: reach.url }),
    environment: reach.transport === 'stdio' ? Object.keys(reach.env).sort() : [],
    headers: reach.transport === 'stdio' ? [] : Object.keys(reach.headers).sort(),
    guard: guardView(guarding),
    expires_after_s: expiresAfterS,
    linger_s: lingerS,
    active_sandboxes: running?.activeSandboxes ?? 0,
    state: guarding.kind === 'closed' ? 'closed' : (running?.state ?? 'idle'),
    tools: running?.tools ?? 0,
    from,
  };
}

/** A target that is part of the product, as the control routes show it. */
export function builtInView({ spec, place }: BuiltInTarget, guarding: Guarding, running: TargetRunning | undefined): TargetView {
  return {
    id: spec.id, transport: 'inside', mode: 'inside', url: place, environment: [], headers: [], guard: guardView(guarding), expires_after_s: spec.expiresAfterS, linger_s: 0,
    active_sandboxes: running?.activeSandboxes ?? 0, state: guarding.kind === 'closed' ? 'closed' : (running?.state ?? 'idle'), tools: running?.tools ?? 0, from: 'built-in',
  };
}

/** What an entry would run or call. */
export function entryPreview({ reach, mode }: TargetSpec, guarding: Guarding): EntryPreview {
  const guard = guardView(guarding);
  if (reach.transport !== 'stdio') return { transport: reach.transport, mode, url: reach.url, environment: [], headers: Object.keys(reach.headers).sort(), guard };
  const { command, args, cwd, env } = reach;
  return { transport: 'stdio', mode, command, args, ...(cwd !== null && { cwd }), environment: Object.keys(env).sort(), headers: [], guard };
}

export function guardView(guarding: Guarding): TargetView['guard'] {
  switch (guarding.kind) {
    case 'none':
      return { kind: 'none' };
    case 'closed':
      return { kind: 'closed', source: guarding.source, fault: guarding.fault };
    case 'rule':
      return { kind: 'rule', pattern: guarding.pattern, attestation: guarding.mode, source: guarding.source, ...(guarding.everyCall && { every_call: true }), ...(guarding.exceptReadOnly && { except_read_only: true }) };
  }
}

/** A parked call or change. `whole` adds its canonical text and every field of it. */
export function handleView(handle: Handle, { whole = false }: { readonly whole?: boolean } = {}): HandleView {
  const { id, kind, client, request, trap, parkedAt } = handle;
  return {
    handle: id,
    kind,
    client,
    target: request.target,
    method: request.method,
    subject: request.subject,
    state: wireState(handle),
    reason: reasonOf(handle),
    require_totp: trap.mode === 'totp',
    pattern: trap.pattern,
    matched: trap.where,
    payload_hash: request.hash,
    ...(request.revision && { revision: request.revision }),
    parked_at: isoTime(parkedAt.wall),
    expires_at: isoTime(deadlineAt(handle)),
    ...(whole && handle.forgotten === true && { forgotten: true }),
    ...(whole && handle.forgotten !== true && { ...(trap.masked === undefined && { canonical: visibleJson(request.text) }), fields: fieldsOf(request.text, new Set(trap.masked)) }),
  };
}

/** A masked value is told by its length; the canonical text it stands in is not told at all. A null that stands for something else is told as that. */
const fieldsOf = (text: string, masked: ReadonlySet<string>): NonNullable<HandleView['fields']> => {
  const standInAt = standInsOf(JSON.parse(text) as JsonValue);
  return leavesOfText(text).map(({ path, type, value }) => {
    const standIn = standInAt(path);
    if (standIn !== undefined) return { path: pathText(path), ...STAND_INS[standIn] };
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    return { path: pathText(path), type, value: masked.has(pathText(path)) ? `masked, ${shown.length} characters` : shown };
  });
};

export function clientView(record: ClientRecord, lastSeenAt: number | null): ClientView {
  return { name: record.id, roles: record.roles, created_at: isoTime(record.createdAt), last_seen_at: lastSeenAt === null ? null : isoTime(lastSeenAt), revoked: record.revokedAt !== null };
}

export function grantView({ id, client, target, method, subject, hash, varies, revision, givenAt, forMs }: Grant): GrantView {
  return { grant: id, client, target, method, subject, payload_hash: hash, varies, ...(revision && { version: revision.version }), given_at: isoTime(givenAt.wall), ends_at: isoTime(givenAt.wall + forMs) };
}

export function auditView({ chain, seq, at, type, actor, target, handle, payloadHash, detail, hash }: AuditRow): AuditView {
  return { chain, seq, at: isoTime(at), type, actor, target, handle, payload_hash: payloadHash, detail: detailOf(detail), hash };
}

/** The details of a row as they were written. A row that somebody altered may hold anything, and `audit verify` names it. */
function detailOf(text: string): AuditView['detail'] {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return { unreadable: true };
    throw error;
  }
  return isJsonObject(value) ? (value as AuditView['detail']) : { unreadable: true };
}

/** One verdict over all chains: the first row that is not as it was written, if there is one. */
export function auditVerdict(chains: readonly ChainVerdict[]): AuditVerdict {
  const rows = chains.reduce((sum, chain) => sum + chain.rows, 0);
  const [bad] = chains.flatMap(({ chain, firstBad }) => (firstBad === undefined ? [] : [{ chain, ...firstBad }]));
  return bad === undefined ? { ok: true, rows } : { ok: false, rows, first_bad: bad };
}
