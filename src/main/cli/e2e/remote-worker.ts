import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A JSON-RPC message as a worker got it. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

/** One tool call on its way through a remote worker. */
export interface Call {
  readonly message: Message;
  readonly session: string | undefined;
  readonly response: ServerResponse;
  readonly worker: RemoteWorker;
  /** Answers with one JSON body. */
  json(body: object, status?: number): void;
  /** Answers with a tool result of this text. */
  text(text: string): void;
}

/** What a remote worker does: its tools by name, and the session id it gives. Replaced one by one, it becomes a worker with a fault. */
export interface RemoteConduct {
  readonly tools: Readonly<Record<string, (call: Call) => void>>;
  readonly session: (count: number) => string | undefined;
  /** Texts of calls that it claims to have seen before anybody called. */
  readonly heard?: readonly string[];
}

export interface RemoteWorker {
  readonly url: string;
  /** The address of the older HTTP+SSE transport. */
  readonly olderUrl: string;
  /** The tool calls that arrived, first first. */
  readonly calls: readonly { readonly name: string; readonly session: string | undefined; readonly arguments: Readonly<Record<string, unknown>> }[];
  /** How many sessions were opened. */
  opened(): number;
  /** From now on no session is known. */
  forget(): void;
  close(): Promise<void>;
}

/** The text a call brings. */
export const textArgument = ({ params }: Message): string => (typeof params?.arguments?.['text'] === 'string' ? params.arguments['text'] : '');

const VERSION = '2025-06-18';

/** An MCP server of the suite's own on a free loopback port: Streamable HTTP at `/mcp`, HTTP+SSE of the older specification at `/sse`. */
export async function startRemoteWorker(conduct: RemoteConduct): Promise<RemoteWorker> {
  const calls: { name: string; session: string | undefined; arguments: Readonly<Record<string, unknown>> }[] = (conduct.heard ?? []).map((text) => ({ name: 'echo', session: undefined, arguments: { text } }));
  const sessions = new Set<string>();
  const streams = new Map<string, ServerResponse>();
  let count = 0;

  /** What a message is answered with; undefined when a tool answers by itself. */
  function answerTo(message: Message): object | undefined {
    switch (message.method) {
      case 'initialize':
        return { jsonrpc: '2.0', id: message.id, result: { protocolVersion: VERSION, capabilities: { tools: {} }, serverInfo: { name: 'countersign-sample', version: '1' } } };
      case 'tools/list':
        return { jsonrpc: '2.0', id: message.id, result: { tools: Object.keys(conduct.tools).map((name) => ({ name, inputSchema: { type: 'object' } })) } };
      case 'tools/call':
        return undefined;
      default:
        return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } };
    }
  }

  function note(message: Message, session: string | undefined): void {
    calls.push({ name: message.params?.name ?? '', session, arguments: message.params?.arguments ?? {} });
  }

  function streamable(request: IncomingMessage, response: ServerResponse, message: Message): void {
    const given = request.headers['mcp-session-id'];
    const session = typeof given === 'string' ? given : undefined;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method !== 'initialize' && session !== undefined && !sessions.has(session)) {
      response.writeHead(404).end();
      return;
    }
    const answer = answerTo(message);
    if (answer !== undefined) {
      const fresh = message.method === 'initialize' ? conduct.session((count += 1)) : undefined;
      if (fresh !== undefined) sessions.add(fresh);
      response.writeHead(200, { 'content-type': 'application/json', ...(fresh !== undefined && { 'mcp-session-id': fresh }) }).end(JSON.stringify(answer));
      return;
    }
    note(message, session);
    const json: Call['json'] = (body, status = 200) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const tool = conduct.tools[message.params?.name ?? ''];
    const text: Call['text'] = (said) => json({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: said }] } });
    if (tool === undefined) json({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'Unknown tool' } });
    else tool({ message, session, response, worker, json, text });
  }

  function older(response: ServerResponse, message: Message, stream: string): void {
    response.writeHead(202).end();
    if (message.id === undefined) return;
    if (message.method === 'tools/call') note(message, stream);
    const answer = answerTo(message) ?? { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: textArgument(message) }] } };
    streams.get(stream)?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  }

  function openStream(response: ServerResponse): void {
    const name = String(streams.size + 1);
    streams.set(name, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: /messages?stream=${name}\n\n`);
  }

  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'GET' && url.pathname === '/sse') {
      openStream(response);
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(parts).toString('utf8')) as Message;
      if (url.pathname === '/messages') older(response, message, url.searchParams.get('stream') ?? '');
      else streamable(request, response, message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const worker: RemoteWorker = {
    url: `http://127.0.0.1:${port}/mcp`,
    olderUrl: `http://127.0.0.1:${port}/sse`,
    calls,
    opened: () => count,
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return worker;
}
