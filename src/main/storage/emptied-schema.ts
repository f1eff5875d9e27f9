/**
 * A handle's answer is kept for a day and then taken out of it, as one migration: what was asked, decided and done stays, what the target answered
 * does not. That is the one change a final handle may still see besides `fetched`, it happens once, and it takes away nothing else.
 */
export const emptiedSchema = `
ALTER TABLE handles ADD COLUMN emptied INTEGER NOT NULL DEFAULT 0 CHECK (emptied IN (0, 1));
CREATE INDEX handles_to_empty ON handles (settled_at) WHERE emptied = 0 AND status IN ('executed', 'upstream-fault');
DROP TRIGGER handles_move_forward;
CREATE TRIGGER handles_move_forward
  BEFORE UPDATE OF frozen_wall, frozen_mono, version, status, state, settled_at ON handles
  WHEN NOT (OLD.emptied = 0 AND NEW.emptied = 1 AND OLD.status IN ('executed', 'upstream-fault') AND NEW.status = OLD.status AND NEW.version = OLD.version
    AND NEW.settled_at = OLD.settled_at AND NEW.frozen_wall = OLD.frozen_wall AND NEW.frozen_mono = OLD.frozen_mono
    AND NEW.state = CAST(json_set(CAST(OLD.state AS TEXT), '$.answer', NULL) AS BLOB))
  AND (NEW.version <> OLD.version + 1 OR NOT CASE
    WHEN OLD.status = 'parked' AND OLD.kind IN ('call', 'change') THEN NEW.status IN ('parked', 'approved', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN OLD.status = 'parked' THEN NEW.status IN ('parked', 'executing', 'expired', 'withdrawn', 'unknown')
    WHEN OLD.status = 'approved' THEN NEW.status IN ('approved', 'parked', 'executing', 'declined', 'expired', 'withdrawn', 'revision-withdrawn', 'stale')
    WHEN OLD.status = 'executing' THEN NEW.status IN ('executed', 'upstream-fault', 'unknown')
    ELSE 0 END)
  BEGIN SELECT RAISE(ABORT, 'a handle moves along its machine'); END;
CREATE TRIGGER handles_are_emptied_once BEFORE UPDATE OF emptied ON handles
  WHEN NEW.emptied < OLD.emptied OR (NEW.emptied > OLD.emptied AND OLD.status NOT IN ('executed', 'upstream-fault'))
  BEGIN SELECT RAISE(ABORT, 'a handle is emptied when it is final'); END;
`;
