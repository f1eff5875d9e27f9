import { tooLate, unreachable } from '../patience.ts';
import { initialize, isFace } from '../rpc/handshake.ts';
import type { Unready } from '../rpc/handshake.ts';
import { parseJsonBytes } from '../rpc/json-bytes.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import { failureOf } from '../rpc/wire.ts';
import type { Failure, Wire } from '../rpc/wire.ts';
import { answerToStatus } from './answers.ts';
import type { Exchange } from './http-client.ts';
import { createSseParser } from './sse-parser.ts';
import type { Upstream, UpstreamDeps } from './upstream.ts';

/**
 * Opens a session over the older HTTP+SSE transport (MCP 2024-11-05, transports): a stream that brings everything, and an address on the same origin,
 * named by its first event, that takes what we send. When the stream breaks, the session is over and what waited is settled.
 */
export async function openOlderSse(deps: UpstreamDeps): Promise<Upstream | Unready> {
  const { client, url, limits, log, notified, noise } = deps;
  const headers = { 'user-agent': 'countersign', ...deps.headers, 'accept-encoding': 'identity' };
  let endpoint: URL | undefined;
  let usable = true;
  let stream: Exchange | undefined;

  const gone = (note: string, code?: 'upstream-too-large'): void => {
    if (!usable) return;
    usable = false;
    stream?.abort();
    peer.end(note, code);
  };

  const wire: Wire = {
    send(text, { delivered, failed }) {
      if (endpoint === undefined) throw new Error('sent before the endpoint was known');
      const exchange: Exchange = client.send(
        { method: 'POST', url: endpoint, headers: { ...headers, 'content-type': 'application/json' }, body: text },
        {
          head({ status }) {
            if (status >= 200 && status < 300) delivered?.();
            else failed(refusal(status));
          },
          chunk: () => undefined,
          ended: () => undefined,
          failed: (note) => failed(failureOf(exchange.left(), note)),
        },
      );
      return { left: () => exchange.left(), abandon: () => exchange.abort() };
    },
  };
  const peer = createRpcPeer({ wire, log, notified });

  const opened = await new Promise<Unready | undefined>((resolve) => {
    const timer = setTimeout(() => {
      gone('the stream did not name its endpoint in time');
      resolve(tooLate('the stream did not name its endpoint in time'));
    }, limits.startMs);
    const settle = (unready: Unready | undefined): void => {
      clearTimeout(timer);
      if (unready !== undefined) gone(noteOf(unready));
      resolve(unready);
    };
    const parser = createSseParser(limits.answerBytes, {
      event({ event, data }) {
        if (event === 'endpoint') {
          const named = endpointAt(url, Buffer.from(data).toString('utf8'));
          if (endpoint !== undefined) return;
          endpoint = named;
          settle(named === undefined ? unreachable('the endpoint the stream named is on another origin, or is none') : undefined);
          return;
        }
        if (event !== 'message') return;
        const value = parseJsonBytes(data);
        if (value === undefined || !peer.receive(value)) noise();
      },
      id: () => undefined,
      retry: () => undefined,
      tooLong: () => gone('an event was larger than the limit', 'upstream-too-large'),
    });
    const over = (note: string): void => {
      gone(note);
      settle(unreachable(note));
    };
    stream = client.send(
      { method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } },
      {
        head(head) {
          if (head.status !== 200 || head.type !== 'text/event-stream') settle(notSent(refusal(head.status === 200 ? 0 : head.status)));
        },
        chunk: (bytes) => parser.push(bytes),
        ended: () => over('the stream ended'),
        failed: over,
      },
    );
  });
  if (opened !== undefined) return opened;

  const face = await initialize(peer, deps.introduction, limits.startMs);
  if (!isFace(face)) {
    gone('the handshake failed');
    return face;
  }
  return {
    peer,
    face,
    usable: () => usable,
    // Everything comes on the one stream already.
    listen: () => undefined,
    heard: () => usable,
    close() {
      gone('the session was ended');
      return Promise.resolve();
    },
  };
}

/** The address messages are posted to: relative or absolute, on the stream's own origin and nowhere else. */
function endpointAt(stream: URL, text: string): URL | undefined {
  if (!URL.canParse(text.trim(), stream.href)) return undefined;
  const endpoint = new URL(text.trim(), stream);
  return endpoint.origin === stream.origin && endpoint.username === '' && endpoint.password === '' ? endpoint : undefined;
}

function refusal(status: number): Failure {
  const answer = answerToStatus({ status }, undefined);
  return answer.kind === 'fault' ? answer : { kind: 'fault', code: 'upstream-fault', sent: true, note: 'the target did not answer with an event stream' };
}

/** Nothing of a call was in it: the stream itself was refused. */
const notSent = (failure: Failure): Unready => (failure.kind === 'fault' ? { ...failure, sent: false } : failure);
const noteOf = (unready: Unready): string => (unready.kind === 'error' ? unready.error.message : unready.note);
