import { pathText } from '../canonical/index.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** An object or array inside `params`, as a chain towards the root (undefined). */
interface Branch {
  readonly up: Branch | undefined;
  readonly key: string | number;
}

/** Texts to be searched, in one order with where each stands in words: a path in the notation of `pathText`, or a name such as `tool name`. */
export interface Batch {
  readonly texts: readonly string[];
  where(index: number): string;
  /** The texts are leaves as they are, so that offsets in them are offsets in what a human sees. */
  readonly leaves: boolean;
}

/** The texts a request's `params` hold. What is asked for seldom is made when it is asked for. */
export interface Texts {
  /** Every leaf's value, decoded. */
  readonly values: Batch;
  /** Every member name, once. */
  readonly keys: Batch;
  /** Every leaf as `path=value`. */
  lines(): Batch;
  /** The beginning of each such line: its path, and so many characters of the value. */
  beginnings(length: number): readonly string[];
  /** The scalars of each array with nothing between them. */
  glued(): Batch;
  /** The scalars of each array with a blank between them; a text member, a blank, and such a list beside it (`rm -rf /`). */
  spaced(): Batch;
}

export const batchOf = (texts: readonly string[], where: (index: number) => string, leaves = false): Batch => ({ texts, where, leaves });

export function textsOf(params: JsonObject): Texts {
  const texts: string[] = [];
  const owners: (Branch | undefined)[] = [];
  const ownKeys: (string | number)[] = [];
  const names = new Map<string, Branch | undefined>();
  const lists: { readonly list: readonly JsonValue[]; readonly at: Branch }[] = [];
  const objects: { readonly object: JsonObject; readonly at: Branch | undefined }[] = [];

  const visit = (value: JsonValue, owner: Branch | undefined, key: string | number): void => {
    if (typeof value !== 'object' || value === null) addLeaf(typeof value === 'string' ? value : String(value), owner, key);
    else if (isList(value)) {
      if (value.length === 0) addLeaf('[]', owner, key);
      const at: Branch = { up: owner, key };
      if (value.length > 1) lists.push({ list: value, at });
      for (let index = 0; index < value.length; index += 1) visit(value[index] as JsonValue, at, index);
    } else {
      const at: Branch = { up: owner, key };
      if (!visitMembers(value, at)) addLeaf('{}', owner, key);
    }
  };

  const addLeaf = (text: string, owner: Branch | undefined, key: string | number): void => {
    texts.push(text);
    owners.push(owner);
    ownKeys.push(key);
  };

  const visitMembers = (object: JsonObject, at: Branch | undefined): boolean => {
    const keys = Object.keys(object);
    let hasList = false;
    for (const key of keys) {
      if (!names.has(key)) names.set(key, at);
      const value = object[key] as JsonValue;
      if (Array.isArray(value)) hasList = true;
      visit(value, at, key);
    }
    if (hasList) objects.push({ object, at });
    return keys.length > 0;
  };

  visitMembers(params, undefined);
  const leafPlace = (index: number): string => pathOf(owners[index], ownKeys[index]);
  const keyTexts = [...names.keys()];
  return {
    values: batchOf(texts, leafPlace, true),
    keys: batchOf(keyTexts, (index) => pathOf(names.get(keyTexts[index] as string), keyTexts[index])),
    lines: () => batchOf(texts.map((text, index) => `${rawPath(owners[index], ownKeys[index] as string | number)}=${text}`), leafPlace),
    beginnings: (length) => texts.map((text, index) => `${rawPath(owners[index], ownKeys[index] as string | number)}=${text.slice(0, length)}`),
    glued: once(() => listBatch(lists, '')),
    spaced: once(() => both(listBatch(lists, ' '), commandBatch(objects))),
  };
}

/** Made when it is first asked for, and kept. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const listBatch = (lists: readonly { readonly list: readonly JsonValue[]; readonly at: Branch }[], between: string): Batch =>
  batchOf(lists.map(({ list }) => scalarsJoined(list, between)), (index) => pathOf(lists[index]?.at));

/** How many members of an object are combined at most; no command has more. */
const FEW = 4;

function commandBatch(objects: readonly { readonly object: JsonObject; readonly at: Branch | undefined }[]): Batch {
  const texts: string[] = [];
  const places: (Branch | undefined)[] = [];
  for (const { object, at } of objects) {
    const lists: string[] = [];
    const words: string[] = [];
    for (const key of Object.keys(object)) {
      const value = object[key] as JsonValue;
      if (typeof value === 'string') words.push(value);
      else if (isList(value)) lists.push(scalarsJoined(value, ' '));
    }
    for (const word of words.slice(0, FEW)) for (const list of lists.slice(0, FEW)) {
      texts.push(`${word} ${list}`);
      places.push(at);
    }
  }
  return batchOf(texts, (index) => pathOf(places[index]));
}

const both = (a: Batch, b: Batch): Batch =>
  batchOf([...a.texts, ...b.texts], (index) => (index < a.texts.length ? a.where(index) : b.where(index - a.texts.length)));

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function scalarsJoined(list: readonly JsonValue[], between: string): string {
  let joined = '';
  let isFirst = true;
  for (const element of list) {
    if (typeof element !== 'string' && typeof element !== 'number') continue;
    joined += isFirst ? String(element) : between + String(element);
    isFirst = false;
  }
  return joined;
}

/** The path of a branch, or of a member of it; that of the root is `params`. */
function pathOf(branch: Branch | undefined, key?: string | number): string {
  const path = key === undefined ? [] : [key];
  for (let at = branch; at !== undefined; at = at.up) path.push(at.key);
  return path.length === 0 ? 'params' : pathText(path.reverse());
}

/** The same with nothing quoted or escaped, for searching in. */
const rawPath = (branch: Branch | undefined, key: string | number): string => {
  const step = typeof key === 'number' ? `[${key}]` : key;
  if (branch === undefined) return step;
  const before = rawPath(branch.up, branch.key);
  return typeof key === 'number' ? before + step : `${before}.${step}`;
};
