import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Heartbeat } from './heartbeat.ts';

/** An open `text/event-stream` answer. */
export interface EventStream {
  /** Sends one JSON-RPC message. False when the stream is gone, or its reader is so far behind that nothing more is kept for it. */
  send(text: string): boolean;
  /** Sends the last message and ends. `sent` is called when it was handed to the system. */
  end(text: string | undefined, sent?: () => void): void;
}

interface Needs {
  readonly response: ServerResponse;
  readonly heartbeat: Heartbeat;
  /** The most that may wait unsent, bytes. */
  readonly limit: number;
  /** Called with each sign of life. */
  readonly beat?: () => void;
  readonly headers?: OutgoingHttpHeaders;
}

/** Opens the stream at once: head and a first comment go out, then a comment with every heartbeat, so that no time limit on the way cuts it. */
export function openEventStream({ response, heartbeat, limit, beat, headers }: Needs): EventStream {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', ...headers });
  response.write(ALIVE);
  const stop = heartbeat.add(() => {
    if (response.writableLength < limit) response.write(ALIVE);
    beat?.();
  });
  response.once('close', stop);
  return {
    send(text) {
      if (response.writableEnded || response.destroyed || response.writableLength > limit) return false;
      response.write(event(text));
      return true;
    },
    end(text, sent) {
      stop();
      if (!response.writableEnded && !response.destroyed) response.end(text === undefined ? undefined : event(text), sent);
    },
  };
}

const ALIVE = ': alive\n\n';

/** One event. A line break inside JSON text can only stand between tokens; in an event it would end the line. */
const event = (json: string): string => `event: message\ndata: ${json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json}\n\n`;
