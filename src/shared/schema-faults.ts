import type { z } from 'zod';
import type { JsonValue } from './vocabulary/json.ts';

/** What a schema found wrong at a place, as what follows the place in a sentence: `must be a whole number`. Holds nothing of the value. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

export interface SchemaWords {
  /** What is said of a field the schema does not have. */
  readonly unknownField: (issue: z.core.$ZodIssueUnrecognizedKeys) => string;
  /** What a number is called where the schema has whole ones only; the finding alone does not tell. */
  readonly number?: 'a number' | 'a whole number';
}

/**
 * The findings of a schema about `value` in sentences of our own; unknown fields each at their own place. What a field must look like beyond its type
 * and size is said by the schema itself, so every pattern and rule in one has a sentence.
 */
export function schemaFaults(issues: readonly z.core.$ZodIssue[], value: JsonValue, { unknownField, number = 'a number' }: SchemaWords): readonly SchemaFault[] {
  return issues.flatMap((issue): readonly SchemaFault[] => {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], says: unknownField(issue) }));
    return [{ path, says: issue.code !== 'custom' && valueAt(value, path) === undefined ? 'is missing' : sentenceOf(issue, number) }];
  });
}

const TYPES: Readonly<Record<string, string>> = { string: 'text', int: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object', record: 'an object' };

function sentenceOf(issue: z.core.$ZodIssue, number: string): string {
  switch (issue.code) {
    case 'invalid_type': return `must be ${issue.expected === 'number' ? number : (TYPES[issue.expected] ?? 'of another type')}`;
    case 'invalid_value': return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small': return issue.origin === 'string' || issue.origin === 'array' ? 'must not be empty' : `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${String(issue.minimum)}`;
    case 'too_big': return issue.origin === 'string' ? `is too long: ${String(issue.maximum)} characters at most` : `must be at most ${String(issue.maximum)}${issue.origin === 'array' ? ' elements' : ''}`;
    case 'invalid_key': return issue.issues[0] === undefined ? 'is no name for a field' : sentenceOf(issue.issues[0], number);
    case 'invalid_union': return 'has the wrong type or form';
    case 'custom':
    case 'invalid_format': return issue.message;
    default: return 'is not valid';
  }
}

function valueAt(value: JsonValue, path: SchemaFault['path']): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Readonly<Record<string | number, JsonValue>>)[segment];
  }
  return at;
}
