import type { Database } from 'better-sqlite3';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { HandleStore } from '../approvals/ports.ts';
import type { TotpStore } from '../attestation/index.ts';
import { anchorKey, StoreUnavailable, type Anchor, type AuditEvent } from '../audit/index.ts';
import type { ClientStore } from '../clients/ports.ts';
import type { ClaimStore, PassRecorder } from '../dispatch/ports.ts';
import type { GrantStore } from '../grants/ports.ts';
import type { BridgeStore } from '../intents/ports.ts';
import type { Sealing } from '../mounting/ports.ts';
import type { PinStore } from '../pinning/ports.ts';
import type { RevisionStore } from '../registry/ports.ts';
import { createAuditLog, createPassLog, takeOver, type PassLog } from './audit-log.ts';
import { createAuditReader, type AuditReader } from './audit-reader.ts';
import { createBridgeStore } from './bridge-store.ts';
import { createClaimStore } from './claim-store.ts';
import { createClientStore } from './client-store.ts';
import { configure, createConnection, openDatabase, sqliteCode, type Connection, type OpenDatabase } from './connection.ts';
import { createDatabase, migrate } from './create-database.ts';
import { findDoubts, recordDoubts, type Doubt } from './doubts.ts';
import { examine, systemCode } from './file-check.ts';
import { createGrantStore } from './grant-store.ts';
import { createHandleStore } from './handle-store.ts';
import { createHealth } from './health.ts';
import { inspect, restoreGuards } from './inspect.ts';
import { outsideCode } from './outside-code.ts';
import { openPassJournal, readPassJournal, type PassJournal } from './pass-journal.ts';
import { migrations as ours, type Migration } from './schema.ts';
import { createPinStore } from './pin-store.ts';
import { createSealedValues, createSettings, type SealedValues, type Settings } from './settings.ts';
import { storeFault, type StoreFault } from './store-fault.ts';
import { createTargetStore, type SqliteTargetStore } from './target-store.ts';
import { createToolStore } from './tool-store.ts';
import { watchFile } from './watch-file.ts';
import { createTotpStore } from './totp-store.ts';
import { readWitness, writeWitness } from './witness.ts';

export interface StoreOptions {
  /** 32 random bytes kept outside the database; with them the ends of the audit chains are vouched for. */
  readonly anchorKey: Uint8Array;
  /** Seals environment and header values of targets. */
  readonly sealing: Sealing;
  readonly clock: Clock;
  /** Told when the store begins to fail, by the name of the failure, and with null when it can write again. */
  readonly changed?: (fault: string | null) => void;
  /** How SQLite is opened, and the schema's steps; for tests. */
  readonly open?: OpenDatabase;
  readonly migrations?: readonly Migration[];
}

/** All stores of one installation, on two connections to one database. Every write that returned is committed (contract, section 2). */
export interface Store {
  readonly handles: HandleStore;
  readonly claims: ClaimStore;
  readonly passes: PassRecorder;
  readonly targets: SqliteTargetStore;
  readonly clients: ClientStore;
  readonly totp: TotpStore;
  readonly bridges: BridgeStore;
  readonly tools: RevisionStore;
  readonly pins: PinStore;
  readonly grants: GrantStore;
  readonly settings: Settings;
  readonly sealed: SealedValues;
  readonly audit: AuditReader;
  /** Records an event that goes with no other change, in the chain of decisions. */
  record(event: AuditEvent): void;
  /** Tries whether something can be written now; gives why not. */
  tryWriting(): string | undefined;
  /** The decisions do not end where they had ended (an older copy, a cut end): what is open in the database may have been decided, or sent, in the meantime. */
  readonly restored: boolean;
  /** What an operator should know of this opening; sentences for `doctor`. */
  readonly notes: readonly string[];
  /** Brings everything into the main file and closes it. Tells whether that succeeded; nothing is lost when it did not. */
  close(): boolean;
}

export type Opened = { readonly ok: true; readonly store: Store } | { readonly ok: false; readonly fault: StoreFault };

/**
 * Opens the database, or makes it when there never was one. A database that is empty, gone, damaged, foreign, newer or not writable is a fault with a
 * sentence for a human; it is never repaired, replaced or written to.
 */
export function openStore(file: string, options: StoreOptions): Opened {
  const { open = openDatabase, migrations = ours, clock } = options;
  const opened: Database[] = [];
  const fail = (fault: StoreFault): Opened => {
    for (const db of opened) db.close();
    return { ok: false, fault };
  };
  try {
    const found = examine(file, migrations.length);
    if (found.kind === 'fault') return fail(found.fault);
    if (found.kind === 'absent') createDatabase(file, { open, migrations, key: anchorKey(options.anchorKey), now: clock.now().wall });

    const fault = inspected(file, open, migrations);
    if (fault !== undefined) return fail(fault);
    const connect = (): Database => {
      const db = open(file, { fileMustExist: true });
      opened.push(db);
      return db;
    };
    const full = connect();
    configure(full, 'FULL');
    const witness = readWitness(file);
    const install = installOf(full);
    if (typeof witness === 'object' && witness.install !== install) return fail(storeFault('foreign', file, 'it belongs to another installation'));
    migrate(full, migrations);
    const guards = restoreGuards(full, migrations);
    const normal = connect();
    configure(normal, 'NORMAL');
    const notes = [
      ...(found.kind === 'present' && typeof witness === 'string' ? [`The file that watches over the database was ${witness}; it was written anew.`] : []),
      ...(guards.length > 0 ? [`Guards of the database had been taken out and were put back: ${guards.join(', ')}.`] : []),
    ];
    return { ok: true, store: assemble({ file, full, normal, install, known: typeof witness === 'object' ? witness.anchors : [], notes, options }) };
  } catch (error) {
    const code = outsideCode(error);
    if (code === undefined) throw error;
    return fail(storeFault(/NOTADB|CORRUPT/.test(code) ? 'damaged' : /READONLY|EACCES|EROFS|EPERM/.test(code) ? 'read-only' : 'unavailable', file, code));
  }
}

