import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../src/main/gateway/modern/conversation.ts';
import { createStates } from '../../../src/main/gateway/modern/states.ts';
import { aClient } from '../../support/builders.ts';

const CLIENT = aClient('claude');

/** A conversation as far as its states go: whether it is over. */
function aConversation() {
  const listeners: (() => void)[] = [];
  const conversation = { exchange: { onOver: (listener: () => void) => void listeners.push(listener) }, waitsForUser: () => true } as Conversation;
  return { conversation, listeners, over: () => { for (const listener of listeners) listener(); } };
}

describe('the state of a call that goes on in a further request', () => {
  it('is one however often its client is told, and another for the next round', () => {
    const states = createStates();
    const { conversation, listeners } = aConversation();
    const seen: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const state = states.give(CLIENT, 'call', conversation);
      expect([states.give(CLIENT, 'call', conversation), states.give(CLIENT, 'call', conversation)]).toEqual([state, state]);
      expect(states.take(state, CLIENT, 'call')).toBe(conversation);
      // Whoever else was told of this round is too late, whether or not there is a next one.
      expect(states.take(state, CLIENT, 'call')).toBeUndefined();
      expect(states.waiting(CLIENT, 'call')).toBeUndefined();
      seen.push(state);
    }
    expect(new Set(seen).size).toBe(3);
    expect(listeners).toHaveLength(1);
  });

  it('counts no more once the call is over, and is no other call’s', () => {
    const states = createStates();
    const [one, other] = [aConversation(), aConversation()];
    states.take(states.give(CLIENT, 'call', one.conversation), CLIENT, 'call');
    const [state, left] = [states.give(CLIENT, 'call', one.conversation), states.give(CLIENT, 'call', other.conversation)];
    expect(left).not.toBe(state);
    one.over();
    expect(states.take(state, CLIENT, 'call')).toBeUndefined();
    expect(states.take(left, CLIENT, 'call')).toBe(other.conversation);
  });
});
