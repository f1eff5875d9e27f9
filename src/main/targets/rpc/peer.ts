import type { Answer } from '../../../shared/vocabulary/request.ts';
import { withProgressToken } from '../../canonical/index.ts';
import type { Relay } from '../../dispatch/ports.ts';
import type { Log } from '../../platform/log.ts';
import { startDeadline } from './deadline.ts';
import type { Deadline } from './deadline.ts';
import { comesAgain, NOT_ASKED, notificationText, readMessage, requestText } from './messages.ts';
import type { Incoming, Params } from './messages.ts';
import { createQuestions } from './questions.ts';
import type { Asker } from './questions.ts';
import { failureOf } from './wire.ts';
import type { Failure, Ticket, Wire } from './wire.ts';

export interface PeerRequest {
  readonly method: string;
  /** Goes out as it is; only our own progress token is spliced in, and only when the relay has one. */
  readonly paramsText: string;
  readonly deadlineMs: number;
  readonly relay?: Relay | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For an HTTP transport: further headers of this request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** False for `initialize`, which must not be cancelled (MCP 2025-11-25, cancellation). */
  readonly cancellable?: boolean;
}

/** Our end of a JSON-RPC conversation with one target. Ids are our own; every request ends with an `Answer`, whatever the target does. */
export interface RpcPeer {
  request(request: PeerRequest): Promise<Answer>;
  /** Resolves when the transport has taken it, or could not. */
  notify(method: string, params?: Params): Promise<void>;
  /**
   * Takes a parsed message in. `about` is our request whose own stream brought it, where the transport tells, or `aside` when a stream brought it
   * that belongs to no request. False for noise: no JSON-RPC message, or an answer to nothing.
   */
  receive(message: unknown, about?: About): boolean;
  /** The transport is gone. What waits is settled by whether it had left; nothing is sent any more. */
  end(note: string, code?: Extract<Failure, { kind: 'fault' }>['code']): void;
  inFlight(): number;
}

export type About = number | 'aside';

export interface PeerPorts {
  readonly wire: Wire;
  readonly log: Log;
  /** Whether the transport may deliver a message again later, as a stream that is taken up again does; true unless it is said. */
  readonly redelivers?: boolean;
  /** Whether the other side asks in its answers and hands out states for what comes again; to an older one that would be a call like any other. */
  readonly inRounds?: boolean;
  /** Notifications that belong to no call: those that came while none was in flight, and all that tell who subscribed, or everybody, of a change. */
  readonly notified: (method: string, params: Params | undefined) => void;
}

interface Call extends Asker {
  readonly settle: (answer: Answer) => void;
  readonly ticket: () => Ticket | undefined;
  readonly renew: () => void;
}

/** What a change is told by. It is for others than the call that is in flight, whose stream carries nothing of it (MCP 2026-07-28, subscriptions). */
const CHANGE = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated|tasks\/status)$/;

