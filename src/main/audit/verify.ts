import { isAnchor, type Anchor, type AnchorKey } from './anchor.ts';
import type { Chain } from './event.ts';
import { chainHash, chainStart, type AuditRow, type ChainHead } from './row.ts';

/** What is wrong with a row: it was altered, is not there, stands where another belongs, or the chain ends before it although it was written. */
export type ChainFault = 'changed' | 'missing' | 'out of order' | 'cut';

export interface ChainVerdict {
  readonly chain: Chain;
  /** Rows read. */
  readonly rows: number;
  readonly firstBad?: { readonly seq: number; readonly fault: ChainFault };
}

export interface VerifyInput {
  readonly chain: Chain;
  /** The rows as they are stored, in the order of their numbers. */
  readonly rows: Iterable<AuditRow>;
  readonly key: AnchorKey;
  /** The anchor that is written together with every row; undefined when it is gone. */
  readonly anchor: Anchor | undefined;
  /** An anchor kept elsewhere that may lag behind the chain but never lead it. */
  readonly witness?: Anchor | undefined;
}

/** How far around its place a displaced row is looked for, before it counts as changed. */
const REACH = 1_000;

/** Reads a chain from its first row on and names the first row that is not as it was written. */
export function verifyChain({ chain, rows, key, anchor, witness }: VerifyInput): ChainVerdict {
  const awaited = new Map<number, string>();
  for (const one of [anchor, witness]) if (one !== undefined && isAnchor(key, one)) awaited.set(one.seq, one.hash);
  let head: ChainHead = chainStart;
  let read = 0;
  const bad = (seq: number, fault: ChainFault): ChainVerdict => ({ chain, rows: read, firstBad: { seq, fault } });

  for (const row of rows) {
    read += 1;
    const expected = head.seq + 1;
    if (row.seq > expected) return bad(expected, 'missing');
    if (row.seq < expected || row.chain !== chain) return bad(row.seq, 'out of order');
    if (chainHash(row) !== row.hash) return bad(row.seq, isDisplaced(row) ? 'out of order' : 'changed');
    // The row is sound in itself but tied to another predecessor: the one before it was rewritten, hash and all.
    if (row.prev !== head.hash) return bad(Math.max(1, row.seq - 1), 'changed');
    if ((awaited.get(row.seq) ?? row.hash) !== row.hash) return bad(row.seq, 'changed');
    head = row;
  }

  const end = head.seq + 1;
  if (anchor === undefined || !isAnchor(key, anchor) || anchor.seq > head.seq) return bad(end, 'cut');
  if (witness !== undefined && isAnchor(key, witness) && witness.seq > head.seq) return bad(end, 'cut');
  if (anchor.seq < head.seq) return bad(anchor.seq + 1, 'changed'); // rows that nobody with the key has written
  if (anchor.seq === 0 && anchor.hash !== chainStart.hash) return bad(1, 'cut');
  return { chain, rows: read };
}

/** A row whose hash fits another number was moved there whole. */
function isDisplaced(row: AuditRow): boolean {
  for (let seq = Math.max(1, row.seq - REACH); seq <= row.seq + REACH; seq += 1) {
    if (seq !== row.seq && chainHash({ ...row, seq }) === row.hash) return true;
  }
  return false;
}
