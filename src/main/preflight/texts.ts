import { pathText } from '../canonical/index.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** A place inside `params`, as a chain towards the root. */
export interface Place {
  readonly up: Place | undefined;
  readonly key: string | number;
}

/** One text to be searched, and where it stands: a place, or the name of what it is (`tool name`). */
export interface Piece {
  readonly text: string;
  readonly at: Place | string;
  /** The text is a leaf's value as it is, so that offsets in it are offsets in what a human sees. */
  readonly leaf: boolean;
}

/** The texts a request's `params` hold. */
export interface Texts {
  /** Every leaf's value, decoded. */
  readonly values: readonly Piece[];
  /** Every member name, once. */
  readonly keys: readonly Piece[];
  /** Every leaf as `path=value`. */
  readonly lines: readonly Piece[];
  /** What only joining makes: the scalars of an array with a blank and with nothing between, and a member before the list beside it. */
  readonly joins: readonly Piece[];
}

export function textsOf(params: JsonObject): Texts {
  const values: Piece[] = [];
  const lines: Piece[] = [];
  const joins: Piece[] = [];
  const keys = new Map<string, Piece>();

  const leaf = (text: string, at: Place, line: string): void => {
    values.push({ text, at, leaf: true });
    lines.push({ text: `${line}=${text}`, at, leaf: false });
  };

  const walk = (value: JsonValue, at: Place, line: string): void => {
    if (typeof value === 'string') leaf(value, at, line);
    else if (typeof value !== 'object' || value === null) leaf(String(value), at, line);
    else if (isList(value)) {
      if (value.length === 0) leaf('[]', at, line);
      value.forEach((element, index) => walk(element, { up: at, key: index }, `${line}[${index}]`));
      const scalars = scalarsOf(value);
      if (scalars.length > 1) joins.push({ text: scalars.join(' '), at, leaf: false }, { text: scalars.join(''), at, leaf: false });
    } else walkObject(value, at, line);
  };

  const walkObject = (object: JsonObject, at: Place | undefined, line: string): void => {
    const names = Object.keys(object);
    if (names.length === 0 && at !== undefined) leaf('{}', at, line);
    for (const name of names) {
      const place: Place = { up: at, key: name };
      if (!keys.has(name)) keys.set(name, { text: name, at: place, leaf: false });
      walk(object[name] as JsonValue, place, line === '' ? name : `${line}.${name}`);
    }
    joins.push(...commandLines(object, at ?? 'params'));
  };

  walkObject(params, undefined, '');
  return { values, keys: [...keys.values()], lines, joins };
}

/** The place in words: the path of its leaf, in the notation of `pathText`, or its name. */
export function placeText(at: Place | string): string {
  if (typeof at === 'string') return at;
  const path: (string | number)[] = [];
  for (let place: Place | undefined = at; place !== undefined; place = place.up) path.push(place.key);
  return pathText(path.reverse());
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const scalarsOf = (list: readonly JsonValue[]): readonly string[] =>
  list.filter((element) => typeof element === 'string' || typeof element === 'number').map(String);

/** How many members of an object are combined at most; no command has more. */
const FEW = 4;

/** `{"command":"rm","args":["-rf","/"]}` as `rm -rf /`: a text member, a blank, and the list beside it. */
function commandLines(object: JsonObject, at: Place | string): readonly Piece[] {
  const lists = Object.values(object).filter(isList).map(scalarsOf).filter((list) => list.length > 0).slice(0, FEW);
  if (lists.length === 0) return [];
  const words = Object.values(object).filter((value) => typeof value === 'string').slice(0, FEW);
  return words.flatMap((word) => lists.map((list) => ({ text: `${word} ${list.join(' ')}`, at, leaf: false })));
}
