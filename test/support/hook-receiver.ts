import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly data: Record<string, unknown> };
}

/** Receives webhooks on a loopback port; `statuses` are answered one after another, then 204. */
export async function receiveHooks(statuses: readonly number[] = [], headers: Readonly<Record<string, string>> = {}) {
  const received: Received[] = [];
  const listeners = new Set<() => void>();
  const left = [...statuses];
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (text += part));
    request.on('end', () => {
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received['body'] });
      response.writeHead(left.shift() ?? 204, headers).end();
      for (const listener of listeners) listener();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    received,
    /** Resolves when so many have come. */
    count: (wanted: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < wanted) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether a webhook was signed with this secret, read by the rules a receiver follows (Standard Webhooks). */
export function isSigned({ headers, text }: Pick<Received, 'headers' | 'text'>, secret: string): boolean {
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`).digest();
  return String(headers['webhook-signature']).split(' ').some((one) => {
    const [version, signature = ''] = one.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
