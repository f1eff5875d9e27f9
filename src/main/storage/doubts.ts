import { anchorOf, chainStart, isAnchor, type Anchor, type AnchorKey, type AuditEvent, type Chain, type ChainFault, type ChainHead } from '../audit/index.ts';
import type { Connection } from './connection.ts';

/** A chain that, at the opening, did not end where it had ended, or whose last rows could not be taken over: the first row in doubt. */
export interface Doubt {
  readonly chain: Chain;
  readonly seq: number;
  readonly fault: Extract<ChainFault, 'cut' | 'changed'>;
}

export interface DoubtDeps {
  readonly connection: Connection;
  readonly key: AnchorKey;
  readonly witness: readonly Anchor[];
}

/**
 * Compares the end of each chain with its anchor and with the witness. A tail cut off and an older copy put back show here, before anything new is
 * written over the traces.
 */
export function findDoubts({ connection, key, witness }: DoubtDeps): readonly Doubt[] {
  const anchorRow = connection.prepare<Anchor>('SELECT chain, seq, hash, mac FROM anchors WHERE chain = ?');
  const rowAt = connection.prepare<ChainHead>('SELECT seq, hash FROM audit WHERE chain = ? AND seq = ?');
  return (['decisions', 'passes'] as const).flatMap((chain) => {
    const last = lastOf(connection, chain);
    const doubtOf = (seq: number, fault: Doubt['fault']): readonly Doubt[] => [{ chain, seq, fault }];
    const anchor = anchorRow.get(chain);
    if (anchor === undefined || !isAnchor(key, anchor)) return doubtOf(last.seq + 1, 'cut');
    for (const known of [anchor, ...witness.filter((one) => one.chain === chain && isAnchor(key, one))]) {
      if (known.seq > last.seq) return doubtOf(last.seq + 1, 'cut');
      if (known.seq > 0 && rowAt.get(chain, known.seq)?.hash !== known.hash) return doubtOf(known.seq, 'changed');
    }
    return anchor.seq < last.seq ? doubtOf(anchor.seq + 1, 'changed') : [];
  });
}

/**
 * Writes the doubts into the chain of decisions, so that they are not forgotten, and sees to it that both chains can go on: after the anchor where
 * rows before it are missing, after the last row where there is more than the anchor knows.
 */
export function recordDoubts(deps: DoubtDeps, doubts: readonly Doubt[], record: (event: AuditEvent) => void, at: number): void {
  const { connection, key } = deps;
  const anchorRow = connection.prepare<ChainHead>('SELECT seq, hash FROM anchors WHERE chain = ?');
  const keep = connection.prepare('INSERT OR REPLACE INTO anchors (chain, seq, hash, mac) VALUES (?, ?, ?, ?)');
  connection.transaction(() => {
    for (const { chain } of doubts) {
      const last = lastOf(connection, chain);
      const anchor = anchorRow.get(chain) ?? chainStart;
      const head = anchor.seq > last.seq ? anchor : last;
      keep.run(chain, head.seq, head.hash, anchorOf(key, chain, head).mac);
    }
    for (const { chain, seq, fault } of doubts) record({ type: 'audit.doubted', at, actor: 'gateway', detail: { chain, seq, fault } });
  });
}

/** All doubts ever recorded, oldest first. */
export const recordedDoubts = (connection: Connection): (() => readonly Doubt[]) => {
  const rows = connection.prepare<{ readonly detail: string }>("SELECT detail FROM audit WHERE chain = 'decisions' AND type = 'audit.doubted' ORDER BY seq");
  return () => rows.all().map(({ detail }) => JSON.parse(detail) as Doubt);
};

function lastOf(connection: Connection, chain: Chain): ChainHead {
  return connection.prepare<ChainHead>('SELECT seq, hash FROM audit WHERE chain = ? ORDER BY seq DESC LIMIT 1').get(chain) ?? chainStart;
}
