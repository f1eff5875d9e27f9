import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import { countOf, emptyList, listKind, offers, tellsChanges, wholeList } from './lists.ts';
import type { ListKind, ListMethod } from './lists.ts';
import type { RpcPeer } from './peer.ts';

/** The lists of one conversation. A list is kept only while the target is bound to tell when it changes, and until it does. */
export interface ListCache {
  /** `heard`: whether what the target tells reaches us now; if not, nothing is kept. */
  list(method: ListMethod, face: TargetFace, peer: RpcPeer, heard: boolean): Promise<Answer>;
  forget(what?: ListKind): void;
  /** How many tools the last list had. */
  tools(): number;
}

export function createListCache(deadlineMs: number): ListCache {
  const kept = new Map<ListMethod, Promise<Answer>>();
  let tools = 0;

  const ask = async (method: ListMethod, peer: RpcPeer): Promise<Answer> => {
    const answer = await wholeList(method, (paramsText) => peer.request({ method, paramsText, deadlineMs }));
    if (method === 'tools/list' && answer.kind === 'result') tools = countOf(method, answer.result);
    return answer;
  };

  return {
    async list(method, face, peer, heard) {
      if (!offers(face, method)) return emptyList(method);
      const running = kept.get(method);
      if (running !== undefined) return running;
      // Those who ask at the same time share one answer; it stays only when it is good and we shall hear of changes.
      const answer = ask(method, peer);
      kept.set(method, answer);
      const { kind } = await answer;
      if (kept.get(method) === answer && !(kind === 'result' && heard && tellsChanges(face, method))) kept.delete(method);
      return answer;
    },
    forget(what) {
      for (const method of kept.keys()) if (what === undefined || listKind(method) === what) kept.delete(method);
    },
    tools: () => tools,
  };
}
