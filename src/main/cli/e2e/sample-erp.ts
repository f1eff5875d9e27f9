import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the sample system got it. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the sample system answers. Replaced, it becomes one with a fault. */
export type ErpConduct = (arrived: Arrived, response: ServerResponse, erp: SampleErp) => void;

export interface SampleErp {
  readonly origin: string;
  /** What arrived, first first. */
  readonly arrived: readonly Arrived[];
  /** Where `/redirect` sends to. */
  redirectTo: string;
  /** Resolves when a request for `/held` has arrived; it is answered when `release` is called. */
  readonly held: Promise<void>;
  release(): void;
  close(): Promise<void>;
}

export const ERP_TOKEN = 'token e2e-key:e2e-secret';

/** ERPNext's envelope around what was asked, for who brings the token. */
export const goodErp: ErpConduct = ({ method, url, headers, body }, response, erp) => {
  const { pathname, searchParams } = new URL(url, erp.origin);
  if (headers.authorization !== ERP_TOKEN) json(response, 401, { exc_type: 'AuthenticationError' });
  else if (pathname === '/redirect') response.writeHead(302, { location: erp.redirectTo }).end();
  else json(response, 200, { data: { method, path: pathname, version: searchParams.get('v'), body } });
};

/** Answers as JSON. */
export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** An ERP of the suite's own on a free loopback port. */
export async function startSampleErp(conduct: ErpConduct): Promise<SampleErp> {
  const arrived: Arrived[] = [];
  let isHeld = (): void => undefined;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (isHeld = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const one: Arrived = { method: request.method ?? '', url: request.url ?? '/', headers: request.headers, body: Buffer.concat(parts).toString('utf8') };
      arrived.push(one);
      if (!one.url.startsWith('/held')) {
        conduct(one, response, erp);
        return;
      }
      isHeld();
      void released.then(() => conduct(one, response, erp));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const erp: SampleErp = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    redirectTo: 'http://127.0.0.1:1/',
    held,
    release: () => release(),
    close: () =>
      new Promise((resolve) => {
        release();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return erp;
}
