import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import { countOf, emptyList, listKind, offers, tellsChanges, wholeList } from './lists.ts';
import type { ListKind, ListMethod } from './lists.ts';
import type { RpcPeer } from './peer.ts';

/**
 * The lists of one conversation. A list is kept while the target is bound to tell when it changes, and until it does. One that does not tell is asked
 * anew; only who lists again at once is given the same list.
 */
export interface ListCache {
  /** `heard`: whether what the target tells reaches us now; if not, it is as if it told nothing. */
  list(method: ListMethod, face: TargetFace, peer: RpcPeer, heard: boolean): Promise<Answer>;
  forget(what?: ListKind): void;
  /** How many tools the last list had. */
  tools(): number;
}

/** How old the list of a target that never tells of a change may be. */
const FRESH_MS = 1_000;

interface Kept {
  readonly answer: Promise<Answer>;
  /** By `now`, in milliseconds; endless while it is asked for, and where the target tells. */
  until: number;
}

export function createListCache(deadlineMs: number, now: () => number = () => performance.now()): ListCache {
  const kept = new Map<ListMethod, Kept>();
  let tools = 0;

  const ask = async (method: ListMethod, peer: RpcPeer): Promise<Answer> => {
    const answer = await wholeList(method, (paramsText) => peer.request({ method, paramsText, deadlineMs }));
    if (method === 'tools/list' && answer.kind === 'result') tools = countOf(method, answer.result);
    return answer;
  };

  return {
    async list(method, face, peer, heard) {
      if (!offers(face, method)) return emptyList(method);
      const known = kept.get(method);
      if (known !== undefined && now() < known.until) return known.answer;
      // Those who ask at the same time share one answer; it stays only when it is good.
      const asked: Kept = { answer: ask(method, peer), until: Number.POSITIVE_INFINITY };
      kept.set(method, asked);
      const { kind } = await asked.answer;
      if (kind !== 'result' && kept.get(method) === asked) kept.delete(method);
      if (!heard || !tellsChanges(face, method)) asked.until = now() + FRESH_MS;
      return asked.answer;
    },
    forget(what) {
      for (const method of kept.keys()) if (what === undefined || listKind(method) === what) kept.delete(method);
    },
    tools: () => tools,
  };
}
