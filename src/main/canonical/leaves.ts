import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { Path } from './path.ts';

/** One leaf of a JSON value. An empty object or array is a leaf of its own, so that nothing sent goes unlisted. */
export interface Leaf {
  readonly path: Path;
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';
  readonly value: JsonValue;
}

/** Every leaf of a value, in the order in which the canonical text sends them. */
export function leavesOf(value: JsonValue): readonly Leaf[] {
  const leaves: Leaf[] = [];
  collect(value, [], leaves);
  return leaves;
}

/** Every leaf of the value a canonical text stands for, in the text's order. */
export const leavesOfText = (canonical: string): readonly Leaf[] => leavesOf(JSON.parse(canonical) as JsonValue);

/** How many leaves a value has. Counting stops once it is past `enough`, so that a hostile value costs no more than that. */
export function countLeaves(value: JsonValue, enough = Number.POSITIVE_INFINITY): number {
  if (typeof value !== 'object' || value === null) return 1;
  const children: readonly JsonValue[] = Array.isArray(value) ? (value as readonly JsonValue[]) : Object.values(value);
  if (children.length === 0) return 1;
  let count = 0;
  for (const child of children) {
    count += countLeaves(child, enough - count);
    if (count > enough) return count;
  }
  return count;
}

function collect(value: JsonValue, path: Path, leaves: Leaf[]): void {
  if (typeof value !== 'object' || value === null) {
    leaves.push({ path, type: value === null ? 'null' : (typeof value as 'string' | 'number' | 'boolean'), value });
  } else if (Array.isArray(value)) {
    const elements = value as readonly JsonValue[];
    if (elements.length === 0) leaves.push({ path, type: 'array', value });
    elements.forEach((element, index) => collect(element, [...path, index], leaves));
  } else {
    const object = value as { readonly [key: string]: JsonValue };
    // Sorted as RFC 8785 sorts: an object's own order would put integer-like names first.
    const names = Object.keys(object).sort();
    if (names.length === 0) leaves.push({ path, type: 'object', value });
    for (const name of names) collect(object[name] as JsonValue, [...path, name], leaves);
  }
}
