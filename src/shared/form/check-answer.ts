import type { JsonObject, JsonValue } from '../vocabulary/json.ts';
import type { Field, FieldValue, Format } from './field.ts';

/** Why a value does not fit its field. */
export type Misfit = 'required' | 'type' | 'format' | 'too-short' | 'too-long' | 'too-small' | 'too-large' | 'too-few' | 'too-many' | 'not-offered';

/** The longest text a field takes, whatever its schema says. */
export const LONGEST_TEXT = 10_000;

/**
 * Judges one value. A text of no characters is no answer. Patterns are not judged here: they are the target's, and only an engine whose time is
 * linear may run them.
 */
export function checkField(field: Field, value: FieldValue): Misfit | null {
  if (value === null || value === '') return field.required ? 'required' : null;
  switch (field.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'type';
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value) || (field.whole && !Number.isSafeInteger(value))) return 'type';
      return field.minimum !== null && value < field.minimum ? 'too-small' : field.maximum !== null && value > field.maximum ? 'too-large' : null;
    case 'choice':
      return field.options.some((option) => option.value === value) ? null : 'not-offered';
    case 'choices':
      return checkChoices(field, value);
    case 'text':
      return checkText(field, value);
  }
}

function checkChoices({ options, minItems, maxItems, required }: Extract<Field, { kind: 'choices' }>, value: FieldValue): Misfit | null {
  if (!Array.isArray(value)) return 'type';
  const chosen: readonly unknown[] = value;
  if (chosen.length === 0 && !required) return null;
  if (new Set(chosen).size !== chosen.length || chosen.some((one) => !options.some((option) => option.value === one))) return 'not-offered';
  return chosen.length < (minItems ?? 0) ? 'too-few' : chosen.length > (maxItems ?? Infinity) ? 'too-many' : null;
}

function checkText({ format, minLength, maxLength }: Extract<Field, { kind: 'text' }>, value: FieldValue): Misfit | null {
  if (typeof value !== 'string') return 'type';
  const length = Array.from(value).length;
  if (length < (minLength ?? 0)) return 'too-short';
  if (value.length > LONGEST_TEXT || length > (maxLength ?? Infinity)) return 'too-long';
  return format === null || FITS[format](value) ? null : 'format';
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const isDay = (text: string): boolean => {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

const FITS: Readonly<Record<Format, (text: string) => boolean>> = {
  email(text) {
    const [before = '', after = '', ...more] = text.split('@');
    return before !== '' && more.length === 0 && after.split('.').length > 1 && after.split('.').every((part) => part !== '') && !/[\s\p{C}]/u.test(text);
  },
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|\\^`]+$/u.test(text),
  date: isDay,
  'date-time': (text) => isDay(TIME.exec(text)?.[1] ?? ''),
};

/** The content of an answer: what was filled in, by name; what was left empty is left out. Undefined when a value is missing or does not fit. */
export function contentOf(fields: readonly Field[], values: readonly FieldValue[]): JsonObject | undefined {
  if (values.length !== fields.length) return undefined;
  const given: [string, JsonValue][] = [];
  for (const [index, field] of fields.entries()) {
    const value = values[index] ?? null;
    if (checkField(field, value) !== null) return undefined;
    if (value !== null && value !== '' && !(Array.isArray(value) && value.length === 0 && !field.required)) given.push([field.name, value]);
  }
  return Object.fromEntries(given);
}
