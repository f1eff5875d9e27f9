/**
 * How little a gateway on Node can cost: plain node:http or a pipe behind, plain node:http in front, every message parsed once, lists kept as text,
 * guard and audit on. `node lean.ts UPSTREAM DB`, where UPSTREAM is a URL or the JSON array of a command line.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import readline from 'node:readline';
import { isTrapped, openAudit, sha256 } from './guard-audit.ts';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly protocolVersion?: string };
  readonly result?: unknown;
}

const [, , where = '', db = ''] = process.argv;
const audit = openAudit(db);
const send = where.startsWith('[') ? overPipe(JSON.parse(where) as string[]) : overHttp(new URL(where));
let last = 0;
const request = (method: string, params: unknown): Promise<Message> => {
  last += 1;
  return send({ jsonrpc: '2.0', id: last, method, params }, last) as Promise<Message>;
};
await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'lean', version: '1' } });
await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, undefined);
const list = JSON.stringify((await request('tools/list', {})).result);

const sessions = new Set<string>();
const server = http.createServer((incoming, response) => {
  const session = String(incoming.headers['mcp-session-id']);
  if (incoming.method !== 'POST') {
    if (incoming.method === 'DELETE') sessions.delete(session);
    response.writeHead(incoming.method === 'DELETE' ? 200 : 405).end();
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const say = (text: string, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers });
      response.end(text);
    };
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    const id = JSON.stringify(message.id);
    if (message.method === 'initialize') {
      const made = randomUUID();
      sessions.add(made);
      say(`{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"${String(message.params?.protocolVersion)}","capabilities":{"tools":{}},"serverInfo":{"name":"lean","version":"1"}}}`, { 'mcp-session-id': made });
    } else if (!sessions.has(session)) response.writeHead(404).end();
    else if (message.id === undefined) response.writeHead(202).end();
    else if (message.method === 'tools/list') say(`{"jsonrpc":"2.0","id":${id},"result":${list}}`);
    else {
      const { name = '', arguments: args } = message.params ?? {};
      const text = JSON.stringify(args);
      if (isTrapped(text)) say(`{"jsonrpc":"2.0","id":${id},"result":{"isError":true,"content":[]}}`);
      else {
        audit(name, sha256(text));
        void request('tools/call', message.params).then((answer) => say(JSON.stringify({ ...answer, id: message.id })));
      }
    }
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`));

type Send = (message: object, id: number | undefined) => Promise<Message | undefined>;

function overHttp(url: URL): Send {
  const agent = new http.Agent({ keepAlive: true });
  let session: string | undefined;
  return (message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const outgoing = http.request(url, {
        method: 'POST', agent,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'content-length': Buffer.byteLength(body), ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }) },
      }, (answer) => {
        const chunks: Buffer[] = [];
        session = (answer.headers['mcp-session-id'] as string | undefined) ?? session;
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const data = answer.headers['content-type'] === 'text/event-stream' ? text.slice(text.indexOf('data: ') + 6) : text;
          resolve(data === '' ? undefined : (JSON.parse(data) as Message));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

function overPipe([command = '', ...args]: readonly string[]): Send {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<unknown, (message: Message) => void>();
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  return (message, id) =>
    new Promise((resolve) => {
      if (id === undefined) resolve(undefined);
      else waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
}
