import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON-RPC message, where there was one. */
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> } } | undefined;
  readonly text: string;
}

export interface Exchange {
  readonly seen: Seen;
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Answers with a JSON body. */
  json(value: unknown, status?: number, headers?: Record<string, string>): void;
  result(text: string): void;
  /** Begins an event stream. */
  stream(): { event(value: unknown, id?: string): void; raw(text: string): void; end(): void };
}

export interface HttpWorker {
  readonly url: string;
  readonly port: number;
  readonly seen: readonly Seen[];
  /** The calls of this tool that arrived. */
  readonly calls: (tool: string) => number;
  /** Connections that were made, and those that are open now. */
  readonly connections: () => number;
  readonly openConnections: () => number;
  readonly close: () => Promise<void>;
}

export interface HttpWorkerOptions {
  readonly host?: string;
  /** Closes a connection that nothing came on for so long. */
  readonly closesUnusedAfterMs?: number;
  /** What a tool does. */
  readonly tools?: Readonly<Record<string, (exchange: Exchange) => void>>;
  /** Looks at every request first; true when it has answered. */
  readonly first?: (exchange: Exchange) => boolean;
  readonly capabilities?: object;
  /** Gives sessions ids; without it there are none. */
  readonly sessions?: boolean;
}

/** A small MCP server over Streamable HTTP on a free loopback port, whose tools may do to the connection what they like. */
export async function startHttpWorker({ tools = {}, first = () => false, capabilities = { tools: {} }, sessions = true, host = '127.0.0.1', closesUnusedAfterMs }: HttpWorkerOptions = {}): Promise<HttpWorker> {
  const seen: Seen[] = [];
  let count = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const one: Seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, text, message: text === '' ? undefined : (JSON.parse(text) as Seen['message']) };
      seen.push(one);
      const json: Exchange['json'] = (value, status = 200, headers = {}) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(value));
      };
      const exchange: Exchange = {
        seen: one,
        response,
        socket: request.socket,
        json,
        result: (said) => json({ jsonrpc: '2.0', id: one.message?.id, result: { content: [{ type: 'text', text: said }] } }),
        stream() {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.flushHeaders();
          return {
            event: (value, id) => void response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`),
            raw: (raw) => void response.write(raw),
            end: () => void response.end(),
          };
        },
      };
      if (first(exchange)) return;
      answer(exchange);
    });
  });

  const answer = (exchange: Exchange): void => {
    const { seen: one, response, json } = exchange;
    const { message } = one;
    if (one.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    if (message?.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === 'initialize') {
      count += 1;
      json({ jsonrpc: '2.0', id: message.id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'http-worker', version: '1' } } }, 200, sessions ? { 'mcp-session-id': `session-${count}` } : {});
    } else if (message.method === 'tools/list') {
      json({ jsonrpc: '2.0', id: message.id, result: { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) } });
    } else {
      const tool = tools[message.params?.name ?? ''];
      if (tool === undefined) exchange.result(one.text);
      else tool(exchange);
    }
  };

  let made = 0;
  const connected = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    made += 1;
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
    // Told to nobody: the client must notice by itself.
    if (closesUnusedAfterMs !== undefined) socket.setTimeout(closesUnusedAfterMs, () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    connections: () => made,
    openConnections: () => connected.size,
    port,
    seen,
    calls: (tool) => seen.filter(({ message }) => message?.method === 'tools/call' && message.params?.name === tool).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
