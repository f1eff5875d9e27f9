import { z } from 'zod';
import { formats } from '../form/field.ts';
import { piece } from './display.ts';

const pieces = z.array(piece);
const common = { name: z.string(), title: z.string().nullable(), description: z.string().nullable(), required: z.boolean() };
const options = z.array(z.strictObject({ value: z.string(), label: z.string() }));
const bound = z.number().nullable();

/** A field as `form/field.ts` has it: for judging what is filled in. */
const field = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('text'), format: z.enum(formats).nullable(), minLength: bound, maxLength: bound, pattern: z.string().nullable(), initial: z.string().nullable() }),
  z.strictObject({ ...common, kind: z.literal('number'), whole: z.boolean(), minimum: bound, maximum: bound, initial: bound }),
  z.strictObject({ ...common, kind: z.literal('boolean'), initial: z.boolean().nullable() }),
  z.strictObject({ ...common, kind: z.literal('choice'), options, initial: z.string().nullable() }),
  z.strictObject({ ...common, kind: z.literal('choices'), options, minItems: bound, maxItems: bound, initial: z.array(z.string()).readonly().nullable() }),
]);

/** A field with its words as they are shown. `name` and an option's `value` stand beside the label only where they are another text; options in the order of the field's own. */
const shownField = z.strictObject({
  field, label: pieces, name: pieces.nullable(), description: pieces, pattern: pieces, options: z.array(z.strictObject({ label: pieces, value: pieces.nullable() })),
});
export type ShownField = z.infer<typeof shownField>;

/**
 * What is asked, in the target's words. An address is cut at its host: `before`, `host` and `after` are the whole of it as a browser would send it,
 * `unicode` is its host in letters where that is another text. A proposal says all in its facts.
 */
export const shownQuestion = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('form'), message: pieces, fields: z.array(shownField) }),
  z.strictObject({ kind: z.literal('address'), message: pieces, before: z.string(), host: z.string(), after: z.string(), unicode: pieces.nullable(), encrypted: z.boolean() }),
  z.strictObject({ kind: z.literal('card') }),
]);
export type ShownQuestion = z.infer<typeof shownQuestion>;

/** What was filled into one field; null for nothing. */
export const fieldValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.array(z.string().max(4_000)).max(500), z.null()]);
