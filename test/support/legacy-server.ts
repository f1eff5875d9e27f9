import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** A server of the older revisions, with sessions, on the official SDK and a free port of 127.0.0.1. `create` makes one for each session. */
export async function serveLegacy(create: () => McpServer): Promise<{ readonly url: string; close(): void }> {
  const open = new Map<string, StreamableHTTPServerTransport>();
  const server = http.createServer((request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? open.get(id) : undefined;
    if (known !== undefined) void known.handleRequest(request, response);
    else if (typeof id === 'string') response.writeHead(404, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    else {
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized: (session) => void open.set(session, transport), onsessionclosed: (session) => void open.delete(session) });
      void create()
        .connect(transport)
        .then(() => transport.handleRequest(request, response));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
