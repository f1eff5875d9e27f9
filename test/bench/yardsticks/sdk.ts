/* eslint-disable @typescript-eslint/no-deprecated -- the low-level server is what a gateway needs */
/** The plainest gateway the SDK gives: its server in front, one client behind, guard and audit on. `node sdk.ts UPSTREAM DB`, as for lean.ts. */
import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, CallToolResultSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { isTrapped, openAudit, sha256 } from './guard-audit.ts';

const [, , where = '', db = ''] = process.argv;
const audit = openAudit(db);
const upstream = new Client({ name: 'sdk', version: '1' });
const [command = '', ...args] = where.startsWith('[') ? (JSON.parse(where) as string[]) : [];
await upstream.connect((command === '' ? new StreamableHTTPClientTransport(new URL(where)) : new StdioClientTransport({ command, args })));
const { tools } = await upstream.listTools();

function makeServer(): Server {
  const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const text = JSON.stringify(params.arguments);
    if (isTrapped(text)) return { isError: true, content: [] };
    audit(params.name, sha256(text));
    return upstream.callTool({ name: params.name, arguments: params.arguments }, CallToolResultSchema);
  });
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const sessions = new Map<string, StreamableHTTPServerTransport>();
const server = http.createServer((request, response) => {
  void (async () => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    let transport = sessions.get(String(request.headers['mcp-session-id']));
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => void sessions.set(id, made), onsessionclosed: (id) => void sessions.delete(id) });
      await makeServer().connect(made);
      transport = made;
    }
    await transport.handleRequest(request, response, body);
  })();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`));
