/**
 * The fields a question's form can have: MCP's restricted schema of form elicitation (client/elicitation, 2025-11-25 and 2026-07-28), read. Names,
 * titles, descriptions and options are the target's words and data everywhere.
 */
interface Common {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly required: boolean;
}

export const formats = ['email', 'uri', 'date', 'date-time'] as const;
export type Format = (typeof formats)[number];

/** A value to choose, and what it is called; the value itself when it has no name. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

export type Field = Common &
  (
    | { readonly kind: 'text'; readonly format: Format | null; readonly minLength: number | null; readonly maxLength: number | null; readonly pattern: string | null; readonly initial: string | null }
    | { readonly kind: 'number'; readonly whole: boolean; readonly minimum: number | null; readonly maximum: number | null; readonly initial: number | null }
    | { readonly kind: 'boolean'; readonly initial: boolean | null }
    | { readonly kind: 'choice'; readonly options: readonly Option[]; readonly initial: string | null }
    | { readonly kind: 'choices'; readonly options: readonly Option[]; readonly minItems: number | null; readonly maxItems: number | null; readonly initial: readonly string[] | null }
  );

/** What was filled into a field; null for nothing. */
export type FieldValue = string | number | boolean | readonly string[] | null;

/** What a field holds before anybody touched it. */
export const initialOf = (field: Field): FieldValue => field.initial;
