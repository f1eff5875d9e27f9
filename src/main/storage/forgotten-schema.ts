/**
 * The text of a final handle's request is kept for a time and then taken out of it, as one migration: that it was asked, by whom, its hash, what was
 * decided and how it ended stay. It happens once, and it is the one change a handle's facts may ever see.
 */
export const forgottenSchema = `
ALTER TABLE handles ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1));
CREATE INDEX handles_to_forget ON handles (settled_at) WHERE forgotten = 0 AND settled_at IS NOT NULL;
DROP TRIGGER handles_keep_their_facts;
CREATE TRIGGER handles_keep_their_facts
  BEFORE UPDATE OF no, id, kind, client, target, method, subject, text, params_at, params_length, hash, trap, door, parked_wall, parked_mono, parked_boot, ttl_ms, revision ON handles
  WHEN NOT (OLD.forgotten = 0 AND NEW.forgotten = 1 AND OLD.settled_at IS NOT NULL AND NEW.text = x'' AND NEW.params_at = 0 AND NEW.params_length = 0
    AND NEW.no = OLD.no AND NEW.id = OLD.id AND NEW.kind = OLD.kind AND NEW.client = OLD.client AND NEW.target = OLD.target AND NEW.method = OLD.method
    AND NEW.subject IS OLD.subject AND NEW.hash = OLD.hash AND NEW.trap = OLD.trap AND NEW.door = OLD.door AND NEW.parked_wall = OLD.parked_wall
    AND NEW.parked_mono = OLD.parked_mono AND NEW.parked_boot = OLD.parked_boot AND NEW.ttl_ms = OLD.ttl_ms AND NEW.revision IS OLD.revision)
  BEGIN SELECT RAISE(ABORT, 'the facts of a handle stay'); END;
CREATE TRIGGER handles_are_forgotten_once BEFORE UPDATE OF forgotten ON handles
  WHEN NEW.forgotten < OLD.forgotten OR (NEW.forgotten > OLD.forgotten AND (OLD.settled_at IS NULL OR NEW.text <> x''))
  BEGIN SELECT RAISE(ABORT, 'a request is forgotten when its handle is final'); END;
`;
