import type { Database } from 'better-sqlite3';
import type { KeptSecret, Place, RecoverySet, TotpState, TotpStore } from '../attestation/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { AuditEvent } from '../audit/index.ts';

export { totpSchema } from './totp-schema.ts';

export interface TotpStoreDeps {
  /** The connection at full durability, on which the approving transaction runs too. */
  readonly db: Database;
  /** Appends to the chain of decisions, in the transaction it is called in. */
  readonly record: (event: AuditEvent) => void;
}

/** Wrong codes of a handle are kept this long after the last one; no handle waits so long. */
const TRIES_KEPT_MS = 30 * 24 * 60 * 60_000;

/** The tables of `totpSchema` as a `TotpStore`. */
export function createTotpStore({ db, record }: TotpStoreDeps): TotpStore {
  const sql = statements(db);
  /** Joins the transaction it is called in, or makes one. */
  const transaction = db.transaction((work: () => boolean) => {
    if (!work()) throw new Undone();
  });

  function atomically(work: () => boolean): boolean {
    try {
      guarded(() => transaction.immediate(work));
      return true;
    } catch (error) {
      if (error instanceof Undone) return false;
      throw error;
    }
  }
  /** A change of several rows that nothing refuses. */
  const change = (work: () => void): void =>
    void atomically(() => {
      work();
      return true;
    });

  return {
    atomically,
    state: () =>
      guarded(() => {
        const row = sql.state.get();
        if (row === undefined) throw new StoreUnavailable('the state of the authenticator is missing');
        return row;
      }),
    active: () => guarded(() => sql.secret.get('active')),
    pending: () => guarded(() => sql.secret.get('pending')),
    keepPending: ({ sealed, at }) => guarded(() => void sql.keepSecret.run('pending', sealed, at)),
    dropPending: () => guarded(() => void sql.dropSecret.run('pending')),
    activate: ({ sealed, at }, step) =>
      change(() => {
        sql.keepSecret.run('active', sealed, at);
        sql.dropSecret.run('pending');
        sql.lift.run(step, at);
      }),
    clear: () =>
      change(() => {
        sql.dropSecret.run('active');
        sql.dropSecret.run('pending');
        sql.dropRecovery.run();
        sql.lift.run(-1, 0);
      }),
    spend: ({ enrolment, step, at }) => guarded(() => sql.spend.run({ enrolment, step, at }).changes === 1),
    tries: ({ scope, way }) => guarded(() => sql.tries.get(scope, way)),
    keepTries: ({ scope, way }, { failures, lockedUntil }, at) =>
      change(() => {
        if (failures === 1) sql.forgetOldTries.run(at - TRIES_KEPT_MS);
        if (failures === 0) sql.forgetTries.run(scope, way);
        else sql.keepTries.run(scope, way, failures, lockedUntil, at);
      }),
    forgetTries: ({ scope, way }) => guarded(() => void sql.forgetTries.run(scope, way)),
    recovery: () => guarded(() => sql.recovery.get()),
    keepRecovery: ({ salt, cost, hashes }) =>
      change(() => {
        sql.dropRecovery.run();
        for (const hash of hashes) sql.keepRecovery.run(hash, salt, cost);
      }),
    isRecovery: (hash) => guarded(() => sql.isRecovery.get(hash) !== undefined),
    useRecovery: (hash, at) => guarded(() => sql.useRecovery.run(at, hash).changes === 1),
    record: (event) => change(() => record(event)),
  };
}

const statements = (db: Database) => ({
  state: db.prepare<[], TotpState>('SELECT last_step AS lastStep, high_water AS highWater, enrolment FROM totp_state WHERE id = 1'),
  lift: db.prepare<[number, number]>('UPDATE totp_state SET last_step = max(last_step, ?), high_water = max(high_water, ?), enrolment = enrolment + 1 WHERE id = 1'),
  spend: db.prepare<[{ readonly enrolment: number; readonly step: number; readonly at: number }]>(
    'UPDATE totp_state SET last_step = @step, high_water = max(high_water, @at) WHERE id = 1 AND last_step < @step AND enrolment = @enrolment',
  ),
  secret: db.prepare<[string], KeptSecret>('SELECT sealed, at FROM totp_secret WHERE which = ?'),
  keepSecret: db.prepare<[string, Uint8Array, number]>('INSERT INTO totp_secret (which, sealed, at) VALUES (?, ?, ?) ON CONFLICT (which) DO UPDATE SET sealed = excluded.sealed, at = excluded.at'),
  dropSecret: db.prepare<[string]>('DELETE FROM totp_secret WHERE which = ?'),
  tries: db.prepare<[Place['scope'], Place['way']], { readonly failures: number; readonly lockedUntil: number }>('SELECT failures, locked_until AS lockedUntil FROM totp_tries WHERE scope = ? AND way = ?'),
  keepTries: db.prepare<[string, string, number, number, number]>(
    'INSERT INTO totp_tries (scope, way, failures, locked_until, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (scope, way) DO UPDATE SET failures = excluded.failures, locked_until = excluded.locked_until, at = excluded.at',
  ),
  forgetTries: db.prepare<[string, string]>('DELETE FROM totp_tries WHERE scope = ? AND way = ?'),
  forgetOldTries: db.prepare<[number]>("DELETE FROM totp_tries WHERE at < ? AND scope GLOB 'txn_*'"),
  recovery: db.prepare<[], RecoverySet>('SELECT salt, cost, sum(used_at IS NULL) AS "left" FROM totp_recovery GROUP BY salt, cost'),
  keepRecovery: db.prepare<[Uint8Array, Uint8Array, number]>('INSERT INTO totp_recovery (hash, salt, cost, used_at) VALUES (?, ?, ?, NULL)'),
  dropRecovery: db.prepare('DELETE FROM totp_recovery'),
  isRecovery: db.prepare<[Uint8Array]>('SELECT 1 FROM totp_recovery WHERE hash = ? AND used_at IS NULL'),
  useRecovery: db.prepare<[number, Uint8Array]>('UPDATE totp_recovery SET used_at = ? WHERE hash = ? AND used_at IS NULL'),
});

/** Undoes a transaction whose work said no. */
class Undone extends Error {}

/** What SQLite cannot do is a store that is not there; anything else goes on as it is. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')) {
      throw new StoreUnavailable(`the state of the authenticator could not be read or written (${error.code})`, { cause: error });
    }
    throw error;
  }
}
