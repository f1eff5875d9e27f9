/** The calls that may be made again without a click, as one migration: at most one grant for one call, and none is ever altered. */
export const grantSchema = `
CREATE TABLE grants (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  client TEXT NOT NULL,
  target TEXT NOT NULL,
  method TEXT NOT NULL,
  subject TEXT,
  hash TEXT NOT NULL CHECK (length(hash) = 64),
  pattern BLOB NOT NULL,
  handle TEXT NOT NULL,
  given_wall INTEGER NOT NULL,
  given_mono REAL NOT NULL,
  given_boot TEXT NOT NULL,
  for_ms INTEGER NOT NULL CHECK (for_ms > 0),
  UNIQUE (client, target, hash)
) STRICT;
CREATE TRIGGER grants_stay BEFORE UPDATE ON grants BEGIN SELECT RAISE(ABORT, 'a grant stays as it was given'); END;
`;

/** The fields a grant leaves open (a JSON list of names), what the calls it covers have in common, and the revision it is bound to (JSON). */
export const openGrantSchema = `
ALTER TABLE grants ADD COLUMN varies TEXT NOT NULL DEFAULT '[]';
ALTER TABLE grants ADD COLUMN shape TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN revision TEXT;
`;
