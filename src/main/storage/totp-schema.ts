/**
 * The tables of the human's proof, as one migration. What must never go back is kept from going back here too: the newest spent step and the
 * high-water mark of the clock only rise, and their row stays.
 */
export const totpSchema = `
CREATE TABLE totp_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  last_step INTEGER NOT NULL,
  high_water INTEGER NOT NULL,
  enrolment INTEGER NOT NULL
) STRICT;
INSERT INTO totp_state (id, last_step, high_water, enrolment) VALUES (1, -1, 0, 0);
CREATE TRIGGER totp_state_only_rises BEFORE UPDATE ON totp_state
  WHEN NEW.last_step < OLD.last_step OR NEW.high_water < OLD.high_water OR NEW.enrolment < OLD.enrolment
  BEGIN SELECT RAISE(ABORT, 'totp_state only rises'); END;
CREATE TRIGGER totp_state_stays BEFORE DELETE ON totp_state
  BEGIN SELECT RAISE(ABORT, 'totp_state stays'); END;
CREATE TABLE totp_secret (
  which TEXT PRIMARY KEY CHECK (which IN ('active', 'pending')),
  sealed BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE totp_recovery (
  hash BLOB PRIMARY KEY,
  salt BLOB NOT NULL,
  cost INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE TABLE totp_tries (
  scope TEXT NOT NULL,
  way TEXT NOT NULL,
  failures INTEGER NOT NULL,
  locked_until INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, way)
) STRICT;
`;
