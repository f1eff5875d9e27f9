/**
 * The table of declarative tools, as one migration. A row without a digest was stored before there was admission. What was admitted under a name and
 * version never changes, and one revision of a tool serves at most, whatever the program does.
 */
export const toolSchema = `
CREATE TABLE tool_revisions (
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  resource BLOB NOT NULL,
  digest TEXT,
  actor TEXT CHECK ((actor IS NULL) = (digest IS NULL)),
  approved_at INTEGER CHECK ((approved_at IS NULL) = (digest IS NULL)),
  canonicalization TEXT CHECK ((canonicalization IS NULL) = (digest IS NULL)),
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  is_serving INTEGER NOT NULL CHECK (is_serving IN (0, 1) AND is_serving <= is_active),
  PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_revision_serves ON tool_revisions (name) WHERE is_serving = 1 AND digest IS NOT NULL;
CREATE TRIGGER admitted_revisions_stay BEFORE UPDATE OF name, version, resource, digest, actor, approved_at, canonicalization ON tool_revisions
WHEN OLD.digest IS NOT NULL AND (NEW.name IS NOT OLD.name OR NEW.version IS NOT OLD.version OR NEW.resource IS NOT OLD.resource OR NEW.digest IS NOT OLD.digest
  OR NEW.actor IS NOT OLD.actor OR NEW.approved_at IS NOT OLD.approved_at OR NEW.canonicalization IS NOT OLD.canonicalization)
BEGIN SELECT RAISE(ABORT, 'an admitted revision stays'); END;
`;
