import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import { LOG_LEVELS } from '../../../shared/vocabulary/log-levels.ts';
import type { Relay } from '../../dispatch/ports.ts';
import { cannotAsk, takes } from '../mcp/relay.ts';
import type { Conversation } from './conversation.ts';
import type { Envelope } from './envelope.ts';

const PROGRESS = 'notifications/progress';

/**
 * Lets a target speak to a client of the stateless revision during its call: notifications on the stream of the request under way, log messages
 * only where the request asked for them, and questions, where the client declared it can answer them, as input it has to bring.
 */
export function createStatelessRelay(conversation: Conversation, { capabilities, logLevel }: Envelope): Relay {
  const progressToken = conversation.progressToken();
  const wanted = (method: string, params: Record<string, unknown> | undefined): boolean =>
    method !== 'notifications/message' || (logLevel !== undefined && LOG_LEVELS.indexOf(params?.['level']) >= LOG_LEVELS.indexOf(logLevel));
  return {
    ...(progressToken !== undefined && { progressToken }),
    takesForms: takes(capabilities, 'elicitation/create', { mode: 'form' }),
    takesAddresses: takes(capabilities, 'elicitation/create', { mode: 'url' }),
    notify(method, said) {
      const token = method === PROGRESS ? conversation.progressToken() : undefined;
      // Each request of a call has a token of its own, and one without hears of no progress.
      if (!wanted(method, said) || (method === PROGRESS && token === undefined)) return;
      const params = token === undefined ? said : { ...said, progressToken: token };
      conversation.exchange.notify(JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params: params as JsonObject }) }));
    },
    ask(method, params, signal, withinMs) {
      if (method === 'ping') return Promise.resolve({});
      if (!takes(capabilities, method, params)) return Promise.reject(cannotAsk());
      return conversation.ask(method, params, signal, withinMs);
    },
  };
}
