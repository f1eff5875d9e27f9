import { z } from 'zod';
import { refusals } from '../../../shared/refusals.ts';
import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Relay } from '../../dispatch/ports.ts';
import { refusalData } from '../http/answer.ts';
import type { Exchange } from './exchange.ts';
import type { SdkServer } from './sdk-server.ts';
import type { Sdk } from './sdk.ts';

/** A JSON-RPC error for the target that asked: the client's own, or ours where the client cannot be asked. */
export class RelayRefusal extends Error {
  override readonly name = 'RelayRefusal';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Needs {
  readonly exchange: Exchange;
  readonly server: SdkServer;
  readonly clientError: Sdk['clientError'];
  /** What the client declared when it initialized. */
  readonly capabilities: JsonObject;
  readonly progressToken: string | number | undefined;
  readonly askMs: number;
}

/** How the SDK says that its time was over, or that it was told to stop. */
const TIMED_OUT = -32001;

/** Nothing is stripped on the way back. */
const anything = z.looseObject({});

/** What a client must have declared to be asked; other methods are its own to refuse. */
const NEEDED: Readonly<Record<string, string>> = { 'sampling/createMessage': 'sampling', 'roots/list': 'roots', 'elicitation/create': 'elicitation' };

/** `elicitation: {}` means forms only; asking to open a URL must be declared by itself, and who declares URLs alone takes no forms (MCP 2025-11-25, client/elicitation). */
export function takes(capabilities: JsonObject, method: string, params: Record<string, unknown> | undefined): boolean {
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  if (needed === undefined) return true;
  const declared = capabilities[needed];
  if (!isJsonObject(declared)) return false;
  if (params?.['mode'] === 'url') return isJsonObject(declared['url']);
  return needed !== 'elicitation' || isJsonObject(declared['form']) || declared['url'] === undefined;
}

/**
 * Lets a target speak to the client on the stream of the call it is working on, and nowhere else: notifications, and questions that the client
 * declared it can answer.
 */
export function createRelay({ exchange, server, clientError, capabilities, progressToken, askMs }: Needs): Relay {
  return {
    ...(progressToken !== undefined && { progressToken }),
    takesForms: takes(capabilities, 'elicitation/create', { mode: 'form' }),
    takesAddresses: takes(capabilities, 'elicitation/create', { mode: 'url' }),
    notify(method, params) {
      exchange.notify(JSON.stringify({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }));
    },
    async ask(method, params, signal, withinMs) {
      if (method === 'ping') return {};
      if (!takes(capabilities, method, params) || exchange.isOver()) throw cannotAsk();
      const over = new AbortController();
      exchange.onOver(() => over.abort(new Error('the call is over')));
      const ended = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
      try {
        return await server.request({ method, ...(params !== undefined && { params }) }, anything, {
          relatedRequestId: exchange.id,
          timeout: Math.min(askMs, withinMs ?? askMs),
          signal: ended,
        });
      } catch (fault) {
        const own = clientError(fault);
        // Nobody answered in the time a human would have had, so the target hears what it would have heard then.
        if (withinMs !== undefined && own?.code === TIMED_OUT && !ended.aborted) return { action: 'cancel' };
        throw own === undefined ? cannotAsk() : new RelayRefusal(own.code, own.message, own.data);
      }
    },
  };
}

export const cannotAsk = (): RelayRefusal => {
  const { number, sentence } = refusals['unsupported-by-client'];
  return new RelayRefusal(number, sentence, refusalData('unsupported-by-client'));
};