function inspected(file: string, open: OpenDatabase, migrations: readonly Migration[]): StoreFault | undefined {
  const db = open(file, { readonly: true, fileMustExist: true });
  try {
    return inspect(db, file, migrations);
  } finally {
    db.close();
  }
}

function installOf(db: Database): string {
  const row = db.prepare<[], { readonly id: string }>('SELECT id FROM install').get();
  if (row === undefined) throw new StoreUnavailable('the install row is missing');
  return row.id;
}

interface Parts {
  readonly file: string;
  readonly full: Database;
  readonly normal: Database;
  readonly install: string;
  /** The anchors of the witness. */
  readonly known: readonly Anchor[];
  readonly notes: readonly string[];
  readonly options: StoreOptions;
}

function assemble({ file, full: fullDb, normal: normalDb, install, known, notes, options }: Parts): Store {
  const { sealing, clock } = options;
  const key = anchorKey(options.anchorKey);
  let witnessed = known;

  /** Brings the passes in that wait beside the database; set when their log is there. */
  let drain = (): void => undefined;
  const { failed, worked } = createHealth(options.changed);
  const committed = (): void => {
    worked();
    bearWitness();
  };
  const isThere = watchFile(file, failed);
  const begins = (): void => {
    isThere();
    drain();
  };
  const full = createConnection(fullDb, { begins, committed, failed });
  const normal = createConnection(normalDb, { begins: isThere, committed: worked, failed });
  const anchors = full.prepare<Anchor>('SELECT chain, seq, hash, mac FROM anchors');
  /** After a commit at full durability both heads are on the disk: the two connections share one log file. */
  function bearWitness(): void {
    try {
      const now = anchors.all();
      if (writeWitness(file, { install, anchors: now })) witnessed = now;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // the commit stands; the witness lags until the next one
    }
  }

  const log = createAuditLog(full, key);
  const record = (event: AuditEvent): void => log.append('decisions', event);
  const doubts = findDoubts({ connection: full, key, witness: known });
  if (doubts.length > 0) recordDoubts({ connection: full, key, witness: known }, doubts, record, clock.now().wall);
  const leftOut = takeOver(full, key, readPassJournal(file));
  if (leftOut !== undefined) recordDoubts({ connection: full, key, witness: known }, [leftOut.doubt], record, clock.now().wall);
  bearWitness();
  const passes = createPassLog({ normal, full, key, journal: told(openPassJournal(file), failed) });
  ({ drain } = passes);

  const settings = createSettings({ connection: full, record });
  return {
    handles: createHandleStore({ connection: full, record }),
    claims: createClaimStore({ full, normal, clock }),
    passes,
    targets: createTargetStore({ connection: full, sealing, record }),
    clients: createClientStore({ connection: full, record }),
    totp: createTotpStore({ connection: full, record }),
    bridges: createBridgeStore({ connection: full, sealing, record }),
    tools: createToolStore({ connection: full, record }),
    pins: createPinStore({ connection: full, record }),
    grants: createGrantStore({ connection: full, record }),
    settings,
    sealed: createSealedValues({ connection: full, sealing, record }),
    audit: createAuditReader({ connection: full, key, witness: () => witnessed, complete: drain }),
    record,
    tryWriting() {
      try {
        settings.set('tried', clock.now().wall);
        return undefined;
      } catch (error) {
        if (error instanceof StoreUnavailable) return error.message;
        throw error;
      }
    },
    restored: doubts.some(({ chain }) => chain === 'decisions'),
    notes: [...notes, ...doubts.map(sentenceOf), ...(leftOut === undefined ? [] : [leftOutSentence(leftOut)])],
    close: () => closeAll({ full, normal, passes, bearWitness }),
  };
}

const sentenceOf = ({ chain, seq, fault }: Doubt): string => `The audit chain "${chain}" was found ${fault} at row ${seq}.`;

const leftOutSentence = ({ count, doubt }: NonNullable<ReturnType<typeof takeOver>>): string =>
  `After an end without warning ${count} records of passing calls could not be read or followed none in the database, and were left out from row ${doubt.seq} of their chain on.`;

/** Tells of the failures of the journal too. */
const told = (journal: PassJournal, failed: (code: string) => void): PassJournal => ({
  ...journal,
  append(entry) {
    try {
      journal.append(entry);
    } catch (error) {
      if (error instanceof StoreUnavailable) failed(systemCode(error.cause) ?? 'closed');
      throw error;
    }
  },
});

interface Closing {
  readonly full: Connection;
  readonly normal: Connection;
  readonly passes: PassLog;
  readonly bearWitness: () => void;
}

function closeAll({ full, normal, passes, bearWitness }: Closing): boolean {
  let clean = true;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (sqliteCode(error) === undefined && !(error instanceof StoreUnavailable)) throw error;
      clean = false; // what is not in the main file yet is in the files beside it
    }
  };
  if (!full.db.open) return clean;
  attempt(() => passes.drain());
  passes.close();
  attempt(() => void full.db.pragma('wal_checkpoint(TRUNCATE)'));
  bearWitness();
  attempt(() => void normal.db.close());
  attempt(() => void full.db.close());
  return clean;
}
