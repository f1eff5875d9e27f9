import http from 'node:http';
import https from 'node:https';

export interface Sending {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineMs: number;
  readonly answerBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked once the connection stands and before the first byte is written. */
  readonly maySend?: () => boolean;
}

/** What became of one HTTP exchange. `bytes` is undefined when the body did not come whole, is too large or is encoded. */
export type Exchanged =
  | { readonly kind: 'response'; readonly status: number; readonly bytes: Buffer | undefined }
  | { readonly kind: 'unsent'; readonly why: 'unreachable' | 'held-back'; readonly note: string }
  | { readonly kind: 'lost'; readonly note: string };

/**
 * Sends one request over a connection of its own and never repeats it or follows a redirect. A connection of its own makes it certain whether
 * anything was sent: until it stands nothing was, from then on something may have been.
 */
export function exchange(origin: string, { method, target, headers, body, deadlineMs, answerBytes, signal, maySend = () => true }: Sending): Promise<Exchanged> {
  return new Promise((resolve) => {
    let sent = false;
    let response: http.IncomingMessage | undefined;
    const url = new URL(origin);
    const secure = url.protocol === 'https:';
    const request = (secure ? https : http).request({
      host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? (secure ? 443 : 80) : Number(url.port), method, path: target, agent: false,
      // No variable of the environment switches the check of the certificate off; NODE_EXTRA_CA_CERTS adds an authority.
      rejectUnauthorized: true,
      headers: { ...headers, accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }) },
    });
    const finish = (outcome: Exchanged): void => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', aborted);
      resolve(outcome);
      request.destroy();
    };
    /** No more is to come: what is known so far decides. */
    const fail = (note: string): void => {
      if (response !== undefined) finish({ kind: 'response', status: response.statusCode ?? 0, bytes: undefined });
      else finish(sent ? { kind: 'lost', note } : { kind: 'unsent', why: 'unreachable', note });
    };
    const aborted = (): void => fail('the call was cancelled');
    const deadline = setTimeout(() => fail(`no answer within ${Math.round(deadlineMs / 1_000)} s`), deadlineMs);

    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the connection failed'));
    request.on('socket', (socket) => {
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        if (!maySend()) {
          finish({ kind: 'unsent', why: 'held-back', note: 'it was held back' });
          return;
        }
        sent = true;
        request.end(body);
      });
    });
    request.on('response', (message) => {
      response = message;
      const chunks: Buffer[] = [];
      let held = 0;
      message.on('data', (chunk: Buffer) => {
        held += chunk.length;
        if (held > answerBytes) fail('the answer is too large');
        else chunks.push(chunk);
      });
      message.on('error', () => fail('the answer was cut off'));
      message.on('aborted', () => fail('the answer was cut off'));
      message.on('end', () => finish({ kind: 'response', status: message.statusCode ?? 0, bytes: message.complete && !isEncoded(message) ? Buffer.concat(chunks) : undefined }));
    });
    if (signal?.aborted === true) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

const isEncoded = ({ headers }: http.IncomingMessage): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity';
