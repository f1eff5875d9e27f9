import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText } from '../canonical/index.ts';
import type { DefinitionsChange } from './definition-control.ts';
import { ordersIn } from './orders.ts';

interface Line {
  readonly label: string;
  readonly value: string;
}

/** Of so many tools the old and the new words stand in the card too; of more the table alone has them. */
const MOST_IN_WORDS = 3;
/** What of a text stands in the card. The table has all of it. */
const MOST_CHARACTERS = 240;

/** Changed tools of a target, line by line: which are new, in what the others differ, what in them is meant to steer a model, and what they said of themselves before and say now. */
export function definitionFacts({ tools }: DefinitionsChange): readonly Line[] {
  const inWords = tools.length <= MOST_IN_WORDS;
  return [
    { label: 'Change', value: 'of its tools, made by the target itself; until you approve, these tools are neither offered nor called' },
    ...tools.flatMap(({ name, admitted, offered }) => {
      const cares = ordersIn(offered).map((value) => ({ label: 'Take care', value }));
      if (admitted === null) return [{ label: 'New tool', value: name }, ...cares, ...(inWords ? words('It says', offered['description']) : [])];
      const names = differences(admitted, offered);
      const both = inWords && names.includes('description') ? [...words('It said', admitted['description']), ...words('It says now', offered['description'])] : [];
      return [{ label: 'Changed tool', value: `${name}: ${names.join(', ')}` }, ...cares, ...both];
    }),
  ];
}

/** A description, cut where it is long, and by how much. */
function words(label: string, text: JsonValue | undefined): readonly Line[] {
  if (text === undefined) return [{ label, value: 'nothing' }];
  const characters = Array.from(typeof text === 'string' ? text : JSON.stringify(text));
  const rest = characters.length - MOST_CHARACTERS;
  return [{ label, value: rest <= 0 ? characters.join('') : `${characters.slice(0, MOST_CHARACTERS).join('')} … (${rest} more characters below)` }];
}

/** The members in which two definitions differ. */
const differences = (before: JsonObject, after: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => canonicalText(before[name] ?? null) !== canonicalText(after[name] ?? null));
