import { ok, refused, type Refused, type Result } from '../../../shared/result.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import type { RefusalFacts } from '../http/answer.ts';
import type { Catalogue } from './catalogue.ts';
import type { ListMethod } from './lists.ts';
import { splitName, unwrapUri } from './names.ts';
import { OWN_NAMED, type Scope } from './scope.ts';

/** One request, addressed: the target it goes to and the params under the target's own names. */
export interface Addressed {
  readonly target: TargetId;
  readonly params: JsonObject;
}

interface Needs {
  readonly scope: Scope;
  readonly has: (target: TargetId) => boolean;
  /** Whether a tool's name is this target's; undefined when its lists must be asked. */
  readonly owns?: (target: TargetId, name: string) => boolean | undefined;
  readonly catalogue: Pick<Catalogue, 'ownersOf' | 'offers' | 'knowsResources' | 'knownOwner'>;
  /** Whether the guard of every target would let this pass; a call that may be trapped must start nothing, not even to find out whose it is. */
  readonly passesAll: (method: string, params: JsonObject) => boolean;
}

type Unlocated = Refused & Pick<RefusalFacts, 'protocol'>;
export type Located = Result<Addressed> | Unlocated;
type Finder = (params: JsonObject) => Located | Promise<Located>;

/**
 * Finds the target of a request and puts back the target's own name or URI; every other member stays as it came. Answers at once wherever the
 * request itself says whose it is, so that nothing has to be asked of any target on behalf of a call that may be trapped.
 */
export function createAddressing({ scope, has, owns, catalogue, passesAll }: Needs): (method: string, params: JsonObject) => Located | Promise<Located> {
  const byName = (list: ListMethod): Finder => (params) => {
    const { name } = params;
    if (typeof name !== 'string') return refused('invalid-params', 'params.name');
    const found = named(list, name);
    const placed = (owner: Named | undefined): Located =>
      owner === undefined ? refused(list === 'prompts/list' ? 'unknown-prompt' : 'unknown-tool', 'params.name') : ok({ target: owner.target, params: { ...params, name: owner.name } });
    return found instanceof Promise ? found.then(placed) : placed(found);
  };

  /** `<target>__<name>` first; only a name without a known target is looked for among the tools that keep their own names. */
  function named(list: ListMethod, name: string): Named | undefined | Promise<Named | undefined> {
    const split = splitName(name);
    if (split !== undefined && has(split.target)) return split;
    const own = OWN_NAMED.filter(has).map((target) => ({ target, is: list === 'tools/list' ? owns?.(target, name) : undefined }));
    const owner = own.find(({ is }) => is === true);
    if (owner !== undefined) return { target: owner.target, name };
    const unsure = own.filter(({ is }) => is === undefined).map(({ target }) => target);
    return unsure.length === 0 ? undefined : ownNamed(unsure, list, name);
  }

  async function ownNamed(own: readonly TargetId[], list: ListMethod, name: string): Promise<Named | undefined> {
    for (const target of own) if (await catalogue.offers(target, list, name)) return { target, name };
    return undefined;
  }

  const byUri = (method: string, whole?: JsonObject): Finder => (params) => {
    const { uri } = params;
    if (typeof uri !== 'string') return refused('invalid-params', 'params.uri');
    const wrapped = unwrapUri(uri);
    if (wrapped !== undefined) return has(wrapped.target) ? ok({ target: wrapped.target, params: { ...params, uri: wrapped.uri } }) : unknownResource(uri);
    if (!catalogue.knowsResources() && !passesAll(method, whole ?? params)) {
      const target = catalogue.knownOwner(uri);
      return target === undefined ? refused('owner-unknown', 'params.uri') : ok({ target, params });
    }
    return owner(uri).then((target) => (target === undefined ? unknownResource(uri) : ok({ target, params })));
  };

  /** The one target a URI belongs to. Where several have it, the client must say which. */
  async function owner(uri: string): Promise<TargetId | undefined> {
    const owners = (await catalogue.ownersOf(uri)).filter(has);
    return owners.length === 1 ? owners[0] : undefined;
  }

  const byReference: Finder = (params) => {
    const { ref } = params;
    if (!isJsonObject(ref)) return refused('invalid-params', 'params.ref');
    const found = 'uri' in ref ? byUri('completion/complete', params)(ref) : byName('prompts/list')(ref);
    const inside = (result: Located): Located => (result.ok ? ok({ target: result.value.target, params: { ...params, ref: result.value.params } }) : result);
    return found instanceof Promise ? found.then(inside) : inside(found);
  };

  const finders: Readonly<Record<string, Finder>> = {
    'tools/call': byName('tools/list'),
    'prompts/get': byName('prompts/list'),
    'resources/read': byUri('resources/read'),
    'resources/subscribe': byUri('resources/subscribe'),
    'resources/unsubscribe': byUri('resources/unsubscribe'),
    'completion/complete': byReference,
  };

  return (method, params) => {
    if (scope.kind === 'target') return ok({ target: scope.target, params });
    return Object.hasOwn(finders, method) ? (finders[method]?.(params) ?? refused('method-not-found')) : refused('method-not-found');
  };
}

interface Named {
  readonly target: TargetId;
  readonly name: string;
}

/** The specification wants the URI in the error, so that the client knows which of its reads is meant. */
const unknownResource = (uri: string): Unlocated => ({ ...refused('unknown-resource', 'params.uri'), protocol: { uri } });
