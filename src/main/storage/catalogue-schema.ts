/** Catalogues are kept for targets of a run's own file too, which stand in no table. */
export const catalogueSchema = `
CREATE TABLE kept_catalogues (
  target TEXT PRIMARY KEY,
  lists BLOB NOT NULL
) STRICT;
INSERT INTO kept_catalogues SELECT target, lists FROM catalogues;
DROP TABLE catalogues;
ALTER TABLE kept_catalogues RENAME TO catalogues;
`;
