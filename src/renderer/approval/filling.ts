/** What a human has filled into a form, and what is still wrong with it. Pure. */
import type { ShownField } from '../../shared/contract/question.ts';
import { checkField, type Misfit } from '../../shared/form/check-answer.ts';
import { initialOf, type FieldValue } from '../../shared/form/field.ts';
import { count } from './words.ts';

type Field = ShownField['field'];

/** What stands in a field: the text of a box as it was typed, or what was chosen. */
export type Entry = string | boolean | readonly string[] | null;

export function firstEntry(field: Field): Entry {
  const initial = initialOf(field);
  if (field.kind === 'text' || field.kind === 'number') return initial === null ? '' : String(initial);
  return initial as Entry;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What an entry says. A text that is no number stays a text, which no field of numbers takes. */
export function valueOf(field: Field, entry: Entry): FieldValue {
  if (field.kind !== 'number' || typeof entry !== 'string') return entry;
  const text = entry.trim();
  return text === '' ? null : NUMBER.test(text) ? Number(text) : text;
}

export const misfitOf = (field: Field, entry: Entry): Misfit | null => checkField(field, valueOf(field, entry));

/** What a field wants, in our words; empty when it takes anything. */
export function wishOf(field: Field): string {
  switch (field.kind) {
    case 'text':
      return [field.format === null ? '' : FORMATS[field.format], range(field.minLength, field.maxLength, 'character', 'characters')].filter((part) => part !== '').join(', ');
    case 'number':
      return [field.whole ? 'whole number' : 'number', limits(field.minimum, field.maximum)].filter((part) => part !== '').join(', ');
    case 'choices':
      return range(field.minItems, field.maxItems, 'choice', 'choices');
    default:
      return '';
  }
}

const FORMATS = { email: 'e-mail address', uri: 'address, such as https://example.com', date: 'date, such as 2026-11-29', 'date-time': 'date and time, such as 2026-11-29T21:00:00Z' } as const;

function range(least: number | null, most: number | null, one: string, many: string): string {
  if (least !== null && least > 0 && most !== null) return least === most ? count(most, one, many) : `${least} to ${count(most, one, many)}`;
  if (most !== null) return `at most ${count(most, one, many)}`;
  return least !== null && least > 0 ? `at least ${count(least, one, many)}` : '';
}

const limits = (least: number | null, most: number | null): string =>
  least !== null && most !== null ? `${least} to ${most}` : least !== null ? `${least} or more` : most !== null ? `${most} or less` : '';

/** What is wrong with a field, in our words. What it wants stands beside it already. */
export const misfitText = (misfit: Misfit): string => MISFITS[misfit];

const MISFITS: Readonly<Record<Misfit, string>> = {
  required: 'Needed.',
  type: 'Not a number of this kind.',
  format: 'Not of this form.',
  'too-short': 'Too short.',
  'too-long': 'Too long.',
  'too-small': 'Too small.',
  'too-large': 'Too large.',
  'too-few': 'Choose more.',
  'too-many': 'Choose fewer.',
  'not-offered': 'Not one of the choices.',
};
