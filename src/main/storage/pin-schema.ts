/** What each target's tools were when they were admitted, as one migration: one JSON text a target, so that a list is kept whole or not at all. */
export const pinSchema = `
CREATE TABLE tool_pins (
  target TEXT PRIMARY KEY,
  pins BLOB NOT NULL
) STRICT;
`;
