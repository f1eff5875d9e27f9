import type { KeptSecret, RecoverySet, TotpState, TotpStore } from '../attestation/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { Connection } from './connection.ts';

export interface TotpStoreDeps {
  /** The connection at full durability, on which the approving transaction runs too. */
  readonly connection: Connection;
  /** Appends to the chain of decisions, in the transaction it is called in. */
  readonly record: (event: AuditEvent) => void;
}

/** Wrong codes of a handle are kept this long after the last one; no handle waits so long. */
const TRIES_KEPT_MS = 30 * 24 * 60 * 60_000;

/** The tables of `totpSchema` as a `TotpStore`. */
export function createTotpStore({ connection, record }: TotpStoreDeps): TotpStore {
  const { transaction } = connection;
  const sql = statements(connection);

  return {
    atomically: (work) => transaction(work, (kept) => kept),
    state() {
      const row = sql.state.get();
      if (row === undefined) throw new StoreUnavailable('the state of the authenticator is missing');
      return row;
    },
    active: () => sql.secret.get('active'),
    pending: () => sql.secret.get('pending'),
    keepPending: ({ sealed, at }) => void sql.keepSecret.run('pending', sealed, at),
    dropPending: () => void sql.dropSecret.run('pending'),
    activate: ({ sealed, at }, step) =>
      transaction(() => {
        sql.keepSecret.run('active', sealed, at);
        sql.dropSecret.run('pending');
        sql.lift.run(step, at);
      }),
    clear: () =>
      transaction(() => {
        sql.dropSecret.run('active');
        sql.dropSecret.run('pending');
        sql.dropRecovery.run();
        sql.lift.run(-1, 0);
      }),
    spend: ({ enrolment, step, at }) => sql.spend.run({ enrolment, step, at }) === 1,
    tries: ({ scope, way }) => sql.tries.get(scope, way),
    keepTries: ({ scope, way }, { failures, lockedUntil }, at) =>
      transaction(() => {
        if (failures === 1) sql.forgetOldTries.run(at - TRIES_KEPT_MS);
        if (failures === 0) sql.forgetTries.run(scope, way);
        else sql.keepTries.run(scope, way, failures, lockedUntil, at);
      }),
    forgetTries: ({ scope, way }) => void sql.forgetTries.run(scope, way),
    recovery: () => sql.recovery.get(),
    keepRecovery: ({ salt, cost, hashes }) =>
      transaction(() => {
        sql.dropRecovery.run();
        for (const hash of hashes) sql.keepRecovery.run(hash, salt, cost);
      }),
    isRecovery: (hash) => sql.isRecovery.get(hash) !== undefined,
    useRecovery: (hash, at) => sql.useRecovery.run(at, hash) === 1,
    record: (event) => transaction(() => record(event)),
  };
}

const statements = ({ prepare }: Connection) => ({
  state: prepare<TotpState>('SELECT last_step AS lastStep, high_water AS highWater, enrolment FROM totp_state WHERE id = 1'),
  lift: prepare('UPDATE totp_state SET last_step = max(last_step, ?), high_water = max(high_water, ?), enrolment = enrolment + 1 WHERE id = 1'),
  spend: prepare('UPDATE totp_state SET last_step = @step, high_water = max(high_water, @at) WHERE id = 1 AND last_step < @step AND enrolment = @enrolment'),
  secret: prepare<KeptSecret>('SELECT sealed, at FROM totp_secret WHERE which = ?'),
  keepSecret: prepare('INSERT INTO totp_secret (which, sealed, at) VALUES (?, ?, ?) ON CONFLICT (which) DO UPDATE SET sealed = excluded.sealed, at = excluded.at'),
  dropSecret: prepare('DELETE FROM totp_secret WHERE which = ?'),
  tries: prepare<{ readonly failures: number; readonly lockedUntil: number }>('SELECT failures, locked_until AS lockedUntil FROM totp_tries WHERE scope = ? AND way = ?'),
  keepTries: prepare(
    'INSERT INTO totp_tries (scope, way, failures, locked_until, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, way) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until, at = excluded.at',
  ),
  forgetTries: prepare('DELETE FROM totp_tries WHERE scope = ? AND way = ?'),
  forgetOldTries: prepare("DELETE FROM totp_tries WHERE at < ? AND scope GLOB 'txn_*'"),
  recovery: prepare<RecoverySet>('SELECT salt, cost, sum(used_at IS NULL) AS "left" FROM totp_recovery GROUP BY salt, cost'),
  keepRecovery: prepare('INSERT INTO totp_recovery (hash, salt, cost, used_at) VALUES (?, ?, ?, NULL)'),
  dropRecovery: prepare('DELETE FROM totp_recovery'),
  isRecovery: prepare<unknown>('SELECT 1 FROM totp_recovery WHERE hash = ? AND used_at IS NULL'),
  useRecovery: prepare('UPDATE totp_recovery SET used_at = ? WHERE hash = ? AND used_at IS NULL'),
});
