import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';

/** A server of the stateless revision alone, on the official SDK and a free port of 127.0.0.1. */
export interface ModernServer {
  readonly url: string;
  /** The headers of each `tools/call` that reached it. */
  readonly calls: readonly http.IncomingHttpHeaders[];
  /** Every request that reached it, by method. */
  readonly requests: readonly string[];
  readonly notify: ReturnType<typeof createMcpHandler>['notify'];
  close(): void;
}

export async function serveModern(factory: McpServerFactory): Promise<ModernServer> {
  const handler = createMcpHandler(factory, { legacy: 'reject' });
  const serve = toNodeHandler(handler);
  const calls: http.IncomingHttpHeaders[] = [];
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    const method = String(request.headers['mcp-method']);
    requests.push(method);
    if (method === 'tools/call') calls.push(request.headers);
    void serve(request as Parameters<typeof serve>[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    requests,
    notify: handler.notify,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
