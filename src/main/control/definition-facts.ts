import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { canonicalText } from '../canonical/index.ts';
import type { DefinitionsChange } from './definition-control.ts';

/** Changed tools of a target, line by line: which are new, and in what the others differ. */
export const definitionFacts = ({ tools }: DefinitionsChange): readonly { readonly label: string; readonly value: string }[] => [
  { label: 'Change', value: 'of its tools, made by the target itself; until you approve, these tools are neither offered nor called' },
  ...tools.map(({ name, admitted, offered }) => (admitted === null ? { label: 'New tool', value: name } : { label: 'Changed tool', value: `${name}: ${differences(admitted, offered).join(', ')}` })),
];

/** The members in which two definitions differ. */
const differences = (before: JsonObject, after: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => canonicalText(before[name] ?? null) !== canonicalText(after[name] ?? null));
