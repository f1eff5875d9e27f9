import { createHash } from 'node:crypto';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import { unreachable } from '../patience.ts';
import type { TargetsPorts } from '../ports.ts';
import { faceIn, isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { countOf, emptyList, isListMethod, listMethods, offers, wholeList } from '../rpc/lists.ts';
import type { ListMethod } from '../rpc/lists.ts';
import type { Sandbox, StdioTarget } from './sandbox.ts';

/** After a listing that failed, the next is not tried sooner than this. */
const AGAIN_AFTER_MS = 10_000;
/** A target that keeps changing its lists while it is listed gets this many rounds. */
const MOST_ROUNDS = 3;

interface Content {
  readonly face: TargetFace;
  readonly lists: ReadonlyMap<ListMethod, Answer>;
  readonly tools: number;
}

/** What an ephemeral target offers, as its last listing told. Reading it starts nothing, unless no listing has succeeded yet. */
export interface Catalogue {
  face(): Promise<TargetFace | Unready>;
  list(method: ListMethod): Promise<Answer>;
  /** The list as it is stored; nothing where no listing has succeeded yet. Starts nothing. */
  stored(method: ListMethod): Answer | undefined;
  /** Lists anew in a fresh sandbox and keeps the result. Those who ask meanwhile share it. */
  refresh(): Promise<Unready | undefined>;
  tools(): number;
}

export interface CatalogueDeps {
  readonly id: TargetId;
  readonly reach: StdioTarget['reach'];
  /** Starts a sandbox for listing; `changed` is called when the target says that a list has changed. */
  readonly start: (changed: () => void) => Sandbox | Unready;
  readonly ports: TargetsPorts;
  /** Called when the catalogue was filled anew. */
  readonly filled: () => void;
}

export function createCatalogue({ id, reach, start, ports: { catalogues, clock, limits, log }, filled }: CatalogueDeps): Catalogue {
  const mark = markOf(reach);
  let content = read(catalogues.catalogue(id), mark);
  let listing: Promise<Unready | undefined> | undefined;
  let failed: { readonly until: number; readonly unready: Unready } | undefined;

  const listAll = async (sandbox: Sandbox, face: TargetFace, changes: () => number): Promise<Record<string, string> | Unready> => {
    const stored: Record<string, string> = { of: mark, initialize: JSON.stringify(face) };
    for (let round = 0, seen = -1; seen !== changes() && round < MOST_ROUNDS; round += 1) {
      seen = changes();
      for (const method of listMethods) {
        if (!offers(face, method)) continue;
        const answer = await wholeList(method, (paramsText) => sandbox.peer.request({ method, paramsText, deadlineMs: limits.ownRequestMs }));
        // A capability may promise a list that has no method behind it.
        if (answer.kind === 'error' && answer.error.code === -32601) continue;
        if (answer.kind !== 'result') return answer;
        stored[method] = JSON.stringify(answer.result);
      }
    }
    return stored;
  };

  const fill = async (): Promise<Unready | undefined> => {
    let changes = 0;
    const sandbox = start(() => void (changes += 1));
    if ('kind' in sandbox) return sandbox;
    try {
      const face = await sandbox.ready;
      if (!isFace(face)) return face;
      const stored = await listAll(sandbox, face, () => changes);
      if (isUnready(stored)) return stored;
      const next = read(stored, mark);
      catalogues.keepCatalogue(id, stored, { type: 'target.listed', at: clock.now().wall, actor: 'gateway', target: id, detail: { tools: next?.tools ?? 0 } });
      content = next;
      filled();
      return undefined;
    } catch (error) {
      log.error('target.catalogue-not-kept', { target: id }, error);
      return unreachable('the catalogue could not be kept');
    } finally {
      await sandbox.end();
    }
  };

  const refresh = (): Promise<Unready | undefined> =>
    (listing ??= fill().then((unready) => {
      listing = undefined;
      failed = unready && { until: performance.now() + AGAIN_AFTER_MS, unready };
      return unready;
    }));

  const whole = async (): Promise<Content | Unready> => {
    if (content !== undefined) return content;
    if (listing === undefined && failed !== undefined && performance.now() < failed.until) return failed.unready;
    return (await refresh()) ?? content ?? unreachable('the catalogue is not there');
  };

  return {
    async face() {
      const got = await whole();
      return 'face' in got ? got.face : got;
    },
    async list(method) {
      const got = await whole();
      return 'face' in got ? (got.lists.get(method) ?? emptyList(method)) : got;
    },
    stored: (method) => content?.lists.get(method),
    refresh,
    tools: () => content?.tools ?? 0,
  };
}

/** Names what was listed: another command, folder or set of variables may offer other tools. Values of variables are not in it. */
const markOf = ({ command, args, cwd, env }: StdioTarget['reach']): string =>
  createHash('sha256').update(JSON.stringify([command, args, cwd, Object.keys(env).sort()])).digest('hex');

/** Reads a stored catalogue; one of another command, or of a shape we did not write, counts as absent and is listed anew. */
function read(stored: Readonly<Record<string, string>> | undefined, mark: string): Content | undefined {
  if (stored?.['of'] !== mark) return undefined;
  const face = faceIn(JSON.parse(stored['initialize'] ?? 'null'));
  if (face === undefined) return undefined;
  const lists = new Map<ListMethod, Answer>();
  for (const [method, text] of Object.entries(stored)) if (isListMethod(method)) lists.set(method, { kind: 'result', result: JSON.parse(text) as Record<string, unknown> });
  const tools = lists.get('tools/list');
  return { face, lists, tools: tools?.kind === 'result' ? countOf('tools/list', tools.result) : 0 };
}

const isUnready = (value: Record<string, string> | Unready): value is Unready => 'kind' in value;
