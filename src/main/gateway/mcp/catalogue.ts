import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Downstream, TargetDirectory } from '../../dispatch/ports.ts';
import { isListMethod, itemsOf, LISTS, mergeLists, ownersByKey, type Items, type ListMethod } from './lists.ts';
import { OWN_NAMED, type Scope } from './scope.ts';
import type { Shape } from './told.ts';

/** A list as it is sent: the JSON text of the result, or why there is none. */
export type Listing = { readonly kind: 'text'; readonly text: string } | Exclude<Answer, { kind: 'result' }>;

/** What a session is offered. */
export interface Catalogue {
  list(method: ListMethod): Promise<Listing>;
  /** Whether the lists a URI's owner is found in are known, so that finding it asks no target. */
  knowsResources(): boolean;
  /** Whose the URI must be as far as can be told without asking or starting any target: the one target there is, or the only one known to list it. */
  knownOwner(uri: string): TargetId | undefined;
  /**
   * The target that spoke of this resource URI, unless the client was given a list in which one target alone has it; else those that list it, else
   * have a template whose fixed beginning is the longest that fits it.
   */
  ownersOf(uri: string): Promise<readonly TargetId[]>;
  /** The same of many, by what is known without asking or starting any target. */
  knownOwners(uris: Iterable<string>): ReadonlyMap<string, readonly TargetId[]>;
  /** The client was told of a resource by a target, under its plain URI. */
  mentioned(uri: string, target: TargetId): void;
  /** Whether this target lists a tool or prompt of this name. */
  offers(target: TargetId, method: ListMethod, name: string): Promise<boolean>;
  /** A call goes out: who lists next is given what the targets offer then. */
  called(): void;
  /** Forgets lists; all of them when it is not said which. */
  forget(what: 'tools' | 'prompts' | 'resources' | 'targets'): void;
}

interface Needs {
  readonly targets: Pick<TargetDirectory, 'ids' | 'list' | 'stored'>;
  readonly downstream: Downstream;
  readonly scope: Scope;
  /** Tools of our own on the endpoint of all targets. */
  readonly ownTools: readonly JsonObject[];
  readonly listMs: number;
  /** What the era of the client wants in every result. */
  readonly shape?: Shape;
  /** Milliseconds of a clock that never goes back; without it who lists again at once makes the targets be asked again. */
  readonly now?: () => number;
}

/** How many resources are kept of which a target spoke. */
const MENTIONED = 1_000;
/** How old a list may be that is given once more: enough for a burst of questions, and nothing a person could notice. */
const FRESH_MS = 100;

interface Gathered {
  readonly lists: readonly Items[];
  /** Targets that could not give theirs. */
  readonly missing: readonly TargetId[];
  readonly whole: boolean;
  /** Each target, and what it listed. */
  readonly answers: readonly unknown[];
}

interface Written {
  readonly listing: Listing;
  /** Without what a target could not give, or no list at all: the next who asks asks the targets. */
  readonly partial: boolean;
}

const DEPENDS: Readonly<Record<'tools' | 'prompts' | 'resources', readonly ListMethod[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list'],
};

/**
 * The lists of one session: those of a single target exactly as it gives them, or those of all targets as one. They are asked for on behalf of the
 * session, because a target may offer more to a client that can do more. Who asks for a list is given it as the targets give it then: whether they are
 * really asked again is theirs to know, since some never tell of a change. Its text is made anew only when what it is made of is another. To find
 * whose a URI is the last list does, until it changes, when it was whole.
 */
