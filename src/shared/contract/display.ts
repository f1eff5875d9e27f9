import { z } from 'zod';
import { standIns } from '../vocabulary/stand-in.ts';

/**
 * Text from outside, cut into pieces a page can set with `textContent` alone. `text` is plain; `chip` names a character that cannot be seen or
 * could mislead (`U+202E RLO`); `break` is a line break inside a value; a piece with `marked` is part of the guard's match.
 */
export const piece = z.strictObject({ kind: z.enum(['text', 'chip', 'break']), text: z.string(), marked: z.boolean() });
export type Piece = z.infer<typeof piece>;

/** One leaf of the compiled request. `head` and `tail` together are the whole value when `hidden` is null. */
export const row = z.strictObject({
  index: z.int(),
  path: z.array(piece),
  type: z.enum(['string', 'number', 'boolean', 'null', 'object', 'array']),
  head: z.array(piece),
  tail: z.array(piece),
  hidden: z.nullable(z.strictObject({ characters: z.int(), lines: z.int() })),
  characters: z.int(),
  bytes: z.int(),
  lines: z.int(),
  /** Must be opened before Approve arms: a cut value, or one that looks like a secret. */
  opens: z.nullable(z.enum(['cut', 'secret'])),
  /** Masked for good: only its length is shown; the hash is over the true value. */
  masked: z.boolean(),
  /** In place of a null that is not sent as one: a credential put in when the request is sent, of which only the name is hashed; or that no body is sent. */
  standIn: z.enum(standIns).optional(),
  matched: z.boolean(),
  warnings: z.array(z.string()),
});
export type Row = z.infer<typeof row>;
