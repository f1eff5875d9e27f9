import http from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import type { Readable, Transform } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Head {
  readonly status: number;
  /** The media type alone, in lower case; empty when there is none. */
  readonly type: string;
  readonly header: (name: string) => string | undefined;
}

/** What becomes of one request. `head` comes at most once and first; exactly one of `ended` and `failed` comes last, unless it is aborted. */
export interface ExchangeEvents {
  readonly head: (head: Head) => void;
  /** A piece of the body, decompressed. */
  readonly chunk: (bytes: Buffer) => void;
  /** The body is whole. */
  readonly ended: () => void;
  readonly failed: (note: string) => void;
}

export interface Exchange {
  /** Whether a byte of the request may have left. */
  left(): boolean;
  /** Gives up; no event comes after it. */
  abort(): void;
}

/** Sends requests over connections that are kept. It follows no redirect, repeats nothing, and reads no more than it is let: whoever listens aborts. */
export interface HttpClient {
  send(request: HttpRequest, events: ExchangeEvents): Exchange;
  close(): void;
}

/**
 * How long an unused connection is kept. Servers commonly close theirs after 5 s; a request that goes out just then is lost and cannot be repeated,
 * so ours are closed before.
 */
const UNUSED_MS = 4_000;
const MOST_CONNECTIONS = 256;

export function createHttpClient(): HttpClient {
  const options = { keepAlive: true, timeout: UNUSED_MS, maxSockets: MOST_CONNECTIONS, scheduling: 'lifo' } as const;
  /** What a URL comes to; a target has one or two, each for all its requests. */
  const places = new WeakMap<URL, ReturnType<typeof urlToHttpOptions>>();
  const placeOf = (url: URL): ReturnType<typeof urlToHttpOptions> => {
    const known = places.get(url) ?? urlToHttpOptions(url);
    places.set(url, known);
    return known;
  };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };

  return {
    send({ method, url, headers, body }, events) {
      const secure = url.protocol === 'https:';
      const request = (secure ? https : http).request({ ...placeOf(url), agent: agents[secure ? 'https:' : 'http:'], method, headers });
      let left = false;
      let over = false;
      const finish = (how: () => void): void => {
        if (over) return;
        over = true;
        how();
      };
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', () => (left = true));
        else left = true;
      });
      request.on('error', (error) => finish(() => events.failed(said(error))));
      request.once('response', (response) => {
        if (over) return;
        events.head(headOf(response));
        const body = decoded(response, (error) => finish(() => events.failed(said(error))));
        if (body === undefined) { finish(() => events.failed('the answer is in an encoding that was not asked for')); return; }
        body.on('data', (chunk: Buffer) => {
          if (!over) events.chunk(chunk);
        });
        body.once('end', () => finish(() => (response.complete ? events.ended() : events.failed('the answer was cut off'))));
        response.once('error', (error) => finish(() => events.failed(said(error))));
        response.once('close', () => {
          if (!response.complete) finish(() => events.failed('the answer was cut off'));
        });
      });
      request.end(body);
      return {
        left: () => left,
        abort() {
          over = true;
          request.destroy();
        },
      };
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function headOf(response: http.IncomingMessage): Head {
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  return {
    status: response.statusCode ?? 0,
    type: type.trim().toLowerCase(),
    header(name) {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

const DECODERS: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };

/** The body without its encoding. We ask for none; a single common one is undone all the same, a chain of them is not. */
function decoded(response: http.IncomingMessage, failed: (error: Error) => void): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  if (decoder === undefined) return undefined;
  return pipeline(response, decoder, (error) => {
    if (error) failed(error);
  });
}

/** A failure by its code alone: messages of the network layers hold addresses and more. */
const said = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);
