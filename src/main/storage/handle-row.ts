import { createHash } from 'node:crypto';
import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { BoundRevision, Trap } from '../../shared/vocabulary/request.ts';
import { isFinal, type Handle, type HandleState } from '../approvals/index.ts';
import { StoreUnavailable } from '../approvals/ports.ts';

/** A row of `handles`. */
export interface HandleRow {
  readonly id: HandleId;
  readonly kind: Handle['kind'];
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  readonly subject: string | null;
  readonly text: Uint8Array;
  readonly params_at: number;
  readonly params_length: number;
  readonly hash: PayloadHash;
  readonly trap: Uint8Array;
  readonly door: Handle['door'];
  readonly parked_wall: number;
  readonly parked_mono: number;
  readonly parked_boot: string;
  readonly ttl_ms: number;
  readonly frozen_wall: number;
  readonly frozen_mono: number;
  readonly version: number;
  readonly state: Uint8Array;
  readonly fetched: number;
  readonly revision: string | null;
  readonly forgotten: number;
}

/** The columns of a new handle, in the order of `INSERT_COLUMNS`. `params` is kept as its place inside the one text, so that the two cannot come apart. */
export function insertValues(handle: Handle): readonly unknown[] {
  const { request, parkedAt, frozen } = handle;
  const paramsAt = request.text.indexOf(request.paramsText);
  if (paramsAt < 0) throw new Error('the params are not a part of the request');
  return [
    handle.id, handle.kind, handle.client, request.target, request.method, request.subject, bytes(request.text), paramsAt, request.paramsText.length, request.hash,
    bytes(JSON.stringify(handle.trap)), handle.door, parkedAt.wall, parkedAt.mono, parkedAt.boot, handle.ttlMs, frozen.wall, frozen.mono, handle.version, handle.state.status, bytes(JSON.stringify(handle.state)), revisionText(request.revision),
  ];
}
export const INSERT_COLUMNS =
  'id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, frozen_wall, frozen_mono, version, status, state, revision';

/** A bound revision as it is kept and compared; null for none. */
export const revisionText = (bound: BoundRevision | undefined): string | null => (bound === undefined ? null : JSON.stringify({ name: bound.name, version: bound.version, digest: bound.digest }));

/** What a step writes, in the order of `UPDATE_COLUMNS`. */
export function updateValues({ version, frozen, state }: Handle): readonly unknown[] {
  return [version, frozen.wall, frozen.mono, state.status, bytes(JSON.stringify(state)), isFinal({ state }) && 'settledAt' in state ? state.settledAt : null];
}
export const UPDATE_COLUMNS = 'version = ?, frozen_wall = ?, frozen_mono = ?, status = ?, state = ?, settled_at = ?';

/**
 * The handle of a row. A text that no longer fits its hash was altered outside the product: it is neither shown nor sent, and the read fails. None is
 * left of a final handle whose request was kept long enough.
 */
export function handleOf(row: HandleRow): Handle {
  const text = textOf(row.text);
  const state = JSON.parse(textOf(row.state)) as HandleState;
  const forgotten = row.forgotten === 1 && isFinal({ state });
  if (!forgotten && createHash('sha256').update(row.text).digest('hex') !== row.hash) throw new StoreUnavailable(`the stored request of ${row.id} does not fit its hash`);
  return {
    id: row.id,
    kind: row.kind,
    client: row.client,
    request: { target: row.target, method: row.method, subject: row.subject, text, paramsText: text.slice(row.params_at, row.params_at + row.params_length), hash: row.hash, ...(row.revision !== null && { revision: JSON.parse(row.revision) as BoundRevision }) },
    trap: JSON.parse(textOf(row.trap)) as Trap,
    door: row.door,
    parkedAt: { wall: row.parked_wall, mono: row.parked_mono, boot: row.parked_boot },
    ttlMs: row.ttl_ms,
    version: row.version,
    frozen: { wall: row.frozen_wall, mono: row.frozen_mono },
    fetched: row.fetched === 1,
    state,
    ...(forgotten && { forgotten }),
  };
}

/** Text as it is kept: UTF-8 bytes. */
export const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
export const textOf = (blob: Uint8Array): string => Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).toString('utf8');
