import { anchorOf, chainHash, chainStart, isAnchor, rowAfter, type AnchorKey, type AuditEvent, type Chain, type ChainHead } from '../audit/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { PassRecorder } from '../dispatch/ports.ts';
import type { Connection } from './connection.ts';
import type { Doubt } from './doubts.ts';
import type { Journalled, PassJournal, readPassJournal } from './pass-journal.ts';

/** Appends to the chains on one connection. The anchor of a chain is its head: both are written in one transaction, or neither. */
export interface AuditLog {
  /** Appends after the head found in the database; joins the transaction it is called in. */
  append(chain: Chain, event: AuditEvent): void;
}

export function createAuditLog(connection: Connection, key: AnchorKey): AuditLog {
  const headOf = connection.prepare<ChainHead>('SELECT seq, hash FROM anchors WHERE chain = ?');
  const write = createRowWriter(connection);
  return {
    append: (chain, event) =>
      connection.transaction(() => {
        const head = headOf.get(chain);
        if (head === undefined) throw new StoreUnavailable(`the anchor of the chain "${chain}" is missing`);
        const row = rowAfter(head, chain, event);
        write([{ row, mac: anchorOf(key, chain, row).mac }]);
      }),
  };
}

/** How long a row of a passing call may wait for its place in the database, and how many may. */
const WAIT_MS = 50;
const MOST_WAITING = 256;

/** The recorder of passing calls, with what of it is not in the database yet. */
export interface PassLog extends PassRecorder {
  /** Brings all that waits into the database, in one transaction; nothing is lost when it throws. Not to be called within one. */
  drain(): void;
  close(): void;
}

export interface PassLogDeps {
  readonly normal: Connection;
  readonly full: Connection;
  readonly key: AnchorKey;
  readonly journal: PassJournal;
}

/**
 * Records passing calls. Each row is handed to the system at once, in the journal, so that a killed process loses none; the database gets them many
 * at a time. Before anything begins on the connection at full durability they are drained, so that within such a transaction a pass is written
 * like everything else, and undone with it.
 */
export function createPassLog({ normal, full, key, journal }: PassLogDeps): PassLog {
  const slow = createAuditLog(full, key);
  const headOf = normal.prepare<ChainHead>("SELECT seq, hash FROM anchors WHERE chain = 'passes'");
  const write = createRowWriter(normal);
  const waiting: Journalled[] = [];
  /** The head after the last row; nobody else writes this chain. */
  let head: ChainHead | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The database did not take what waits: nothing more is let wait until it does. */
  let failing = false;

  function drain(): void {
    if (waiting.length === 0) return;
    clearTimeout(timer);
    timer = undefined;
    failing = true;
    normal.transaction(() => {
      write(waiting);
    });
    failing = false;
    waiting.length = 0;
    journal.clear();
  }
  function drainLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      try {
        drain();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error; // all of it stands in the journal, and the next call is told
      }
    }, WAIT_MS).unref();
  }

  return {
    record(event) {
      if (full.db.inTransaction) {
        head = undefined; // until it is seen whether that is kept
        slow.append('passes', event);
        return;
      }
      if (failing || waiting.length >= MOST_WAITING) drain();
      const row = rowAfter(head ?? headOf.get() ?? chainStart, 'passes', event);
      const entry = { row, mac: anchorOf(key, 'passes', row).mac };
      journal.append(entry);
      head = row;
      waiting.push(entry);
      drainLater();
    },
    drain,
    close: () => journal.close(),
  };
}

/** Rows of passing calls that could not be taken over: how many, and the place in the chain where the first of them is missing. */
export interface LeftOut {
  readonly count: number;
  readonly doubt: Doubt;
}

/**
 * Takes over the rows that a killed process left in its journal: those that follow the head of the chain, each under the key. Gives those that did not,
 * the `unread` lines after them included. After a power cut the database may have lost more than the journal has; those rows have nothing to follow.
 */
export function takeOver(connection: Connection, key: AnchorKey, { entries: left, unread }: ReturnType<typeof readPassJournal>): LeftOut | undefined {
  if (left.length === 0 && unread === 0) return undefined;
  const headOf = connection.prepare<ChainHead>("SELECT seq, hash FROM anchors WHERE chain = 'passes'");
  const write = createRowWriter(connection);
  return connection.transaction(() => {
    let head = headOf.get() ?? chainStart;
    const fits: Journalled[] = [];
    // What was committed before the journal could be emptied stands in the database already.
    const fresh = left.filter(({ row }) => row.seq > head.seq);
    for (const entry of fresh) {
      const { row, mac } = entry;
      if (row.seq !== head.seq + 1 || row.prev !== head.hash || chainHash(row) !== row.hash || !isAnchor(key, { chain: 'passes', seq: row.seq, hash: row.hash, mac })) break;
      fits.push(entry);
      head = row;
    }
    write(fits);
    const count = fresh.length - fits.length + unread;
    if (count === 0) return undefined;
    const seq = head.seq + 1;
    const next = fresh[fits.length]?.row.seq ?? seq;
    return { count, doubt: { chain: 'passes', seq, fault: next > seq ? 'cut' : 'changed' } };
  });
}

/** Writes rows of one chain in their order, and the last as its anchor. Within a transaction. */
function createRowWriter(connection: Connection): (entries: readonly Journalled[]) => void {
  const insert = connection.prepare('INSERT OR IGNORE INTO audit (chain, seq, at, type, actor, target, handle, payload_hash, detail, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const anchor = connection.prepare('UPDATE anchors SET seq = ?, hash = ?, mac = ? WHERE chain = ?');
  return (entries) => {
    for (const { row } of entries) {
      const written = insert.run(row.chain, row.seq, row.at, row.type, row.actor, row.target, row.handle, row.payloadHash, row.detail, row.prev, row.hash);
      if (written !== 1) throw new StoreUnavailable(`somebody else wrote row ${row.seq} of the chain "${row.chain}"`);
    }
    const last = entries.at(-1);
    if (last === undefined) return;
    const { row, mac } = last;
    if (anchor.run(row.seq, row.hash, mac, row.chain) !== 1) throw new StoreUnavailable(`the anchor of the chain "${row.chain}" is missing`);
  };
}