export function createCatalogue({ targets, downstream, scope, ownTools, listMs, shape = (_, result) => result, now }: Needs): Catalogue {
  /** Those under way, shared by all who ask meanwhile. */
  const asked = new Map<ListMethod, Promise<Written>>();
  const recent = new Map<ListMethod, { readonly listing: Listing; readonly until: number }>();
  /** Goes up with whatever may make a list another one. */
  let turn = 0;
  const texts = new Map<ListMethod, { readonly from: readonly unknown[]; readonly text: string }>();
  const gathered = new Map<ListMethod, Promise<Gathered>>();
  /** What the last lists were, whole or not, for what must be told without asking. */
  const seen = new Map<ListMethod, readonly Items[]>();
  /** Those that miss a target: what stands in them need not wait for it. */
  const partial = new Map<ListMethod, readonly Items[]>();
  const spokenOf = new Map<string, TargetId>();

  /** Who spoke of a URI. Until the client was given the list of resources it cannot have the URI from anybody else. */
  const speaker = (uri: string): readonly [TargetId] | undefined => {
    const target = spokenOf.get(uri);
    return target !== undefined && targets.ids().includes(target) ? [target] : undefined;
  };
  const wasGivenList = (): boolean => texts.has('resources/list');
  const owning = (uri: string, listed: readonly TargetId[] | undefined): readonly TargetId[] | undefined =>
    listed?.length === 1 && wasGivenList() ? listed : (speaker(uri) ?? listed);

  async function gather(method: ListMethod): Promise<Gathered> {
    const answers = await Promise.all(targets.ids().map(async (target) => ({ target, answer: await inTime(targets.list(target, method, downstream), listMs) })));
    const lists = answers.flatMap(({ target, answer }) => (answer?.kind === 'result' ? [itemsOf(method, target, answer.result)] : []));
    const missing = answers.flatMap(({ target, answer }) => (answer === undefined || answer.kind === 'fault' || answer.kind === 'lost' ? [target] : []));
    const whole = missing.length === 0;
    // A target that is away now is known by what it listed before.
    seen.set(method, [...lists, ...(seen.get(method) ?? []).filter(({ target }) => missing.includes(target))]);
    if (!whole) partial.set(method, lists);
    return { lists, missing, whole, answers: answers.flatMap(({ target, answer }) => [target, answer?.kind === 'result' ? (answer.result[LISTS[method].member] ?? null) : missing.includes(target)]) };
  }

  /** What is known of a list: seen in this session, or stored. */
  function knownLists(method: ListMethod): readonly Items[] {
    const lists = seen.get(method) ?? [];
    return targets.ids().flatMap((target) => {
      const found = lists.find((items) => items.target === target);
      if (found !== undefined) return found;
      const stored = targets.stored?.(target, method);
      return stored?.kind === 'result' ? itemsOf(method, target, stored.result) : [];
    });
  }

  const knownOwners = (uris: Iterable<string>): ReadonlyMap<string, readonly TargetId[]> => {
    const listed = ownersByKey('resources/list', knownLists('resources/list'));
    const templates = byTemplate(knownLists('resources/templates/list'));
    return new Map([...uris].map((uri) => [uri, owning(uri, listed.get(uri)) ?? ownersByTemplate(uri, templates)]));
  };

  const gatherOnce = (method: ListMethod): Promise<Gathered> => keep(gathered, method, () => gather(method), ({ whole }) => whole);

  /** The text of a list, as it was made before when it was made of the very same. */
  function textOf(method: ListMethod, from: readonly unknown[], make: () => Record<string, unknown>, partial = false): Written {
    const last = texts.get(method);
    const text = last !== undefined && last.from.length === from.length && last.from.every((one, index) => isSame(one, from[index])) ? last.text : JSON.stringify(shape(method, make()));
    texts.set(method, { from, text });
    return { listing: { kind: 'text', text }, partial };
  }

  async function write(method: ListMethod): Promise<Written> {
    if (scope.kind === 'target') {
      const answer = await targets.list(scope.target, method, downstream);
      return answer.kind === 'result' ? textOf(method, [answer.result], () => answer.result) : { listing: answer, partial: true };
    }
    gathered.delete(method);
    const { lists, missing, whole, answers } = await gatherOnce(method);
    return textOf(method, answers, () => merged(method, lists, whole ? [] : missing), !whole);
  }

  function merged(method: ListMethod, lists: readonly Items[], missing: readonly TargetId[]): Record<string, unknown> {
    const own = method === 'tools/list' ? ownTools : [];
    const names = new Set(own.map((tool) => tool['name']));
    const items = [...mergeLists(method, lists).filter((item) => !names.has(item['name'] ?? null)), ...own];
    return { [LISTS[method].member]: items, ...(missing.length > 0 && { _meta: { 'countersign/unavailable': missing } }) };
  }

  const moved = (): void => {
    turn += 1;
    recent.clear();
  };

  return {
    async list(method) {
      const last = recent.get(method);
      if (now !== undefined && last !== undefined && now() < last.until) return last.listing;
      const at = turn;
      const { listing, partial } = await keep(asked, method, () => write(method), () => false);
      if (now !== undefined && !partial && at === turn) recent.set(method, { listing, until: now() + FRESH_MS });
      return listing;
    },
    called: moved,
    knowsResources: () => gathered.has('resources/list') && gathered.has('resources/templates/list'),
    async ownersOf(uri) {
      const only = wasGivenList() ? undefined : speaker(uri);
      if (only !== undefined) return only;
      const early = ownersByKey('resources/list', partial.get('resources/list') ?? []).get(uri);
      const listed = owning(uri, early ?? ownersByKey('resources/list', (await gatherOnce('resources/list')).lists).get(uri));
      return listed ?? ownersByTemplate(uri, byTemplate((await gatherOnce('resources/templates/list')).lists));
    },
    knownOwners,
    mentioned(uri, target) {
      spokenOf.delete(uri);
      spokenOf.set(uri, target);
      for (const oldest of spokenOf.keys()) if (spokenOf.size > MENTIONED) spokenOf.delete(oldest);
        else break;
    },
    knownOwner(uri) {
      const [only, ...more] = targets.ids().filter((target) => !OWN_NAMED.includes(target));
      if (more.length === 0) return only;
      const owners = knownOwners([uri]).get(uri);
      return owners?.length === 1 ? owners[0] : undefined;
    },
    async offers(target, method, name) {
      const { lists } = await gatherOnce(method);
      return lists.some((list) => list.target === target && list.items.some((item) => item['name'] === name));
    },
    forget(what) {
      moved();
      const methods = what === 'targets' ? Object.keys(LISTS).filter(isListMethod) : DEPENDS[what];
      for (const method of methods) {
        asked.delete(method);
        gathered.delete(method);
        partial.delete(method);
        if (what === 'targets') seen.delete(method);
      }
    },
  };
}

