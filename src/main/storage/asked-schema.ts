/**
 * Handles that ask in the middle of a call, as one migration: three more kinds, whose way out of `parked` is another one. A CHECK cannot be altered,
 * so the table is made anew with all its rows, and its guards after it.
 */
export const askedSchema = `
CREATE TABLE handles_anew (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('call', 'change', 'elicitation', 'question', 'proposal')),
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
  fetched INTEGER NOT NULL DEFAULT 0 CHECK (fetched IN (0, 1)),
  revision TEXT
) STRICT;
INSERT INTO handles_anew (no, id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, frozen_wall, frozen_mono, version, status, state, settled_at, fetched, revision)
  SELECT no, id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, frozen_wall, frozen_mono, version, status, state, settled_at, fetched, revision FROM handles;
DROP TABLE handles;
ALTER TABLE handles_anew RENAME TO handles;
CREATE INDEX handles_open ON handles (client) WHERE status IN ('parked', 'approved', 'executing');
CREATE INDEX handles_alike ON handles (target, hash);
CREATE TRIGGER handles_begin_parked BEFORE INSERT ON handles WHEN NEW.status <> 'parked' OR NEW.version <> 1
  BEGIN SELECT RAISE(ABORT, 'a handle begins parked'); END;
CREATE TRIGGER handles_stay BEFORE DELETE ON handles BEGIN SELECT RAISE(ABORT, 'handles stay'); END;
CREATE TRIGGER handles_keep_their_facts
  BEFORE UPDATE OF no, id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, revision ON handles
  BEGIN SELECT RAISE(ABORT, 'the facts of a handle stay'); END;
CREATE TRIGGER handles_move_forward
  BEFORE UPDATE OF frozen_wall, frozen_mono, version, status, state, settled_at ON handles
  WHEN NEW.version <> OLD.version + 1 OR NOT CASE
    WHEN OLD.status = 'parked' AND OLD.kind IN ('call', 'change') THEN NEW.status IN ('parked', 'approved', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN OLD.status = 'parked' THEN NEW.status IN ('parked', 'executing', 'expired', 'withdrawn', 'unknown')
    WHEN OLD.status = 'approved' THEN NEW.status IN ('approved', 'parked', 'executing', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN OLD.status = 'executing' THEN NEW.status IN ('executed', 'upstream-fault', 'unknown')
    ELSE 0 END
  BEGIN SELECT RAISE(ABORT, 'a handle moves along its machine'); END;
CREATE TRIGGER handles_are_fetched_once BEFORE UPDATE OF fetched ON handles
  WHEN NEW.fetched < OLD.fetched OR OLD.status IN ('parked', 'approved', 'executing')
  BEGIN SELECT RAISE(ABORT, 'a handle is fetched when it is final'); END;
`;
