import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, isWithin, pathText } from '../canonical/index.ts';
import { normalForms } from './normalise.ts';
import type { CompiledPattern, Toll } from './pattern.ts';
import { createSearch } from './search.ts';
import { textsOf } from './texts.ts';
import { writings } from './written.ts';

/** A call that matches in more places is not taken apart any further. */
const MOST = 64;

/**
 * Every place of `params` at which a pattern matches, in the notation of `pathText`, found by taking the first one out and searching the rest: with
 * all of them gone nothing matches. A place may be a whole list or object, where the match lies across its members. Undefined where a match belongs
 * to no single place, or there are too many.
 */
export function placesOf(pattern: CompiledPattern, params: JsonObject, toll: Toll): ReadonlySet<string> | undefined {
  const places = new Set<string>();
  let rest: JsonObject = params;
  while (places.size < MOST) {
    const place = firstIn(pattern, rest, toll);
    if (place === undefined) return places;
    const less = without(rest, [], place);
    if (less === rest) return undefined;
    places.add(place);
    rest = less as JsonObject;
  }
  return undefined;
}

function firstIn(pattern: CompiledPattern, params: JsonObject, toll: Toll): string | undefined {
  const { direct, derived, hits } = createSearch(pattern, toll);
  const texts = textsOf(params);
  const across = (): boolean => hits(canonicalText(params)) || writings(pattern.text, params).some((text) => hits(text) || normalForms(text).some(hits));
  return (direct(texts) ?? (across() ? { where: 'canonical text' } : derived(texts)))?.where;
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** The value without what stands at a place; the same value where nothing does. An element of a list leaves an empty text behind, so that the others keep their places. */
function without(value: JsonValue, path: readonly (string | number)[], place: string): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  const leads = (key: string | number): 'here' | 'inside' | undefined => {
    const at = pathText([...path, key]);
    return at === place ? 'here' : isWithin(place, at) ? 'inside' : undefined;
  };
  if (isList(value)) {
    const index = value.findIndex((_, at) => leads(at) !== undefined);
    if (index < 0) return value;
    const element = value[index] as JsonValue;
    const less = leads(index) === 'here' ? '' : without(element, [...path, index], place);
    return less === element ? value : value.with(index, less);
  }
  const object: JsonObject = value;
  const name = Object.keys(object).find((key) => leads(key) !== undefined);
  if (name === undefined) return value;
  const { [name]: member, ...rest } = object;
  if (leads(name) === 'here') return rest;
  const less = without(member as JsonValue, [...path, name], place);
  return less === member ? value : { ...object, [name]: less };
}
