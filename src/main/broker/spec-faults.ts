import type { z } from 'zod';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { cappedPathText } from '../canonical/index.ts';
import type { Path } from '../canonical/index.ts';

/** One thing that is wrong with a specification. `at` begins with `spec`; names in it are the agent's, printable and quoted. */
export interface SpecFault {
  readonly at: string;
  /** Follows the path in a sentence: `must be a whole number`. Holds no value of the specification. */
  readonly says: string;
}

/** More than so many are not told: the first ones have to be put right in any case. */
const MOST = 12;

export const faultAt = (path: Path, says: string): SpecFault => ({ at: cappedPathText(['spec', ...path]), says });

/** What a schema found wrong, as sentences with paths; unknown fields each at their own. */
export function faultsOf(issues: readonly z.core.$ZodIssue[], spec: JsonValue): readonly SpecFault[] {
  const faults = issues.flatMap((issue) => {
    const path = issue.path as (string | number)[];
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => faultAt([...path, key], issue.message));
    return [faultAt(path, valueAt(spec, path) === undefined && issue.code !== 'custom' ? 'is missing' : sentenceOf(issue))];
  });
  return faults.slice(0, MOST);
}

const TYPES: Readonly<Record<string, string>> = { string: 'text', int: 'a whole number', number: 'a whole number', boolean: 'true or false', array: 'a list', object: 'an object' };

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type': return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value': return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small': return issue.origin === 'string' || issue.origin === 'array' ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
    case 'too_big': return issue.origin === 'string' ? 'is too long' : `must be at most ${String(issue.maximum)}`;
    case 'invalid_union': return 'has the wrong type or form';
    case 'custom':
    case 'invalid_format': return issue.message;
    default: return 'is not valid';
  }
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const segment of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = (at as Readonly<Record<string | number, JsonValue>>)[segment];
  }
  return at;
}
