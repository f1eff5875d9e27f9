import { verifyChain, type Anchor, type AnchorKey, type AuditRow, type Chain, type ChainVerdict } from '../audit/index.ts';
import type { Connection } from './connection.ts';
import { recordedDoubts } from './doubts.ts';

export interface AuditListing {
  /** Both when not given. */
  readonly chain?: Chain | undefined;
  readonly limit: number;
  /** Only rows with a smaller number. */
  readonly before?: number | undefined;
  readonly handle?: string | undefined;
}

/** Reads the chains. Rows are read page by page, so that nothing is held open between two of them. */
export interface AuditReader {
  /** Newest first. */
  list(listing: AuditListing): readonly AuditRow[];
  /** Every row of both chains as one JSON object a line, line end included, oldest first. What an export holds is enough to check it elsewhere. */
  export(): Iterable<string>;
  /** Both chains, the decisions first. Reads every row. */
  verify(): readonly ChainVerdict[];
}

export interface AuditReaderDeps {
  readonly connection: Connection;
  readonly key: AnchorKey;
  /** The anchors that are kept outside the database. */
  readonly witness: () => readonly Anchor[];
  /** Brings rows that still wait into the database; called before any is read. */
  readonly complete: () => void;
}

const CHAINS: readonly Chain[] = ['decisions', 'passes'];
const PAGE = 500;
const COLUMNS = 'chain, seq, at, type, actor, target, handle, payload_hash AS payloadHash, detail, prev, hash';

export function createAuditReader({ connection, key, witness, complete }: AuditReaderDeps): AuditReader {
  const newest = connection.prepare<AuditRow>(`SELECT ${COLUMNS} FROM audit WHERE chain = ? AND seq < ? ORDER BY seq DESC LIMIT ?`);
  const newestOf = connection.prepare<AuditRow>(`SELECT ${COLUMNS} FROM audit WHERE handle = ? AND chain = ? AND seq < ? ORDER BY seq DESC LIMIT ?`);
  const page = connection.prepare<AuditRow>(`SELECT ${COLUMNS} FROM audit WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`);
  const anchors = connection.prepare<Anchor>('SELECT chain, seq, hash, mac FROM anchors WHERE chain = ?');
  const doubts = recordedDoubts(connection);

  function* rowsOf(chain: Chain): Generator<AuditRow, void, undefined> {
    for (let rows = page.all(chain, 0); ; ) {
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      rows = page.all(chain, last.seq);
    }
  }

  function* lines(): Generator<string, void, undefined> {
    for (const row of merged(rowsOf('decisions'), rowsOf('passes'))) yield `${JSON.stringify(row)}\n`;
  }

  return {
    list({ chain, limit, before = Number.MAX_SAFE_INTEGER, handle }) {
      complete();
      const chains = chain === undefined ? CHAINS : [chain];
      const rows = chains.flatMap((one) => (handle === undefined ? newest.all(one, before, limit) : newestOf.all(handle, one, before, limit)));
      return rows.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
    },
    // What still waits is brought in before the first line is asked for, so that a failure of it is told in place of an export.
    export() {
      complete();
      return lines();
    },
    verify() {
      complete();
      return CHAINS.map((chain) => {
        const verdict = verifyChain({ chain, rows: rowsOf(chain), key, anchor: anchors.get(chain), witness: witness().find((anchor) => anchor.chain === chain) });
        // What an earlier opening found in doubt stays in doubt, even though the chain went on after it.
        const doubt = doubts().find((one) => one.chain === chain && one.seq <= (verdict.firstBad?.seq ?? Infinity));
        return doubt === undefined ? verdict : { ...verdict, firstBad: { seq: doubt.seq, fault: doubt.fault } };
      });
    },
  };
}

/** Two chains as one, by time; each keeps its own order. */
function* merged(left: Iterator<AuditRow>, right: Iterator<AuditRow>): Generator<AuditRow, void, undefined> {
  let a = left.next();
  let b = right.next();
  while (!(a.done === true && b.done === true)) {
    if (b.done === true || (a.done !== true && a.value.at <= b.value.at)) {
      yield (a as IteratorYieldResult<AuditRow>).value;
      a = left.next();
    } else {
      yield b.value;
      b = right.next();
    }
  }
}
