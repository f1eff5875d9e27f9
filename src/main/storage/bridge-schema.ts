/** The tables of the bridges, as one migration: who may sign, and which intents were taken. A taken intent is forgotten only long after it expired. */
export const bridgeSchema = `
CREATE TABLE bridges (
  no INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL UNIQUE,
  url TEXT,
  sealed BLOB CHECK ((sealed IS NULL) = (url IS NULL)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE used_intents (
  key TEXT NOT NULL,
  jti TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, jti)
) STRICT, WITHOUT ROWID;
CREATE INDEX used_intents_by_age ON used_intents (expires_at);
CREATE TRIGGER used_intents_stay BEFORE UPDATE ON used_intents BEGIN SELECT RAISE(ABORT, 'a used intent stays'); END;
`;