export function createRpcPeer({ wire, log, notified, redelivers = true, inRounds = false }: PeerPorts): RpcPeer {
  const calls = new Map<number, Call>();
  let lastId = 0;
  let gone: { readonly note: string; readonly code: Extract<Failure, { kind: 'fault' }>['code'] } | undefined;
  const send = (text: string): void => void wire.send(text, { failed: ({ note }) => log.warn('target.message-lost', { note }) });
  const questions = createQuestions({ log, redelivers, reply: (text) => gone ?? send(text) });

  /** Whose message this is: the call whose stream brought it, else the latest in flight that has someone behind it. */
  const callOf = (about: About | undefined): Call | undefined => {
    if (typeof about === 'number') return calls.get(about);
    let latest: Call | undefined;
    for (const call of calls.values()) if (call.relay !== undefined) latest = call;
    return latest;
  };

  const start = (request: PeerRequest, resolve: (answer: Answer) => void): void => {
    const { method, relay, signal } = request;
    const id = (lastId += 1);
    const sent: { ticket?: Ticket } = {};
    const giveUp = (note: string, code?: Extract<Failure, { kind: 'fault' }>['code']): void => {
      const left = sent.ticket?.left() ?? false;
      settle(failureOf(left, note, code));
      if (left && request.cancellable !== false && gone === undefined) send(notificationText('notifications/cancelled', { requestId: id, reason: note }));
      sent.ticket?.abandon();
    };
    const cancelled = (): void => giveUp('cancelled by the caller');
    const deadline: Deadline = startDeadline(request.deadlineMs, () => giveUp('the deadline passed', 'upstream-timeout'));
    const call: Call = { relay, pause: () => deadline.pause(), resume: () => deadline.resume(), settle: (answer) => settle(answer), ticket: () => sent.ticket, renew: () => deadline.renew() };
    const settle = (answer: Answer): void => {
      if (!calls.delete(id)) return;
      questions.close(call);
      deadline.clear();
      signal?.removeEventListener('abort', cancelled);
      resolve(answer);
    };
    calls.set(id, call);
    signal?.addEventListener('abort', cancelled, { once: true });
    const params = relay?.progressToken === undefined ? request.paramsText : withProgressToken(request.paramsText, id);
    sent.ticket = wire.send(requestText(id, method, params), { id, failed: settle, ...(request.headers && { headers: request.headers }) });
  };

  const relayNotification = ({ method, params }: Extract<Incoming, { kind: 'notification' }>, about: About | undefined): void => {
    if (method === 'notifications/cancelled') {
      questions.withdraw(params?.['requestId']);
      return;
    }
    if (method === 'notifications/progress') {
      const token = params?.['progressToken'];
      const call = typeof token === 'number' ? calls.get(token) : undefined;
      if (call?.relay?.progressToken === undefined) return;
      call.renew();
      tell(call.relay, method, { ...params, progressToken: call.relay.progressToken });
      return;
    }
    const relay = about === 'aside' || CHANGE.test(method) ? undefined : callOf(about)?.relay;
    if (relay?.notify === undefined) notified(method, params);
    else tell(relay, method, params);
  };

  // A door that fails to pass one notification on must not take the target's other calls down with it.
  const tell = (relay: Relay, method: string, params: Params | undefined): void => {
    try {
      relay.notify?.(method, params);
    } catch (error) {
      log.error('target.notification-failed', {}, error);
    }
  };

  return {
    request(request) {
      if (gone !== undefined) return Promise.resolve(failureOf(false, gone.note, gone.code));
      if (request.signal?.aborted === true) return Promise.resolve(failureOf(false, 'cancelled by the caller'));
      if (!inRounds && comesAgain(request, ['requestState'])) return Promise.resolve(NOT_ASKED);
      return new Promise((resolve) => start(request, resolve));
    },
    notify(method, params) {
      if (gone !== undefined) return Promise.resolve();
      return new Promise((resolve) => {
        const failed = ({ note }: Failure): void => {
          log.warn('target.message-lost', { method, note });
          resolve();
        };
        wire.send(notificationText(method, params), { delivered: resolve, failed });
      });
    },
    receive(message, about) {
      const incoming = readMessage(message);
      switch (incoming.kind) {
        case 'response': {
          const call = typeof incoming.id === 'number' ? calls.get(incoming.id) : undefined;
          // On a stream of its own, only the request that opened it can be answered.
          if (call === undefined || (typeof about === 'number' && about !== incoming.id)) return false;
          call.settle(incoming.answer);
          return true;
        }
        case 'question':
          questions.ask(incoming.id, incoming.method, incoming.params, callOf(about), typeof about !== 'number' && [...calls.values()].filter(({ relay }) => relay !== undefined).length > 1);
          return true;
        case 'notification':
          relayNotification(incoming, about);
          return true;
        case 'noise':
          return false;
      }
    },
    end(note, code = 'upstream-unreachable') {
      if (gone !== undefined) return;
      gone = { note, code };
      questions.end();
      for (const call of [...calls.values()]) call.settle(failureOf(call.ticket()?.left() ?? false, note, code));
    },
    inFlight: () => calls.size,
  };
}
