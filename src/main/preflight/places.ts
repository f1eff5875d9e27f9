import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, isWithin, pathText, type Path } from '../canonical/index.ts';
import { normalForms } from './normalise.ts';
import type { CompiledPattern, Toll } from './pattern.ts';
import { createSearch } from './search.ts';
import { textsOf } from './texts.ts';
import { writings } from './written.ts';

/** A call that matches in more places is not taken apart any further. */
const MOST = 64;

/**
 * Every place of `params` at which a pattern matches, in the notation of `pathText`, found by taking the first one out and searching the rest: with
 * all of them gone nothing matches. A place may be a whole list or object, where the match lies across its members. What the guard reads in one with
 * a place (the other elements of its list, a command and its words) is a place as well: with it the pattern may match in another way. Undefined where
 * a match belongs to no single place, or there are too many.
 */
export function placesOf(pattern: CompiledPattern, params: JsonObject, toll: Toll): ReadonlySet<string> | undefined {
  const places = new Set<string>();
  let rest: JsonValue = params;
  for (let found = 0; found < MOST; found += 1) {
    const place = firstIn(pattern, rest as JsonObject, toll);
    if (place === undefined) return places;
    const path = locate(rest, place);
    if (path === undefined) return undefined;
    for (const one of [path, ...readWith(params, path)]) places.add(pathText(one));
    rest = without(rest, path);
  }
  return undefined;
}

function firstIn(pattern: CompiledPattern, params: JsonObject, toll: Toll): string | undefined {
  const { direct, derived, hits } = createSearch(pattern, toll);
  const texts = textsOf(params);
  const across = (): boolean => hits(canonicalText(params)) || writings(pattern.text, params).some((text) => hits(text) || normalForms(text).some(hits));
  return (direct(texts) ?? (across() ? { where: 'canonical text' } : derived(texts)))?.where;
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const memberOf = (value: JsonValue | undefined, key: string | number): JsonValue | undefined =>
  isList(value) ? value[Number(key)] : value !== undefined && isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The way to a place. */
function locate(value: JsonValue, place: string, path: Path = []): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of isList(value) ? value.keys() : Object.keys(value)) {
    const at = [...path, key];
    const text = pathText(at);
    if (text === place) return at;
    if (isWithin(place, text)) return locate(memberOf(value, key) ?? null, place, at);
  }
  return undefined;
}

/** The value without what stands at the end of a way. An element of a list leaves an empty text behind, so that the others keep their places. */
function without(value: JsonValue, [key, ...further]: Path): JsonValue {
  if (key === undefined || typeof value !== 'object' || value === null) return value;
  const member = memberOf(value, key) ?? null;
  if (isList(value)) return value.with(Number(key), further.length === 0 ? '' : without(member, further));
  if (further.length > 0) return { ...value, [key]: without(member, further) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** What the guard joins with a place: the elements of one list, and a word with the lists beside it. */
function readWith(params: JsonObject, path: Path): readonly Path[] {
  const owner = path.slice(0, -1);
  const holder = valueAt(params, owner);
  if (isList(holder)) return [owner, ...readWith(params, owner)];
  if (holder === undefined || !isJsonObject(holder)) return [];
  const joins = isList(valueAt(params, path)) ? (value: JsonValue) => typeof value === 'string' : isList;
  return Object.entries(holder).flatMap(([name, value]) => (joins(value) ? [[...owner, name]] : []));
}

const valueAt = (value: JsonValue, path: Path): JsonValue | undefined => path.reduce<JsonValue | undefined>(memberOf, value);
