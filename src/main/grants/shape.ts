import type { PayloadHash } from '../../shared/vocabulary/ids.ts';
import type { CompiledRequest } from '../../shared/vocabulary/request.ts';
import { isWithin, leavesOfText, pathText, sha256Hex, type Leaf } from '../canonical/index.ts';

/** More fields than anybody takes in at a glance are not left open at once. */
export const MOST_VARYING = 20;
/** A longer name could not be read in a list. */
const LONGEST_NAME = 200;
const TYPES: ReadonlySet<Leaf['type']> = new Set(['string', 'number', 'boolean']);

/** A field that may vary: its place in the request's leaves, and its name below `params`. */
export interface VaryingField {
  readonly row: number;
  readonly name: string;
}

/**
 * The fields of a call that a grant may leave open: texts, numbers and booleans among its arguments, but none at which the rule matches, because what
 * stopped the call has to stay as it was shown. `places`: where the rule matches; undefined when that cannot be told, and then there is none.
 */
export function varyingFields({ method, text, revision }: CompiledRequest, places: ReadonlySet<string> | undefined): readonly VaryingField[] {
  if (places === undefined || revision !== undefined || (method !== 'tools/call' && method !== 'prompts/get')) return [];
  const matched = [...places];
  return leavesOfText(text).flatMap((leaf, row) => {
    const name = nameOf(leaf);
    const isOpen = name !== undefined && TYPES.has(leaf.type) && name.length <= LONGEST_NAME && !matched.some((place) => isWithin(name, place));
    return isOpen ? [{ row, name }] : [];
  });
}

/**
 * What a request has in common with every other that differs from it in nothing but the values of these fields: a hash of all its leaves, of these only
 * place and type. Undefined for a request that lacks one of them. A member more or less anywhere is another shape.
 */
export function shapeOf(text: string, varies: readonly string[]): PayloadHash | undefined {
  const left = new Set(varies);
  const leaves = leavesOfText(text).map((leaf) => {
    const name = nameOf(leaf);
    return name !== undefined && TYPES.has(leaf.type) && left.delete(name) ? [leaf.path, leaf.type] : [leaf.path, leaf.type, leaf.value];
  });
  return left.size === 0 ? sha256Hex(JSON.stringify(leaves)) : undefined;
}

/** The name of an argument; undefined for every other leaf. */
const nameOf = ({ path: [first, second, ...more] }: Leaf): string | undefined => (first === 'params' && second === 'arguments' && more.length > 0 ? pathText([second, ...more]) : undefined);
