import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText } from './canonical-text.ts';
import { without } from './members.ts';

/** Members of a client's `_meta` that are for us alone: its progress token (ours goes upstream) and the proof of an in-band resume (document 003, 3.2). */
const OURS: ReadonlySet<string> = new Set(['progressToken', 'inputResponses']);
const META: ReadonlySet<string> = new Set(['_meta']);

/**
 * What a passing call forwards of the client's `params`: all of it, `_meta` included, except `_meta.progressToken` and `_meta.inputResponses`. A
 * `_meta` that held nothing else is left out.
 */
export function forwardedParams(params: JsonObject): JsonObject {
  const meta = params['_meta'];
  if (!isJsonObject(meta)) return params;
  const kept = without(meta, OURS);
  const left = Object.keys(kept).length;
  if (left === Object.keys(meta).length) return params;
  return left === 0 ? without(params, META) : { ...params, _meta: kept };
}

/** The canonical text of what a passing call forwards; this goes on the wire. */
export const wireParams = (params: JsonObject): string => canonicalText(forwardedParams(params));

/** Adds `_meta.progressToken` to a canonical text of `params`; see `withMeta`. */
export const withProgressToken = (paramsText: string, token: string | number): string => withMeta(paramsText, 'progressToken', token);

/**
 * Adds one member of `_meta` to a canonical text of `params`, by splicing: no other byte changes, and the result is canonical too. `_meta` is made
 * when it is absent; a member that stands there already is replaced. Throws for a text that is not a canonical object: that is a bug.
 */
export function withMeta(paramsText: string, name: string, member: JsonValue): string {
  if (!paramsText.endsWith('}')) throw new Error('not the canonical text of an object');
  const value = canonicalText(member);
  const key = canonicalText(name);
  const meta = placeOf(paramsText, 0, '_meta');
  if (meta.end === undefined) return insert(paramsText, meta, `"_meta":{${key}:${value}}`);
  if (paramsText[meta.at] !== '{') throw new Error('`_meta` is no object');
  const own = placeOf(paramsText, meta.at, name);
  if (own.end === undefined) return insert(paramsText, own, `${key}:${value}`);
  return paramsText.slice(0, own.at) + value + paramsText.slice(own.end);
}

/** Where a member's value stands (`at` to `end`), or where the member would have to be put (`end` undefined). */
interface Place {
  readonly at: number;
  readonly end: number | undefined;
  /** Whether the object has a member after, or before, the place. */
  readonly next: boolean;
  readonly previous: boolean;
}

function insert(text: string, place: Place, member: string): string {
  const comma = (needed: boolean): string => (needed ? ',' : '');
  return text.slice(0, place.at) + comma(!place.next && place.previous) + member + comma(place.next) + text.slice(place.at);
}

/** Walks the members of the object that opens at `open`, whose names are sorted, until it meets `name` or its place. */
function placeOf(text: string, open: number, name: string): Place {
  if (text[open] !== '{') throw new Error('not the canonical text of an object');
  let at = open + 1;
  if (text[at] === '}') return { at, end: undefined, next: false, previous: false };
  for (;;) {
    const colon = endOfString(text, at);
    const met = JSON.parse(text.slice(at, colon)) as string;
    if (met > name) return { at, end: undefined, next: true, previous: true };
    const end = endOfValue(text, colon + 1);
    if (met === name) return { at: colon + 1, end, next: false, previous: true };
    if (text[end] === '}') return { at: end, end: undefined, next: false, previous: true };
    if (text[end] !== ',') throw new Error('not the canonical text of an object');
    at = end + 1;
  }
}

/** The index after the string that opens at `at`. */
function endOfString(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index + 1;
  }
  throw new Error('not a canonical text');
}

/** The index after the value that begins at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; ) {
    const char = text[index];
    if (char === '"') {
      index = endOfString(text, index);
      if (depth === 0) return index;
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']' || char === ',') {
      if (depth === 0) return index;
      if (char !== ',') depth -= 1;
      if (depth === 0) return index + 1;
    }
    index += 1;
  }
  throw new Error('not a canonical text');
}
