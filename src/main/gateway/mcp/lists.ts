import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import { joinName, wrapUri } from './names.ts';
import { OWN_NAMED } from './scope.ts';

/** The list methods, each with the member its result lists and the member that identifies an item. */
export const LISTS = {
  'tools/list': { member: 'tools', key: 'name' },
  'prompts/list': { member: 'prompts', key: 'name' },
  'resources/list': { member: 'resources', key: 'uri' },
  'resources/templates/list': { member: 'resourceTemplates', key: 'uriTemplate' },
} as const;
export type ListMethod = keyof typeof LISTS;
export const isListMethod = (method: string): method is ListMethod => Object.hasOwn(LISTS, method);

/** One target's items as it gave them. */
export interface Items {
  readonly target: TargetId;
  readonly items: readonly JsonObject[];
}

/** The items of a target's list result; anything that is no object is left out. */
export function itemsOf(method: ListMethod, target: TargetId, result: Record<string, unknown>): Items {
  const list = result[LISTS[method].member];
  return { target, items: Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [] };
}

/** Which targets have an item of this key. */
export function ownersByKey(method: ListMethod, lists: readonly Items[]): ReadonlyMap<string, readonly TargetId[]> {
  const owners = new Map<string, TargetId[]>();
  for (const { target, items } of lists) {
    for (const item of items) {
      const key = item[LISTS[method].key];
      if (typeof key !== 'string') continue;
      const known = owners.get(key);
      if (known === undefined) owners.set(key, [target]);
      else if (!known.includes(target)) known.push(target);
    }
  }
  return owners;
}

/** One list of all targets. Items keep every member they came with; only the member that identifies them may change. */
export function mergeLists(method: ListMethod, lists: readonly Items[]): readonly JsonObject[] {
  const { key } = LISTS[method];
  if (key === 'name') return lists.flatMap(({ target, items }) => items.map((item) => renamed(item, target)));
  const owners = ownersByKey(method, lists);
  return lists.flatMap(({ target, items }) =>
    items.map((item) => {
      const uri = item[key];
      return typeof uri === 'string' && (owners.get(uri)?.length ?? 0) > 1 ? { ...item, [key]: wrapUri(target, uri) } : item;
    }),
  );
}

function renamed(item: JsonObject, target: TargetId): JsonObject {
  const name = item['name'];
  return typeof name !== 'string' || OWN_NAMED.includes(target) ? item : { ...item, name: joinName(target, name) };
}
