import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A loopback port that adds a bearer token, since the suite cannot send one, and is transparent otherwise: the name in `Host` and the `Origin` go
 * on as they came, so that the gateway's own doors are what is tested, and a client that goes away takes its request with it.
 */
export async function startBearerShim(target: string, token: string) {
  const { hostname, port, pathname } = new URL(target);
  const server = http.createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const headers = { ...request.headers, host: `${host}:${port}`, authorization: `Bearer ${token}` };
    const onward = http.request({ hostname, port, path: pathname, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
