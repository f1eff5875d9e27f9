/* eslint-disable @typescript-eslint/no-deprecated -- the low-level server is what a gateway needs */
/**
 * The upstream of every contestant, which does next to no work: `node echo.ts http|stdio TOOLS`. Over HTTP it says its port in one line on stdout.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import http, { type IncomingMessage } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [, , how = 'http', count = '2'] = process.argv;
const text = { type: 'string' as const };
const tools = [
  { name: 'echo', description: 'Gives back the text it was given.', inputSchema: { type: 'object' as const, properties: { text }, required: ['text'] } },
  { name: 'blob', description: 'Gives a text of this many bytes.', inputSchema: { type: 'object' as const, properties: { bytes: { type: 'integer' } }, required: ['bytes'] } },
  ...Array.from({ length: Math.max(Number(count) - 2, 0) }, (_, n) => ({
    name: `search_${String(n).padStart(4, '0')}`,
    description: `Searches the records of kind ${n} by a query, page by page, with an optional filter. Use it when the user asks about kind ${n}.`,
    inputSchema: { type: 'object' as const, properties: { query: { ...text, description: 'What to look for' }, limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Size of a page' }, filter: { type: 'object', properties: { field: text, value: text } } }, required: ['query'] },
  })),
];
const blobs = new Map<number, string>();
const blob = (bytes: number): string => {
  const made = blobs.get(bytes) ?? 'x'.repeat(bytes);
  blobs.set(bytes, made);
  return made;
};

function makeServer(): Server {
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }) => ({
    content: [{ type: 'text', text: name === 'blob' ? blob(Number(args['bytes'])) : String(args['text']) }],
  }));
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

if (how === 'stdio') await makeServer().connect(new StdioServerTransport());
else {
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
}
