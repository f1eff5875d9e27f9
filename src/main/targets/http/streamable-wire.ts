import type { RpcPeer } from '../rpc/peer.ts';
import { parseJsonBytes } from '../rpc/json-bytes.ts';
import { failureOf } from '../rpc/wire.ts';
import type { Failure, Outbound, Ticket, Wire } from '../rpc/wire.ts';
import { answerToContent, answerToStatus, ERROR_BYTES, FORGOTTEN, isForgotten, tooLarge } from './answers.ts';
import { createBody } from './body.ts';
import type { Exchange, ExchangeEvents, Head, HttpClient } from './http-client.ts';
import { createSseParser } from './sse-parser.ts';

export interface StreamableDeps {
  readonly client: HttpClient;
  readonly url: URL;
  /** All headers of a request, those of the session included. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly headersOfGet: () => Readonly<Record<string, string>>;
  /** Whether requests carry a session the server could forget. */
  readonly hasSession: () => boolean;
  readonly answerBytes: number;
  /** Told of the head of every 2xx answer to a POST. */
  readonly answered: (head: Head) => void;
  /** Told of every status outside of 2xx that a request was answered with. */
  readonly refused: (status: number) => void;
  readonly forgotten: () => void;
  readonly noise: () => void;
  readonly peer: () => RpcPeer;
}

/** How often a cut stream is taken up again, and how long at most we wait before. Only GETs: what was posted is never posted again. */
const MOST_RESUMES = 5;
const LONGEST_RETRY_MS = 10_000;
const FIRST_RETRY_MS = 1_000;
/** How long a server may leave a stream open after the answer it was for. */
const AFTER_ANSWER_MS = 1_000;

/** Streamable HTTP (MCP 2025-11-25, transports): every message is a POST of its own; a request's answer comes as JSON or on a stream of its own. */
export function createStreamableWire(deps: StreamableDeps): Wire {
  return {
    send: (text, about) => (about.id === undefined ? post(deps, text, about) : ask(deps, text, about.id, about)),
  };
}

/** Sends a notification or a response, to which the server has nothing to say but 202. */
function post({ client, url, headers }: StreamableDeps, text: string, { delivered, failed }: Outbound): Ticket {
  const exchange: Exchange = client.send(
    { method: 'POST', url, headers: headers(), body: text },
    {
      head({ status }) {
        if (status >= 200 && status < 300) delivered?.();
        else failed({ kind: 'fault', code: 'upstream-fault', sent: true, note: `the target answered HTTP ${status}` });
      },
      chunk: () => undefined,
      ended: () => undefined,
      failed: (note) => failed(failureOf(exchange.left(), note)),
    },
  );
  return { left: () => exchange.left(), abandon: () => exchange.abort() };
}

/** Sends a request and brings in what its answer holds. */
function ask(deps: StreamableDeps, text: string, id: number, { failed, headers: own }: Outbound): Ticket {
  const { client, url, headers, answerBytes, noise, peer } = deps;
  let exchange: Exchange;
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  let lastEvent: string | undefined;
  let retryMs = FIRST_RETRY_MS;
  let resumes = 0;

  const finish = (): void => {
    over = true;
    clearTimeout(timer);
  };
  const fail = (failure: Failure): void => {
    finish();
    exchange.abort();
    failed(failure);
  };
  /** Brings a message in; once the answer is there, the stream is left to end by itself for a while. */
  const bring = (message: unknown): void => {
    const answers = typeof message === 'object' && message !== null && !('method' in message) && 'id' in message && message.id === id;
    if (!peer().receive(message, id)) noise();
    if (!answers || over) return;
    over = true;
    timer = setTimeout(() => exchange.abort(), AFTER_ANSWER_MS);
  };
  const bringAll = (value: unknown): void => {
    if (value === undefined) noise();
    else if (Array.isArray(value)) value.slice(0, 100).forEach(bring);
    else bring(value);
  };

  /** The stream ended before the answer: it is taken up again where the server has said how, else the answer is lost. */
  const cut = (note: string): void => {
    if (over) {
      clearTimeout(timer);
      return;
    }
    if (lastEvent === undefined || resumes >= MOST_RESUMES) {
      fail(failureOf(exchange.left(), note));
      return;
    }
    resumes += 1;
    timer = setTimeout(() => {
      const resuming = { ...deps.headersOfGet(), accept: 'text/event-stream', 'last-event-id': lastEvent ?? '' };
      exchange = client.send({ method: 'GET', url, headers: resuming }, events((head) => (head.status === 200 && head.type === 'text/event-stream' ? stream() : undefined)));
    }, Math.min(retryMs, LONGEST_RETRY_MS));
  };

  const stream = (): Reader => {
    const parser = createSseParser(answerBytes, {
      event: ({ data }) => bringAll(parseJsonBytes(data)),
      id: (value) => void (lastEvent = value),
      retry: (ms) => void (retryMs = ms),
      tooLong: () => fail(tooLarge()),
    });
    return { chunk: (bytes) => parser.push(bytes), ended: () => cut('the stream ended without the answer') };
  };
  const whole = (limit: number, done: (value: unknown) => void): Reader => {
    const body = createBody(limit);
    return {
      chunk(bytes) {
        if (!body.push(bytes)) fail(tooLarge());
      },
      ended: () => done(body.json()),
    };
  };

  const readerFor = (head: Head): Reader => {
    const { status, type } = head;
    if (status >= 200 && status < 300) {
      deps.answered(head);
      if (type === 'text/event-stream') return stream();
      if (type !== 'application/json' || status === 202 || status === 204) return ignoring(() => fail(answerToContent(head)));
      return whole(answerBytes, (value) => {
        bringAll(value);
        // It was all there is, and it was no answer to this request.
        if (!over) fail(failureOf(true, value === undefined ? 'the answer is not JSON' : 'the answer is not to this request'));
        clearTimeout(timer);
      });
    }
    deps.refused(status);
    return whole(ERROR_BYTES, (body) => {
      if (!deps.hasSession() || !isForgotten(status, body)) { settleWith(answerToStatus(head, body)); return; }
      deps.forgotten();
      fail(FORGOTTEN);
    });
  };
  const settleWith = (answer: ReturnType<typeof answerToStatus>): void => {
    if (answer.kind !== 'error') { fail(answer as Failure); return; }
    finish();
    peer().receive({ jsonrpc: '2.0', id, error: answer.error }, id);
  };

  const events = (choose: (head: Head) => Reader | undefined): ExchangeEvents => {
    let reader: Reader | undefined;
    return {
      head(head) {
        reader = choose(head);
        if (reader === undefined) fail(failureOf(true, 'the stream could not be taken up again'));
      },
      chunk: (bytes) => reader?.chunk(bytes),
      ended: () => reader?.ended(),
      failed(note) {
        if (note === 'HPE_HEADER_OVERFLOW') fail(tooLarge());
        else cut(note);
      },
    };
  };

  exchange = client.send({ method: 'POST', url, headers: { ...headers(), ...own }, body: text }, events(readerFor));
  return {
    left: () => resumes > 0 || exchange.left(),
    abandon() {
      finish();
      exchange.abort();
    },
  };
}

interface Reader {
  readonly chunk: (bytes: Buffer) => void;
  readonly ended: () => void;
}

/** Reads nothing, and is done as soon as the head is there. */
function ignoring(done: () => void): Reader {
  queueMicrotask(done);
  return { chunk: () => undefined, ended: () => undefined };
}
