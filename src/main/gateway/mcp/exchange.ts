import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ANSWERED, refusalText, sendJson, type Answered } from '../http/answer.ts';
import type { Accepted } from './accept.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import type { Heartbeat } from './heartbeat.ts';

/**
 * One POST that waits for the answer to its request. It is answered with plain JSON as long as nothing had to be said before the answer; the
 * first notification, question or held call turns it into a stream.
 */
export interface Exchange {
  readonly id: string | number;
  /** The one answer. Later ones are dropped. `sent` is called when it was handed to the system, not when the client was gone. */
  answer(text: string, sent?: () => void): Answered;
  /** A message that belongs to the request, before its answer. False when it could not be sent. */
  notify(text: string): boolean;
  /** Shows signs of life until the answer; `beat` is called with each. */
  hold(beat: () => void): void;
  /** Ends without an answer, as a cancelled request does. A client that takes no stream is told so. */
  drop(): Answered;
  /** Calls back when the answer is over: sent, dropped, or its reader gone. */
  onOver(listener: () => void): void;
  isOver(): boolean;
}

interface Needs {
  readonly id: string | number;
  readonly response: ServerResponse;
  readonly accepted: Accepted;
  readonly heartbeat: Heartbeat;
  readonly limit: number;
  /** Further headers of the answer, asked for when it begins. */
  readonly headers: () => OutgoingHttpHeaders;
  /** The HTTP status of an answer that is plain JSON; 200 unless it is said. */
  readonly status?: (text: string) => number;
}

export function createExchange({ id, response, accepted, heartbeat, limit, headers, status = () => 200 }: Needs): Exchange {
  const listeners: (() => void)[] = [];
  let stream: EventStream | undefined;
  let beat: () => void = () => undefined;
  let over = false;
  response.once('close', () => {
    over = true;
    for (const listener of listeners) listener();
  });

  const streamed = (): EventStream | undefined => {
    if (over || !accepted.stream) return undefined;
    stream ??= openEventStream({ response, heartbeat, limit, beat: () => beat(), headers: headers() });
    return stream;
  };

  return {
    id,
    answer(text, sent) {
      if (stream === undefined && accepted.json) sendJson(response, status(text), text, headers(), sent);
      else streamed()?.end(text, sent);
      return ANSWERED;
    },
    notify: (text) => streamed()?.send(text) ?? false,
    hold(each) {
      beat = each;
      streamed();
    },
    drop() {
      if (accepted.stream) streamed()?.end(undefined);
      else sendJson(response, 200, refusalText(id, 'withdrawn'));
      return ANSWERED;
    },
    onOver(listener) {
      if (over) listener();
      else listeners.push(listener);
    },
    isOver: () => over,
  };
}
