import type { z } from 'zod';
import { schemaFaults } from '../../shared/schema-faults.ts';
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
export const faultsOf = (issues: readonly z.core.$ZodIssue[], spec: JsonValue): readonly SpecFault[] =>
  schemaFaults(issues, spec, { unknownField: ({ message }) => message, number: 'a whole number' }).slice(0, MOST).map(({ path, says }) => faultAt(path, says));
