import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';

/** One request it took in; `body` byte for byte. */
export interface Taken {
  readonly what: 'token' | 'dry-run' | 'create' | 'prices' | 'search';
  readonly target: string;
  readonly body: string;
}

/** What it does other than Fabric would. A test hands in faults and must see the suite fail. */
export interface FabricConduct {
  /** Creates although it was asked to try out only. */
  readonly ignoresDryRun?: boolean;
  /** Makes two of what it is asked to create once. */
  readonly doubles?: boolean;
  /** Cannot find what was created. */
  readonly forgets?: boolean;
  /** Answers dry runs with an error. */
  readonly refusesDryRuns?: boolean;
}

export interface SampleFabric {
  readonly origin: string;
  readonly keys: { readonly EQUINIX_ACCESS_KEY: string; readonly EQUINIX_SECRET_KEY: string };
  readonly taken: readonly Taken[];
  readonly created: readonly JsonObject[];
  /** The next create is done, and its answer lost. */
  loseNextAnswer(): void;
  /** The next dry run creates something. */
  ignoreNextDryRun(): void;
  /** The next create waits, and so does whoever asks when it has come. */
  holdNextCreate(): { readonly come: Promise<void>; readonly letGo: () => void };
  close(): Promise<void>;
}

const COLLECTION = /^\/fabric\/v4\/(connections|networks|serviceTokens)$/;

/** Equinix Fabric v4, as far as the suite needs it, on a free loopback port: tokens, dry runs, creates, one price and searches by name. */
export async function startSampleFabric(conduct: FabricConduct = {}): Promise<SampleFabric> {
  const keys = { EQUINIX_ACCESS_KEY: 'sample-access', EQUINIX_SECRET_KEY: 'sample-secret-4711' };
  const taken: Taken[] = [];
  const created: JsonObject[] = [];
  let lose = false;
  let ignore = conduct.ignoresDryRun === true;
  let hold: { readonly come: () => void; readonly until: Promise<void> } | undefined;

  const create = (body: JsonObject): JsonObject => {
    const entity = { uuid: `00000000-0000-4000-8000-${String(created.length + 1).padStart(12, '0')}`, state: 'PROVISIONING', ...body };
    created.push(entity);
    return entity;
  };

  function answerTo(what: Taken['what'], target: string, text: string): readonly [number, JsonValue] {
    const body = (text === '' ? {} : JSON.parse(text)) as JsonObject;
    switch (what) {
      case 'token':
        return body['client_id'] === keys.EQUINIX_ACCESS_KEY && body['client_secret'] === keys.EQUINIX_SECRET_KEY ? [200, { access_token: 'sample-token', token_timeout: '3599', token_type: 'Bearer' }] : [401, { error_code: '500112' }];
      case 'prices':
        return [200, { pagination: { offset: 0, limit: 100, total: 0 }, data: [] }];
      case 'search': {
        const found = conduct.forgets === true ? [] : created.filter(({ name }) => JSON.stringify(body).includes(JSON.stringify(name)));
        return [200, { pagination: { offset: 0, limit: 20, total: found.length }, data: found }];
      }
      case 'dry-run':
        if (conduct.refusesDryRuns === true) return [400, [{ errorCode: 'EQ-3036013', errorMessage: 'Invalid Query Parameter' }]];
        if (!ignore) return [target.includes('networks') ? 201 : 200, body];
        ignore = conduct.ignoresDryRun === true;
        return [201, create(body)];
      case 'create':
        if (conduct.doubles === true) create(body);
        return [201, create(body)];
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const target = request.url ?? '/';
    const what = placeOf(target);
    taken.push({ what, target, body: text });
    if (what === 'create' && hold !== undefined) {
      const { come, until } = hold;
      hold = undefined;
      come();
      await until;
    }
    const [status, body] = answerTo(what, target, text);
    if (what === 'create' && lose) {
      lose = false;
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('error', () => response.destroy());
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void handle(request, response, Buffer.concat(parts).toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys, taken, created,
    loseNextAnswer: () => (lose = true),
    ignoreNextDryRun: () => (ignore = true),
    holdNextCreate() {
      let letGo = (): void => undefined;
      const until = new Promise<void>((resolve) => (letGo = resolve));
      const come = new Promise<void>((resolve) => (hold = { come: resolve, until }));
      return { come, letGo };
    },
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

function placeOf(target: string): Taken['what'] {
  const { pathname, searchParams } = new URL(target, 'http://sample');
  if (pathname === '/oauth2/v1/token') return 'token';
  if (pathname === '/fabric/v4/prices/search') return 'prices';
  if (!COLLECTION.test(pathname)) return 'search';
  return searchParams.get('dryRun') === 'true' ? 'dry-run' : 'create';
}

/** A member of what a tool told, by its path. */
export function memberOf(told: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, name) => (isJsonObject(value) ? value[name] : undefined), told);
}

/** The same as text; nothing when it is none. */
export function textOf(told: JsonValue | undefined, ...path: readonly string[]): string {
  const value = memberOf(told, ...path);
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
