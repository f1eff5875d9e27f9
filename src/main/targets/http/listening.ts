import { parseJsonBytes } from '../rpc/json-bytes.ts';
import type { Exchange, HttpClient } from './http-client.ts';
import { createSseParser } from './sse-parser.ts';

export interface ListeningDeps {
  readonly client: HttpClient;
  readonly url: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly eventBytes: number;
  readonly message: (value: unknown) => void;
  readonly noise: () => void;
  /** The stream was lost: what was heard so far may be out of date. */
  readonly lost: () => void;
  /** It is open again after it was lost. */
  readonly again: () => void;
}

/** The stream on which a server tells what belongs to no request (MCP 2025-11-25, transports, "Listening for messages"). */
export interface Listening {
  start(): void;
  /** Starts it; resolves when the server has taken it up or refused it, and after a while even when it has done neither. */
  heard(): Promise<void>;
  open(): boolean;
  stop(): void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Some servers say nothing on a stream, not even its head, before they have something to tell. */
const SILENCE_MS = 1_000;

export function createListening({ client, url, headers, eventBytes, message, noise, lost, again }: ListeningDeps): Listening {
  let exchange: Exchange | undefined;
  let timer: NodeJS.Timeout | undefined;
  let state: 'idle' | 'opening' | 'open' | 'waiting' | 'refused' | 'stopped' = 'idle';
  let wasOpen = false;
  let waitMs = FIRST_WAIT_MS;
  let lastEvent: string | undefined;
  let tellHeard: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => {
    tellHeard = resolve;
  });

  const open = (): void => {
    state = 'opening';
    const parser = createSseParser(eventBytes, {
      event({ data }) {
        const value = parseJsonBytes(data);
        if (value === undefined) noise();
        else message(value);
      },
      id: (id) => void (lastEvent = id),
      retry: (ms) => void (waitMs = Math.min(Math.max(ms, 100), LONGEST_WAIT_MS)),
      tooLong: () => {
        exchange?.abort();
        closed();
      },
    });
    exchange = client.send(
      { method: 'GET', url, headers: { ...headers(), accept: 'text/event-stream', ...(lastEvent === undefined ? {} : { 'last-event-id': lastEvent }) } },
      {
        head({ status, type }) {
          tellHeard();
          if (status !== 200 || type !== 'text/event-stream') {
            // 405 says that there is no such stream (and so do others); we do without it.
            exchange?.abort();
            const had = state === 'open';
            state = 'refused';
            if (had || wasOpen) lost();
            return;
          }
          state = 'open';
          if (wasOpen) again();
          wasOpen = true;
          waitMs = FIRST_WAIT_MS;
        },
        chunk: (bytes) => parser.push(bytes),
        ended: closed,
        failed: closed,
      },
    );
  };

  const closed = (): void => {
    tellHeard();
    if (state === 'stopped' || state === 'waiting') return;
    if (state === 'open') lost();
    state = 'waiting';
    timer = setTimeout(open, waitMs);
    timer.unref();
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  };

  return {
    start() {
      if (state === 'idle') open();
    },
    heard() {
      if (state === 'idle') open();
      if (state !== 'opening') return Promise.resolve();
      setTimeout(tellHeard, SILENCE_MS).unref();
      return heard;
    },
    open: () => state === 'open',
    stop() {
      state = 'stopped';
      tellHeard();
      clearTimeout(timer);
      exchange?.abort();
    },
  };
}
