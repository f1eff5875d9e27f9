import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { RpcId } from '../http/answer.ts';
import type { Exchange } from './exchange.ts';

/** The SDK's side of a session: what it sends finds the POST it belongs to, or the session's own stream. */
export interface SessionTransport extends Transport {
  /** Hands the SDK a message of the client. */
  deliver(message: JSONRPCMessage): void;
}

interface Needs {
  /** The POST under way for a request id. */
  readonly exchangeOf: (id: RpcId) => Exchange | undefined;
  /** Sends on the session's stream; false when none is open. */
  readonly broadcast: (text: string) => boolean;
}

/**
 * An SDK transport over our own HTTP front. Each message goes out on exactly one stream: a response on the POST of its request, a question on the
 * POST of the call it is asked for (MCP 2025-11-25, basic/transports).
 */
export function createTransport({ exchangeOf, broadcast }: Needs): SessionTransport {
  const transport: SessionTransport = {
    start: () => Promise.resolve(),
    send(message, options) {
      const text = JSON.stringify(message);
      const isResponse = !('method' in message);
      const id = isResponse ? message.id : options?.relatedRequestId;
      if (id === undefined) return broadcast(text) ? Promise.resolve() : Promise.reject(new Error('no stream is open'));
      const exchange = exchangeOf(id);
      if (exchange === undefined) return Promise.reject(new Error('the request is over'));
      if (isResponse) exchange.answer(text);
      else if (!exchange.notify(text)) return Promise.reject(new Error('the client takes no stream for this request'));
      return Promise.resolve();
    },
    close() {
      transport.onclose?.();
      return Promise.resolve();
    },
    deliver(message) {
      transport.onmessage?.(message);
    },
  };
  return transport;
}
