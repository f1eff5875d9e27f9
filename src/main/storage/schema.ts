import { askedSchema } from './asked-schema.ts';
import { bridgeSchema } from './bridge-schema.ts';
import { catalogueSchema } from './catalogue-schema.ts';
import { emptiedSchema } from './emptied-schema.ts';
import { forgottenSchema } from './forgotten-schema.ts';
import { grantSchema, openGrantSchema } from './grant-schema.ts';
import { handleRevisionSchema } from './handle-revision-schema.ts';
import { pinSchema } from './pin-schema.ts';
import { toolSchema } from './tool-schema.ts';
import { totpSchema } from './totp-schema.ts';

/** Marks a database as Countersign's ("CSGN"). */
export const APPLICATION_ID = 0x4353474e;

/**
 * The first tables. What must hold whatever the program does is written here as triggers: audit rows are never changed or removed, a handle's facts
 * never change, its status moves only along the machine's table, and a final handle changes in nothing but `fetched`. Texts that came from outside
 * are kept as BLOBs, byte for byte.
 */
const base = `
CREATE TABLE install (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER install_stays_1 BEFORE UPDATE ON install BEGIN SELECT RAISE(ABORT, 'the install row stays'); END;
CREATE TRIGGER install_stays_2 BEFORE DELETE ON install BEGIN SELECT RAISE(ABORT, 'the install row stays'); END;

CREATE TABLE audit (
  chain TEXT NOT NULL CHECK (chain IN ('decisions', 'passes')),
  seq INTEGER NOT NULL CHECK (seq > 0),
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  actor TEXT NOT NULL,
  target TEXT,
  handle TEXT,
  payload_hash TEXT,
  detail TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_of_handle ON audit (handle) WHERE handle IS NOT NULL;
CREATE TRIGGER audit_stays_1 BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows stay'); END;
CREATE TRIGGER audit_stays_2 BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows stay'); END;

CREATE TABLE anchors (
  chain TEXT PRIMARY KEY CHECK (chain IN ('decisions', 'passes')),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  mac TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE handles (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('call', 'change')),
  client TEXT NOT NULL,
  target TEXT NOT NULL,
  method TEXT NOT NULL,
  subject TEXT,
  text BLOB NOT NULL,
  params_at INTEGER NOT NULL,
  params_length INTEGER NOT NULL,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  trap BLOB NOT NULL,
  door TEXT NOT NULL CHECK (door IN ('rest', 'mcp', 'control')),
  parked_wall INTEGER NOT NULL,
  parked_mono REAL NOT NULL,
  parked_boot TEXT NOT NULL,
  ttl_ms INTEGER NOT NULL CHECK (ttl_ms > 0),
  frozen_wall INTEGER NOT NULL,
  frozen_mono REAL NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('parked', 'approved', 'executing', 'executed', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale', 'upstream-fault', 'unknown')),
  state BLOB NOT NULL,
  settled_at INTEGER CHECK ((settled_at IS NULL) = (status IN ('parked', 'approved', 'executing'))),
  fetched INTEGER NOT NULL DEFAULT 0 CHECK (fetched IN (0, 1))
) STRICT;
CREATE INDEX handles_open ON handles (client) WHERE status IN ('parked', 'approved', 'executing');
CREATE INDEX handles_alike ON handles (target, hash);
CREATE TRIGGER handles_begin_parked BEFORE INSERT ON handles WHEN NEW.status <> 'parked' OR NEW.version <> 1
  BEGIN SELECT RAISE(ABORT, 'a handle begins parked'); END;
CREATE TRIGGER handles_stay BEFORE DELETE ON handles BEGIN SELECT RAISE(ABORT, 'handles stay'); END;
CREATE TRIGGER handles_keep_their_facts
  BEFORE UPDATE OF no, id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms ON handles
  BEGIN SELECT RAISE(ABORT, 'the facts of a handle stay'); END;
CREATE TRIGGER handles_move_forward
  BEFORE UPDATE OF frozen_wall, frozen_mono, version, status, state, settled_at ON handles
  WHEN NEW.version <> OLD.version + 1 OR NOT CASE OLD.status
    WHEN 'parked' THEN NEW.status IN ('parked', 'approved', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN 'approved' THEN NEW.status IN ('approved', 'parked', 'executing', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN 'executing' THEN NEW.status IN ('executed', 'upstream-fault', 'unknown')
    ELSE 0 END
  BEGIN SELECT RAISE(ABORT, 'a handle moves along its machine'); END;
CREATE TRIGGER handles_are_fetched_once BEFORE UPDATE OF fetched ON handles
  WHEN NEW.fetched < OLD.fetched OR OLD.status IN ('parked', 'approved', 'executing')
  BEGIN SELECT RAISE(ABORT, 'a handle is fetched when it is final'); END;

CREATE TABLE pause (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  wall INTEGER NOT NULL,
  mono REAL NOT NULL,
  boot TEXT NOT NULL
) STRICT;

CREATE TABLE claims (
  client TEXT NOT NULL,
  target TEXT NOT NULL,
  key TEXT NOT NULL,
  hash TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('running', 'parked', 'answered')),
  handle TEXT CHECK ((handle IS NULL) = (outcome <> 'parked')),
  answer BLOB CHECK ((answer IS NULL) = (outcome <> 'answered')),
  PRIMARY KEY (client, target, key)
) STRICT;
CREATE INDEX claims_by_age ON claims (claimed_at);

CREATE TABLE targets (
  id TEXT PRIMARY KEY,
  spec BLOB NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE TABLE catalogues (
  target TEXT PRIMARY KEY REFERENCES targets (id) ON DELETE CASCADE,
  lists BLOB NOT NULL
) STRICT;

CREATE TABLE clients (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  patience_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX clients_of_one_name ON clients (id) WHERE revoked_at IS NULL;

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
CREATE TABLE sealed_values (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
`;

/** One step from one schema to the next; the version it makes is its place in the list, from 1. */
export type Migration = string;

/** All schemas in their order. A released one is never edited: what changes is a new one at the end. */
export const migrations: readonly Migration[] = [base + totpSchema, bridgeSchema, catalogueSchema, toolSchema, handleRevisionSchema, pinSchema, askedSchema, emptiedSchema, grantSchema, openGrantSchema, forgottenSchema];
