import { hash } from 'node:crypto';
import type { AuditEvent, Chain } from './event.ts';

/** An event as it is stored: numbered within its chain from 1, tied to the row before it by `prev`. `detail` is JSON text; hashes are 64 hex digits. */
export interface AuditRow {
  readonly chain: Chain;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly actor: string;
  readonly target: string | null;
  readonly handle: string | null;
  readonly payloadHash: string | null;
  readonly detail: string;
  readonly prev: string;
  readonly hash: string;
}

/** The last row of a chain, or its beginning. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** What the first row of a chain is tied to. */
export const chainStart: ChainHead = { seq: 0, hash: '0'.repeat(64) };

const VERSION = 'countersign-audit-v1\0';

/** One field with its length in bytes before it, so that no two lists of fields share a text; absent is not the same as empty. */
export const framed = (field: string | number | null): string => {
  if (field === null) return '-';
  const text = String(field);
  return `${Buffer.byteLength(text)}:${text}`;
};

/** SHA-256 over the version's name and every field of the row but the hash itself, each with its length. */
export function chainHash({ chain, seq, at, type, actor, target, handle, payloadHash, detail, prev }: Omit<AuditRow, 'hash'>): string {
  const fields = framed(chain) + framed(seq) + framed(at) + framed(type) + framed(actor) + framed(target) + framed(handle) + framed(payloadHash) + framed(detail) + framed(prev);
  return hash('sha256', VERSION + fields, 'hex');
}

/** The row that records an event after the given head of a chain. */
export function rowAfter(head: ChainHead, chain: Chain, event: AuditEvent): AuditRow {
  const fields = {
    chain,
    seq: head.seq + 1,
    at: event.at,
    type: event.type,
    actor: event.actor,
    target: event.target ?? null,
    handle: event.handle ?? null,
    payloadHash: event.payloadHash ?? null,
    detail: event.detail === undefined ? '{}' : JSON.stringify(event.detail),
    prev: head.hash,
  };
  return { ...fields, hash: chainHash(fields) };
}
