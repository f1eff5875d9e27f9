import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Claim, ClaimStore } from '../dispatch/ports.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

export interface ClaimStoreDeps {
  readonly full: Connection;
  readonly normal: Connection;
  readonly clock: Clock;
}

/** How long a key is kept (contract, 3.1). One that guards a call still open is kept as long as that is. */
const KEPT_MS = 24 * 3_600_000;

/** Between two sweeps of outlived keys. */
const SWEEP_MS = 600_000;

interface ClaimRow {
  readonly client: ClientId;
  readonly target: TargetId;
  readonly key: string;
  readonly hash: PayloadHash;
  readonly claimed_at: number;
  readonly outcome: Claim['outcome']['kind'];
  readonly handle: HandleId | null;
  readonly answer: Uint8Array | null;
}

const OUTLIVED = `claimed_at <= ? AND NOT EXISTS (SELECT 1 FROM handles WHERE id = claims.handle AND status IN ('parked', 'approved', 'executing'))`;
const LOST: Answer = { kind: 'lost', note: 'interrupted' };

/** The table `claims`. Keys that guard a parked call are written at full durability in the transaction that parks it, those of passing calls at NORMAL. */
export function createClaimStore({ full, normal, clock }: ClaimStoreDeps): ClaimStore {
  const statements = ({ prepare }: Connection) => ({
    find: prepare<ClaimRow>(`SELECT * FROM claims WHERE client = ? AND target = ? AND key = ? AND NOT (${OUTLIVED})`),
    forget: prepare(`DELETE FROM claims WHERE client = ? AND target = ? AND key = ? AND ${OUTLIVED}`),
    claim: prepare('INSERT INTO claims (client, target, key, hash, claimed_at, outcome, handle, answer) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    put: prepare('INSERT OR REPLACE INTO claims (client, target, key, hash, claimed_at, outcome, handle, answer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    release: prepare("DELETE FROM claims WHERE client = ? AND target = ? AND key = ? AND outcome = 'running'"),
    sweep: prepare(`DELETE FROM claims WHERE ${OUTLIVED}`),
    interrupted: prepare("UPDATE claims SET outcome = 'answered', answer = ? WHERE outcome = 'running'"),
  });
  const strong = statements(full);
  const quick = statements(normal);
  /** A second writer beside a running transaction would wait for itself. */
  const quickest = () => (full.db.inTransaction ? strong : quick);
  const outlivedAt = (): number => clock.now().wall - KEPT_MS;
  let sweptAt = -Infinity;

  function sweep(): void {
    quickest().sweep.run(outlivedAt());
    sweptAt = clock.now().wall;
  }

  return {
    find(client, target, key) {
      const row = quickest().find.get(client, target, key, outlivedAt());
      return row && claimOf(row);
    },
    claim: (claim) =>
      full.transaction(() => {
        strong.forget.run(claim.client, claim.target, claim.key, outlivedAt());
        return strong.claim.run(...valuesOf(claim)) === 1;
      }),
    put(claim) {
      if (clock.now().wall - sweptAt >= SWEEP_MS) sweep();
      quickest().put.run(...valuesOf(claim));
    },
    release: (client, target, key) => void quickest().release.run(client, target, key),
    forgetOutlived: sweep,
    settleInterrupted: () => strong.interrupted.run(bytes(JSON.stringify(LOST))),
  };
}

const valuesOf = ({ client, target, key, hash, claimedAt, outcome }: Claim): readonly unknown[] => [
  client, target, key, hash, claimedAt, outcome.kind, outcome.kind === 'parked' ? outcome.handle : null, outcome.kind === 'answered' ? bytes(outcome.answer) : null,
];

const claimOf = ({ client, target, key, hash, claimed_at, outcome, handle, answer }: ClaimRow): Claim => ({
  client, target, key, hash, claimedAt: claimed_at,
  outcome: outcome === 'parked' && handle !== null ? { kind: 'parked', handle } : outcome === 'answered' && answer !== null ? { kind: 'answered', answer: textOf(answer) } : { kind: 'running' },
});
