import http, { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import { ok, refused, type Refused, type Result } from '../../../shared/result.ts';
import type { GatewayLimits } from '../ports.ts';
import { refusalText } from './answer.ts';

export interface Listener {
  /**
   * Binds 127.0.0.1 and nothing else; 0 takes any free port. A port somebody holds is refused with `port-taken`, and its holder is not spoken to; one that
   * this user may not open with `port-not-allowed`; `cannot-listen` names at `at` what else the system said.
   */
  listen(port: number): Promise<Result<{ readonly port: number }>>;
  /** Takes no more connections, lets answers under way finish for at most `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

/** Serves one request. `expectsGo` means that the client waits for a 100 before it sends the body. */
export type Serve = (request: IncomingMessage, response: ServerResponse, expectsGo: boolean) => void;

const HOST = '127.0.0.1';
const SWEEP_MS = 20;

export function createListener({ serve, limits }: { readonly serve: Serve; readonly limits: GatewayLimits }): Listener {
  const server = http.createServer({
    // An absent Host header is ours to refuse, with the status the contract names.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(5_000, limits.requestMs),
    keepAliveTimeout: limits.keepAliveMs,
    noDelay: true,
  });
  server.maxConnections = limits.connections;

  const latest = new WeakMap<Duplex, { readonly request: IncomingMessage; readonly response: ServerResponse }>();
  const take = (expectsGo: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, { request, response });
    serve(request, response, expectsGo);
  };
  server.on('request', take(false));
  server.on('checkContinue', take(true));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = latest.get(socket);
    // Where a whole request is being answered, or an answer has begun, no other may be written into it.
    const answering = last !== undefined && !last.response.writableFinished && (last.request.complete || last.response.headersSent);
    if (!socket.writable || answering) socket.destroy();
    else socket.end(plainRefusal(codeOf(error)));
  });

  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        const failed = (error: NodeJS.ErrnoException): void => {
          const refusal = refusalOf(error);
          if (refusal === undefined) reject(error);
          else resolve(refusal);
        };
        server.once('error', failed);
        server.listen({ host: HOST, port, exclusive: true }, () => {
          server.off('error', failed);
          resolve(ok({ port: (server.address() as AddressInfo).port }));
        });
      }),
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        // A kept connection becomes idle when its answer has left; nothing else tells when that is.
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
        // A server that does not listen calls back too, with an error that says just that.
        server.close(() => {
          clearTimeout(cut);
          clearInterval(sweep);
          resolve();
        });
      }),
  };
}

/** What the system says when it does not let us listen. */
export function refusalOf({ code, syscall }: NodeJS.ErrnoException): Refused | undefined {
  if (code === 'EADDRINUSE') return refused('port-taken');
  if (code === 'EACCES' || code === 'EPERM') return refused('port-not-allowed');
  return syscall === undefined || code === undefined ? undefined : refused('cannot-listen', code);
}

function codeOf({ code }: NodeJS.ErrnoException): RefusalCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request-timeout' : 'invalid-request';
}

/** An answer for a request Node could not read: there is no response object for it. */
function plainRefusal(code: RefusalCode): string {
  const body = refusalText(null, code);
  const { http: status } = refusals[code];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'Connection: close', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}
