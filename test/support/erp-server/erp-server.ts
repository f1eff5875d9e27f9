import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const ERP_TOKEN = 'token key1:secret1';

const employees = [
  { name: 'HR-EMP-00001', employee_name: 'Ada', status: 'Active', department: 'Research' },
  { name: 'HR-EMP-00002', employee_name: 'Max', status: 'Left', department: 'Sales' },
];

/** A refusal as Frappe words it: a type, a trace that nobody else should see, and messages as JSON in JSON. */
const refusal = (type: string) => ({ exc_type: type, exception: `frappe.exceptions.${type}: SECRET`, exc: '["Traceback SECRET"]', _server_messages: JSON.stringify([JSON.stringify({ message: 'SECRET' })]) });

export interface ErpOptions {
  readonly redirectTo?: string;
  /** Awaited after a request has arrived and before it is answered. */
  readonly hold?: (received: Received) => Promise<void>;
}

/**
 * A server shaped like ERPNext: resources in `{"data"}`, methods in `{"message"}`, token authentication, 417 for what does not validate; and below
 * `/odd/` everything that goes wrong. It writes down what it received.
 */
export async function startErpServer({ redirectTo = 'http://127.0.0.1:1/', hold }: ErpOptions = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { method, url, headers, body };
      received.push(one);
      const path = new URL(url, 'http://erp');
      const answer = (): void => {
        if (path.pathname.startsWith('/odd/')) odd(path, response, redirectTo);
        else if (headers.authorization !== ERP_TOKEN) json(response, 401, refusal('AuthenticationError'));
        else document(method, path, body, response);
      };
      if (hold === undefined) answer();
      else void hold(one).then(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function document(method: string, { pathname, searchParams }: URL, body: string, response: ServerResponse): void {
  const name = /^\/api\/resource\/Employee\/(.+)$/.exec(pathname)?.[1];
  if (pathname === '/api/method/ping') json(response, 200, { message: 'pong' });
  else if (pathname === '/api/resource/Employee' && method === 'GET') {
    const filters = JSON.parse(searchParams.get('filters') ?? '[]') as readonly (readonly [string, string, string])[];
    json(response, 200, { data: employees.filter((one) => filters.every(([field, , value]) => (one as Record<string, string>)[field] === value)) });
  } else if (pathname === '/api/resource/Employee' && method === 'POST') {
    const given = JSON.parse(body) as { employee_name?: string };
    if (given.employee_name === undefined) json(response, 417, refusal('MandatoryError'));
    else json(response, 200, { data: { name: 'HR-EMP-00003', ...given } });
  } else if (name !== undefined) {
    const found = employees.find((one) => one.name === decodeURIComponent(name));
    if (found === undefined) json(response, 404, refusal('DoesNotExistError'));
    else if (method === 'DELETE') json(response, 202, { message: 'ok' });
    else json(response, 200, { data: found });
  } else json(response, 404, refusal('PageDoesNotExistError'));
}

function odd({ pathname, searchParams }: URL, response: ServerResponse, redirectTo: string): void {
  const head = { 'content-type': 'application/json' };
  switch (pathname) {
    case '/odd/redirect': response.writeHead(Number(searchParams.get('status')), { location: redirectTo }).end(); return;
    case '/odd/status': json(response, Number(searchParams.get('status')), refusal('Error')); return;
    case '/odd/html': response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'); return;
    case '/odd/empty': response.writeHead(204).end(); return;
    case '/odd/large': response.writeHead(200, head).end(JSON.stringify('x'.repeat(200_000))); return;
    case '/odd/changed': response.writeHead(200, head).end('{"id":9007199254740993}'); return;
    case '/odd/twice': response.writeHead(200, head).end('{"id":1,"id":2}'); return;
    case '/odd/zipped': response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}')); return;
    case '/odd/cut': response.writeHead(200, { ...head, 'content-length': '100' }); response.write('{"a"'); setImmediate(() => response.destroy()); return;
    case '/odd/reset': response.destroy(); return;
    default: return; // hangs
  }
}
