import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Answer } from '../../shared/vocabulary/request.ts';
import type { Timers } from '../../shared/vocabulary/time.ts';
import type { BuiltInTarget, Outgoing, TargetFace } from '../dispatch/ports.ts';
import { converse } from './conversation.ts';
import type { Ask, Conversation } from './conversation.ts';
import { createBrokerServer } from './server.ts';
import type { Tool } from './tool.ts';

export interface BrokerTargetDeps {
  readonly tools: readonly Tool[];
  readonly version: string;
  /** Who answers the broker's question about a call: the approval window, or a client that is relayed to. Undefined for nobody (`unsupported_by_client`). */
  readonly askFor: (outgoing: Outgoing) => Ask | undefined;
  /** Whose call it is, where proposals are to be confirmed by their proposer only. */
  readonly ownerOf?: (outgoing: Outgoing) => string | undefined;
  readonly report: (error: unknown) => void;
  readonly timers: Timers;
}

/** How long `close` waits for a create that has left. Whoever stops the product has given calls their time before. */
const CLOSE_MS = 1_000;

/** The broker as a target inside the process. */
export interface BrokerTarget extends BuiltInTarget {
  /** Cancels what is under way and waits for it; for a create that has left a second at most: what became of it stays unknown then. */
  close(): Promise<void>;
}

const LISTS: Readonly<Record<string, string>> = { 'prompts/list': 'prompts', 'resources/list': 'resources', 'resources/templates/list': 'resourceTemplates' };

/**
 * The target `fabric`. Nothing runs until a call comes; each call has a conversation of its own with a server over the same broker. The gateway's
 * deadline does not end a call, for a human may be asked in its course: the broker's own limits do.
 */
export function createBrokerTarget({ tools, version, askFor, ownerOf = () => undefined, report, timers }: BrokerTargetDeps): BrokerTarget {
  const stopping = new AbortController();
  const running = new Set<Promise<Answer>>();
  const self: JsonObject = { name: 'countersign', version };

  const within = async <T>(outgoing: Outgoing | undefined, act: (conversation: Conversation) => Promise<T>): Promise<T> => {
    const owner = outgoing && ownerOf(outgoing);
    const broker = createBrokerServer({ tools, version, report, withCard: true, ...(owner !== undefined && { owner }) });
    broker.server.onerror = report;
    const conversation = await converse(broker, { self, ask: outgoing && askFor(outgoing), report });
    try {
      return await act(conversation);
    } finally {
      await conversation.close();
    }
  };
  let face: Promise<TargetFace> | undefined;

  return {
    call(outgoing) {
      if (stopping.signal.aborted || outgoing.signal?.aborted === true) return Promise.resolve({ kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'cancelled by the caller' });
      const signal = outgoing.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, outgoing.signal]);
      const answer = within(outgoing, (conversation) => conversation.request(outgoing.method, JSON.parse(outgoing.paramsText) as JsonObject, signal));
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    face: () => (face ??= within(undefined, ({ face: seen }) => Promise.resolve(seen))),
    list(method) {
      const member = LISTS[method];
      return member === undefined ? within(undefined, (conversation) => conversation.request(method, {})) : Promise.resolve({ kind: 'result', result: { [member]: [] } });
    },
    refresh: () => Promise.resolve(undefined),
    tell: () => undefined,
    endSession: () => undefined,
    status: () => ({ activeSandboxes: 0, state: running.size === 0 ? 'idle' : 'running', tools: tools.length, note: null, noise: 0, stderr: '' }),
    async close() {
      stopping.abort();
      let stop = (): void => undefined;
      const late = new Promise<void>((resolve) => (stop = timers.after(CLOSE_MS, resolve)));
      await Promise.race([Promise.allSettled(running), late]);
      stop();
    },
  };
}
