import http from 'node:http';
import https from 'node:https';
import { readStrict } from '../canonical/index.ts';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { Connector, ConnectorAnswer, OutgoingRequest } from '../registry/ports.ts';

export interface ConnectorOptions {
  /** From the first step to the last byte of the answer. */
  readonly deadlineMs?: number;
  /** The largest answer that is taken, in bytes. */
  readonly answerBytes?: number;
}

/**
 * Sends the compiled request of a declarative HTTP tool (document 002, effective origin binding): once, over a connection of its own, to an approved
 * origin or not at all. A redirect is an answer; it is never followed. A connection of its own makes it certain whether anything was sent: until it
 * stands nothing was, from then on something may have been, and then nothing is ever repeated.
 */
export function createHttpConnector({ deadlineMs = 15_000, answerBytes = 4 * 1024 * 1024 }: ConnectorOptions = {}): Connector {
  return {
    send: (request) => (request.approvedOrigins.includes(request.url.origin) ? exchange(request, deadlineMs, answerBytes) : Promise.resolve({ kind: 'broken', sent: false })),
  };
}

function exchange({ method, url, headers, bodyText }: OutgoingRequest, deadlineMs: number, answerBytes: number): Promise<ConnectorAnswer> {
  return new Promise((resolve) => {
    let sent = false;
    const secure = url.protocol === 'https:';
    const length = bodyText === null ? {} : { 'content-length': String(Buffer.byteLength(bodyText)) };
    const request = (secure ? https : http).request(url, { method, agent: false, headers: { ...headers, ...length, 'accept-encoding': 'identity' } });
    const finish = (answer: ConnectorAnswer): void => {
      clearTimeout(deadline);
      resolve(answer);
      request.destroy();
    };
    const broken = (): void => finish({ kind: 'broken', sent });
    const deadline = setTimeout(() => finish({ kind: 'timed-out', sent }), deadlineMs);

    request.on('error', broken);
    request.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        sent = true;
        request.end(bodyText ?? undefined);
      });
    });
    request.on('response', (message) => {
      const chunks: Buffer[] = [];
      let held = 0;
      message.on('data', (chunk: Buffer) => {
        held += chunk.length;
        if (held > answerBytes) broken();
        else chunks.push(chunk);
      });
      message.on('error', broken);
      message.on('end', () => {
        if (message.complete) finish({ kind: 'answered', status: message.statusCode ?? 0, body: bodyOf(message, Buffer.concat(chunks)) });
        else broken();
      });
    });
  });
}

/** The JSON of an answer; null when it is empty, undefined when it is no JSON or says so itself. Read strictly: a number that would change is no answer. */
function bodyOf({ headers }: http.IncomingMessage, bytes: Buffer): JsonValue | undefined {
  if (bytes.length === 0) return null;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity' || !/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(headers['content-type'] ?? '')) return undefined;
  const read = readStrict(bytes);
  return read.ok ? read.value : undefined;
}
