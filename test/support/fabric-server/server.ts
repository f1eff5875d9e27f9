import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Body, Json } from '../../fixtures/fabric/parts.ts';
import { fabricErrors, json } from './behaviours.ts';
import type { Behaviour, Place } from './behaviours.ts';
import { collections, echoOf, entityOf } from './entities.ts';
import type { Collection } from './entities.ts';

/** One request the server took in. `body` is its text, byte for byte. */
export interface Received {
  readonly place: Place;
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

export interface FabricServer {
  readonly origin: string;
  readonly credentials: { readonly accessKey: string; readonly secretKey: string };
  readonly received: readonly Received[];
  /** What was really created, in order. */
  readonly created: readonly Body[];
  of(place: Place): readonly Received[];
  /** What to do with the next request to a place; several queue up. */
  next(place: Place, behaviour: Behaviour): void;
  /** The rate card; pages of `pageSize`. */
  prices: readonly Body[];
  pageSize: number;
  /** Resolves once so many requests have come to a place. */
  seen(place: Place, count?: number): Promise<void>;
  /** Tokens given out so far are taken no longer. */
  revokeTokens(): void;
  close(): Promise<void>;
}

const LOCK_AFTER = 5;

/** Fabric v4 and its token endpoint, as documented, on a loopback port, over TLS where a certificate is given. It counts creates and can be told to misbehave. */
export async function startFabricServer(tls?: { readonly key: string; readonly cert: string }): Promise<FabricServer> {
  const credentials = { accessKey: 'lab-access', secretKey: 'lab-secret-0123' };
  const received: Received[] = [];
  const created: Body[] = [];
  const behaviours = new Map<Place, Behaviour[]>();
  const watchers: (() => void)[] = [];
  let tokens = new Set<string>();
  let badAttempts = 0;
  let made = 0;

  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => response.destroy());
    request.on('end', () => void handle(request, response, Buffer.concat(chunks).toString('utf8')));
  };
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);

  async function handle(request: http.IncomingMessage, response: http.ServerResponse, body: string): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://lab');
    const place = placeOf(request.method ?? '', url);
    received.push({ place, method: request.method ?? '', target: request.url ?? '', body });
    for (const watcher of watchers) watcher();
    const behaviour = behaviours.get(place)?.shift();
    if (behaviour?.kind === 'answer') {
      json(response, behaviour.status, behaviour.body);
      return;
    }
    if (behaviour?.kind === 'raw') return void response.writeHead(behaviour.status, behaviour.headers ?? {}).end(behaviour.text);
    if (behaviour?.kind === 'redirect') return void response.writeHead(behaviour.status, { location: behaviour.to }).end();
    if (behaviour?.kind === 'slow') await behaviour.until;

    const [status, answer] = answerTo(place, request, url, body, behaviour?.kind === 'ignores-dry-run');
    switch (behaviour?.kind) {
      case 'silent': return;
      case 'reset': return void request.socket.resetAndDestroy();
      case 'cut': {
        const text = JSON.stringify(answer);
        response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(text.length) });
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
        return;
      }
      default: json(response, status, answer);
    }
  }

  function answerTo(place: Place, request: http.IncomingMessage, url: URL, body: string, ignoresDryRun: boolean): readonly [number, Json] {
    if (place === 'token') return grant(request, body);
    if (!tokens.has((request.headers.authorization ?? '').replace(/^Bearer /, ''))) return [401, fabricErrors.noUser];
    if (request.method === 'POST' && request.headers['content-type'] !== 'application/json') return [415, fabricErrors.mediaType];
    if (place === 'prices') return prices(JSON.parse(body) as Body);
    const [, collection = '', id] = /^\/fabric\/v4\/([A-Za-z]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (place === 'read') return read(collection, id, request.method ?? '', body);
    const { dry, real } = collections[collection as Collection];
    if (place === 'dry-run' && !ignoresDryRun) return [dry, echoOf(JSON.parse(body) as Body, api.origin)];
    made += 1;
    const entity = entityOf(collection as Collection, JSON.parse(body) as Body, `${String(made).padStart(8, '0')}-aaaa-4bbb-8ccc-000000000000`, api.origin);
    created.push(entity);
    return [real, entity];
  }

  function grant(request: http.IncomingMessage, body: string): readonly [number, Json] {
    const fault = (status: number, code: string, message: string): readonly [number, Json] => [status, { error_domain: 'apis-security', error_title: 'Invalid request', error_code: code, developer_message: message, error_message: message }];
    if (badAttempts >= LOCK_AFTER) return fault(401, '500116', 'the account is locked');
    if (request.headers['content-type'] !== 'application/json') return fault(400, '500102', 'not JSON');
    const asked = JSON.parse(body) as Body;
    if (asked['grant_type'] !== 'client_credentials' || asked['client_id'] !== credentials.accessKey || asked['client_secret'] !== credentials.secretKey) {
      badAttempts += 1;
      return fault(401, '500112', 'invalid client id or secret');
    }
    const token = `lab-token-${tokens.size + 1}-${received.length}`;
    tokens.add(token);
    return [200, { access_token: token, token_timeout: '3599', user_name: 'lab', token_type: 'Bearer' }];
  }

  function prices(asked: Body): readonly [number, Json] {
    const pagination = (asked['pagination'] ?? {}) as { readonly offset?: number; readonly limit?: number };
    const offset = pagination.offset ?? 0;
    const limit = Math.min(pagination.limit ?? api.pageSize, api.pageSize);
    return [200, { pagination: { offset, limit, total: api.prices.length }, data: api.prices.slice(offset, offset + limit) }];
  }

  function read(collection: string, id: string | undefined, method: string, body: string): readonly [number, Json] {
    const all = created.filter(({ href }) => typeof href === 'string' && href.includes(`/${collection}/`));
    if (method === 'GET' && id !== undefined) {
      const found = all.find(({ uuid }) => uuid === id);
      return found === undefined ? [404, fabricErrors.unknownUuid] : [200, found];
    }
    const asked = body === '' ? {} : (JSON.parse(body) as { readonly filter?: { readonly and?: readonly { readonly property?: string; readonly values?: readonly string[] }[] } });
    const names = asked.filter?.and?.find(({ property }) => property === '/name')?.values;
    const data = all.filter(({ name }) => names === undefined || (typeof name === 'string' && names.includes(name)));
    return [200, { pagination: { offset: 0, limit: 20, total: data.length }, data }];
  }

  const api: FabricServer = {
    origin: '', credentials, received, created, prices: [], pageSize: 100,
    of: (place) => received.filter((one) => one.place === place),
    next(place, behaviour) {
      behaviours.set(place, [...(behaviours.get(place) ?? []), behaviour]);
    },
    seen: (place, count = 1) => new Promise((resolve) => {
      const look = (): void => {
        if (received.filter((one) => one.place === place).length >= count) resolve();
      };
      watchers.push(look);
      look();
    }),
    revokeTokens: () => void (tokens = new Set()),
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(api, { origin: `http${tls === undefined ? '' : 's'}://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function placeOf(method: string, url: URL): Place {
  if (url.pathname === '/oauth2/v1/token') return 'token';
  if (url.pathname === '/fabric/v4/prices/search') return 'prices';
  if (method === 'POST' && /^\/fabric\/v4\/(connections|networks|serviceTokens)$/.test(url.pathname)) return url.searchParams.get('dryRun') === 'true' ? 'dry-run' : 'create';
  return 'read';
}
