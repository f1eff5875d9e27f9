import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const PETSTORE_KEY = 'special-key';

/**
 * A server shaped like the pet store of OpenAPI's own examples, at the paths, with the key's header and the answers its document describes: a pet by
 * id, a pet removed with an empty answer, and errors in JSON.
 */
export async function startPetstore() {
  const received: { readonly method: string; readonly url: string; readonly reason: string | undefined; readonly key: string | undefined }[] = [];
  const pets = new Map([[7, { id: 7, name: 'doggie', photoUrls: [], status: 'available' }]]);
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const text = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join() : value);
    received.push({ method, url, reason: text(headers['x-reason']), key: text(headers['api_key']) });
    const id = Number(/^\/api\/v3\/pet\/([0-9]+)$/.exec(url)?.[1]);
    const pet = pets.get(id);
    const json = (status: number, value: unknown): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (Number.isNaN(id)) json(404, { code: 404, message: 'no such address' });
    else if (method === 'DELETE' && headers['api_key'] !== PETSTORE_KEY) json(401, { code: 401, message: 'no key' });
    else if (pet === undefined) json(404, { code: 404, message: 'Pet not found' });
    else if (method === 'GET') json(200, pet);
    else {
      pets.delete(id);
      response.writeHead(200).end();
    }
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
