import { anchorOf, chainStart, rowAfter, type AnchorKey, type AuditEvent, type Chain, type ChainHead } from '../audit/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { PassRecorder } from '../dispatch/ports.ts';
import type { Connection } from './connection.ts';

/** Appends to the chains on one connection. The anchor of a chain is its head: both are written in one transaction, or neither. */
export interface AuditLog {
  /** Appends after the head found in the database; joins the transaction it is called in. */
  append(chain: Chain, event: AuditEvent): void;
}

export function createAuditLog(connection: Connection, key: AnchorKey): AuditLog {
  const headOf = connection.prepare<ChainHead>('SELECT seq, hash FROM anchors WHERE chain = ?');
  const write = createRowWriter(connection, key);
  return {
    append: (chain, event) =>
      connection.transaction(() => {
        const head = headOf.get(chain);
        if (head === undefined) throw new StoreUnavailable(`the anchor of the chain "${chain}" is missing`);
        write(head, chain, event);
      }),
  };
}

/**
 * Records passing calls: one transaction each on the connection at NORMAL, so that a killed process loses none. Inside a transaction of the other
 * connection a second writer would wait for itself, so then it writes there.
 */
export function createPassRecorder(normal: Connection, full: Connection, key: AnchorKey): PassRecorder {
  const slow = createAuditLog(full, key);
  const headOf = normal.prepare<ChainHead>("SELECT seq, hash FROM anchors WHERE chain = 'passes'");
  const write = createRowWriter(normal, key);
  /** The head after our last commit; nobody else writes this chain. */
  let head: ChainHead | undefined;
  return {
    record(event) {
      const known = head;
      head = undefined; // until the commit is seen to have succeeded
      if (full.db.inTransaction) slow.append('passes', event);
      else head = normal.transaction(() => write(known ?? headOf.get() ?? chainStart, 'passes', event));
    },
  };
}

function createRowWriter(connection: Connection, key: AnchorKey) {
  const insert = connection.prepare('INSERT OR IGNORE INTO audit (chain, seq, at, type, actor, target, handle, payload_hash, detail, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const anchor = connection.prepare('UPDATE anchors SET seq = ?, hash = ?, mac = ? WHERE chain = ?');
  return (head: ChainHead, chain: Chain, event: AuditEvent): ChainHead => {
    const row = rowAfter(head, chain, event);
    const written = insert.run(row.chain, row.seq, row.at, row.type, row.actor, row.target, row.handle, row.payloadHash, row.detail, row.prev, row.hash);
    if (written !== 1) throw new StoreUnavailable(`somebody else wrote row ${row.seq} of the chain "${chain}"`);
    if (anchor.run(row.seq, row.hash, anchorOf(key, chain, row).mac, chain) !== 1) throw new StoreUnavailable(`the anchor of the chain "${chain}" is missing`);
    return row;
  };
}
