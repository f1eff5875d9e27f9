import http, { type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** One request. Without `token` no Authorization header is sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the answer may take: all of it with `send`, its head with `open`. */
  readonly patienceMs: number;
}

export interface Received {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

export interface Channel {
  /** Sends over a proven connection. Throws the system's error (`ECONNREFUSED` and the like, `ETIMEDOUT` when patience ran out). */
  send(sent: Sent): Promise<Received>;
  /** The same, and hands the answer out as it comes. The next request waits until it is read to its end, or destroyed. */
  open(sent: Sent): Promise<IncomingMessage>;
  close(): void;
}

interface Needs {
  readonly port: number;
  /** Proves a connection by exchanging requests over it; throws when it cannot. */
  readonly prove: (exchange: (sent: Sent) => Promise<Received>) => Promise<void>;
}

/**
 * One kept connection to 127.0.0.1. A request goes out only on a connection over which the listener has proven itself; when that connection is
 * lost in between, the next one is proven first. So whoever takes the port over in a lull gets a question, never a token.
 */
export function openChannel({ port, prove }: Needs): Channel {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let proven: Socket | undefined;

  /** Resolves to undefined, with nothing written, when the connection at hand is not one that `may` carry it. */
  const exchange = (sent: Sent, streamed: boolean, may: (socket: Socket) => boolean): Promise<IncomingMessage | undefined> =>
    new Promise((resolve, reject) => {
      const body = sent.body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent.body) };
      const request = http.request({ host: '127.0.0.1', port, method: sent.method, path: sent.path, agent, headers: { accept: 'application/json', ...body, ...sent.headers } });
      const patience = setTimeout(() => request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })), sent.patienceMs);
      request.on('close', () => clearTimeout(patience));
      request.on('error', reject);
      request.on('socket', (socket) => {
        if (may(socket)) {
          if (sent.token !== undefined) request.setHeader('authorization', `Bearer ${sent.token}`);
          request.end(sent.body); // the head leaves only now
        } else {
          resolve(undefined);
          request.destroy();
        }
      });
      request.on('response', (response) => {
        if (streamed) clearTimeout(patience);
        resolve(response);
      });
    });

  const proveAnew = async (): Promise<void> => {
    let asked: Socket | undefined;
    await prove(async (question) => {
      const answer = await exchange(question, false, (socket) => (asked = socket) === socket);
      if (answer === undefined) throw new Error('a question may go over any connection');
      return whole(answer);
    });
    proven = asked;
  };

  const over = async (sent: Sent, streamed: boolean): Promise<IncomingMessage> => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (proven === undefined || proven.destroyed) await proveAnew();
      const answer = await exchange(sent, streamed, (socket) => socket === proven);
      if (answer !== undefined) return answer;
      proven = undefined;
    }
    throw Object.assign(new Error('the listener closes every connection'), { code: 'ECONNRESET' });
  };

  return {
    send: async (sent) => whole(await over(sent, false)),
    open: (sent) => over(sent, true),
    close: () => agent.destroy(),
  };
}

/** Reads an answer to its end. */
function whole(response: IncomingMessage): Promise<Received> {
  return new Promise((resolve, reject) => {
    response.setEncoding('utf8');
    let text = '';
    response.on('data', (part: string) => (text += part));
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? null, text }));
  });
}