/** Most targets give the very same list until it changes; those inside this process make theirs anew each time. */
const isSame = (one: unknown, other: unknown): boolean => one === other || (Array.isArray(one) && Array.isArray(other) && JSON.stringify(one) === JSON.stringify(other));

const byTemplate = (lists: readonly Items[]): ReadonlyMap<string, readonly TargetId[]> => ownersByKey('resources/templates/list', lists);

/** The targets with the template whose fixed beginning is the longest that fits the URI. */
function ownersByTemplate(uri: string, templates: ReadonlyMap<string, readonly TargetId[]>): readonly TargetId[] {
  let longest = 0;
  let owners: readonly TargetId[] = [];
  for (const [template, those] of templates) {
    const fixed = template.split('{', 1)[0] ?? '';
    if (fixed.length <= longest || !uri.startsWith(fixed)) continue;
    longest = fixed.length;
    owners = those;
  }
  return owners;
}

/** Shares a question with all who ask meanwhile, and keeps what it came to for later where that `stays`; a failure never does. */
function keep<K, V>(kept: Map<K, Promise<V>>, key: K, ask: () => Promise<V>, stays: (value: V) => boolean): Promise<V> {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const drop = (): void => {
    if (kept.get(key) === asked) kept.delete(key);
  };
  const asked = ask().then(
    (value) => {
      if (!stays(value)) drop();
      return value;
    },
    (fault: unknown) => {
      drop();
      throw fault;
    },
  );
  kept.set(key, asked);
  return asked;
}

/** The answer, or nothing when it takes too long. The question itself goes on. */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
