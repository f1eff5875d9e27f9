/** The revision a parked call of a declarative tool is bound to (document 002), as one migration. Like the other facts of a handle it never changes. */
export const handleRevisionSchema = `
ALTER TABLE handles ADD COLUMN revision TEXT;
CREATE TRIGGER handles_keep_their_revision BEFORE UPDATE OF revision ON handles
  BEGIN SELECT RAISE(ABORT, 'the facts of a handle stay'); END;
`;
