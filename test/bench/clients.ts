/* eslint-disable @typescript-eslint/no-deprecated -- some peers speak the older transport only */
import http from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Contestant } from './contestants.ts';

export const TEXT = 'The quick brown fox jumps over the lazy dog, again and again. '.repeat(4).slice(0, 200);

/** One session of an official client. */
export interface Session {
  echo(text?: string): Promise<void>;
  blob(bytes: number): Promise<void>;
  list(): Promise<number>;
  close(): Promise<void>;
}

export async function openSdk({ url, headers, older = false, renames = false }: Contestant): Promise<Session> {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(older ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const names = renames ? (await client.listTools()).tools.map(({ name }) => name) : [];
  const nameOf = (tool: string): string => names.find((name) => name.endsWith(tool)) ?? tool;
  const call = async (name: string, args: Record<string, unknown>, length: number): Promise<void> => {
    const { content } = (await client.callTool({ name: nameOf(name), arguments: args })) as { readonly content: readonly { readonly text: string }[] };
    if (content[0]?.text.length !== length) throw new Error(`${url}: not the answer of ${name}: ${JSON.stringify(content).slice(0, 300)}`);
  };
  return {
    echo: (text = TEXT) => call('echo', { text }, text.length),
    blob: (bytes) => call('blob', { bytes }, bytes),
    list: async () => (await client.listTools()).tools.length,
    close: () => client.close(),
  };
}

/** One session of a client that costs next to nothing: what is measured with it is the server. */
export interface RawSession {
  echo(): Promise<void>;
  /** Sends a call and closes the connection before its answer. */
  abandon(): void;
  end(): Promise<void>;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

export async function openRaw({ url, headers }: Pick<Contestant, 'url' | 'headers'>): Promise<RawSession> {
  const post = (body: string, session: string | undefined, method = 'POST'): Promise<{ readonly session: string | undefined; readonly text: string }> =>
    new Promise((resolve, reject) => {
      const request = http.request(url, {
        method, agent,
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'content-length': Buffer.byteLength(body), ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }) },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ session: response.headers['mcp-session-id'] as string | undefined, text: Buffer.concat(chunks).toString() }));
      });
      request.on('error', reject);
      request.end(body);
    });
  const { session } = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } } }), undefined);
  if (session === undefined) throw new Error(`${url}: no session`);
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', session);
  let last = 0;
  return {
    async echo() {
      last += 1;
      const { text } = await post(`{"jsonrpc":"2.0","id":${last},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${TEXT}"}}}`, session);
      if (!text.includes(TEXT)) throw new Error(`${url}: not the answer: ${text.slice(0, 300)}`);
    },
    abandon() {
      const text = `{"jsonrpc":"2.0","id":"left","method":"tools/call","params":{"name":"echo","arguments":{"text":"${TEXT}"}}}`;
      const request = http.request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' } });
      request.on('error', () => undefined);
      request.end(text, () => request.destroy());
    },
    async end() {
      await post('', session, 'DELETE');
    },
  };
}

/** Runs `total` calls with so many in flight; gives calls a second. */
export async function flood(call: () => Promise<void>, total: number, inFlight: number): Promise<number> {
  const began = performance.now();
  let left = total;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        await call();
      }
    }),
  );
  return total / ((performance.now() - began) / 1000);
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
