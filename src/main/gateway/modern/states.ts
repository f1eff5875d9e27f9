import type { ClientId } from '../../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { canonicalText, sha256Hex } from '../../canonical/index.ts';
import { randomToken } from '../../platform/ids.ts';
import type { Conversation } from './conversation.ts';

/** The request states given out: random, each good for one request, of one client, for the very call it was given for. */
export interface States {
  /** The one state that goes on with a conversation. Until it is used, whoever is told again is given the same, so that only one comes back with it. */
  give(client: ClientId, call: string, conversation: Conversation): string;
  /** Whether a state is one of ours rather than a target's. */
  isOurs(state: unknown): state is string;
  /** Uses a state up. Undefined when it was never given, was used, belongs to another client, or was given for another call. */
  take(state: string, client: ClientId, call: string): Conversation | undefined;
  /** The same call of the same client, when it waits for what that client's user answers. */
  waiting(client: ClientId, call: string): Conversation | undefined;
}

const PREFIX = 'countersign.';

export function createStates(): States {
  const given = new Map<string, { readonly client: ClientId; readonly call: string; readonly conversation: Conversation }>();
  /** The state each conversation was given last. */
  const latest = new Map<Conversation, string>();

  const forget = (conversation: Conversation): void => {
    given.delete(latest.get(conversation) ?? '');
    latest.delete(conversation);
  };
  return {
    give(client, call, conversation) {
      const last = latest.get(conversation);
      if (last !== undefined && given.has(last)) return last;
      const state = PREFIX + randomToken();
      given.set(state, { client, call, conversation });
      latest.set(conversation, state);
      if (last === undefined) conversation.exchange.onOver(() => forget(conversation));
      return state;
    },
    isOurs: (state): state is string => typeof state === 'string' && state.startsWith(PREFIX),
    take(state, client, call) {
      const found = given.get(state);
      // A state of somebody else, or for another call, is not used up by whoever tries it.
      if (found === undefined || found.client !== client || found.call !== call) return undefined;
      given.delete(state);
      return found.conversation;
    },
    waiting(client, call) {
      for (const one of given.values()) if (one.client === client && one.call === call && one.conversation.waitsForUser()) return one.conversation;
      return undefined;
    },
  };
}

/** What differs from one round of a call to the next. */
const OF_THE_ROUND: ReadonlySet<string> = new Set(['inputResponses', 'requestState', '_meta']);

/** What a state is bound to: where, which method, and every parameter but the answers. */
export function callDigest(where: string, method: string, params: JsonObject): string {
  const own = Object.fromEntries(Object.entries(params).filter(([name]) => !OF_THE_ROUND.has(name)));
  return sha256Hex(canonicalText({ where, method, params: own }));
}
