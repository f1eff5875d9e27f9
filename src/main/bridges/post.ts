import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';

/** What became of one try: the status that was answered, or in a word why there was none. */
export type Posted = { readonly kind: 'answered'; readonly status: number } | { readonly kind: 'failed'; readonly note: string };

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends one JSON body on a connection of its own. It follows no redirect, repeats nothing and reads nothing of the answer but its status; nothing
 * of the environment, a proxy say, has a part in it.
 */
export function post({ url, headers, body, timeoutMs, signal }: Posting): Promise<Posted> {
  return new Promise((resolve) => {
    const { request: send } = url.startsWith('https:') ? https : http;
    const request = send({
      ...urlToHttpOptions(new URL(url)), method: 'POST', agent: false, signal,
      headers: { 'user-agent': 'countersign', 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close', ...headers },
    });
    const patience = setTimeout(() => request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })), timeoutMs);
    request.once('close', () => clearTimeout(patience));
    request.on('error', (error) => resolve({ kind: 'failed', note: 'code' in error && typeof error.code === 'string' ? error.code : error.name }));
    request.once('response', (response) => {
      resolve({ kind: 'answered', status: response.statusCode ?? 0 });
      response.destroy();
    });
    request.end(body);
  });
}
