import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { run } from '../../../src/main/cli/run.ts';
import type { Terminal } from '../../../src/main/cli/terminal.ts';
import { dataDir, type DataDir } from '../../../src/main/platform/data-dir.ts';
import { listenerProof } from '../../../src/main/platform/listener-proof.ts';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

export type Routes = Readonly<Record<string, Reply | ((asked: Asked) => Reply | Promise<Reply>)>>;

/** A data directory and a listener that answers the control routes as a test says, with the true proof unless `proof` says otherwise. */
export async function standIn(routes: Routes, { proof, closesAfterProof = false }: { readonly proof?: (challenge: string, port: number) => unknown; readonly closesAfterProof?: boolean } = {}) {
  const place = tempDataDir();
  const key = randomBytes(32).toString('hex');
  const token = `cs_${randomBytes(32).toString('base64url')}`;
  const asked: Asked[] = [];
  const connections = new Set<unknown>();

  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const port = (server.address() as AddressInfo).port;
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const raw = Buffer.concat(parts).toString('utf8');
      const one: Asked = {
        method: request.method ?? '', url: request.url ?? '', authorization: request.headers.authorization, contentType: request.headers['content-type'],
        body: raw === '' ? undefined : JSON.parse(raw),
      };
      asked.push(one);
      connections.add(request.socket);
      if (url.pathname === '/healthz') {
        const challenge = url.searchParams.get('challenge') ?? '';
        answer(response, { headers: closesAfterProof ? { connection: 'close' } : {}, json: { status: 'ok', proof: proof === undefined ? listenerProof(key, challenge, port) : proof(challenge, port) } });
        return;
      }
      const route = routes[`${one.method} ${url.pathname}`];
      if (one.authorization !== `Bearer ${token}`) answer(response, refusal(401, 'unauthorized', 'The bearer token is missing or not known.'));
      else if (route === undefined) answer(response, refusal(404, 'not-found', 'There is nothing at this address.'));
      else void Promise.resolve(typeof route === 'function' ? route(one) : route).then((reply) => answer(response, reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeEndpoint(place, { url: `http://127.0.0.1:${port}`, pid: process.pid, key });
  writeFileSync(place.controlToken, `${token}\n`, { mode: 0o600 });

  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  return {
    place, port, token, key, asked,
    /** The requests after the proof. */
    requests: (): readonly Asked[] => asked.filter(({ url }) => !url.startsWith('/healthz')),
    connections: () => connections.size,
    /** Ends the listener and keeps the folder. */
    stop,
    async close() {
      await stop();
      rmSync(place.path, { recursive: true, force: true });
    },
  };
}
export type StandIn = Awaited<ReturnType<typeof standIn>>;

export function tempDataDir(): DataDir {
  return dataDir(mkdtempSync(path.join(os.tmpdir(), 'countersign-cli-')), {});
}

export const writeEndpoint = (place: DataDir, content: unknown): void => writeFileSync(place.endpoint, JSON.stringify(content), { mode: 0o600 });

export const refusal = (status: number, code: string, message: string, more: Readonly<Record<string, unknown>> = {}): Reply => ({
  status, json: { jsonrpc: '2.0', id: null, error: { code: -32000, message, data: { code, next: 'Do this next.', ...more } } },
});

function answer(response: http.ServerResponse, { status = 200, headers = {}, json, text }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text ?? (json === undefined ? '' : JSON.stringify(json)));
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** How often the command paused while it waited. */
  readonly pauses: number;
  json(): unknown;
}

/** Runs the command line in this process, on a terminal whose clock moves only when the command pauses. */
export async function cli(place: DataDir, argv: readonly string[], options: { readonly onPause?: (times: number, interrupt: () => void) => void; readonly env?: NodeJS.ProcessEnv; readonly colour?: boolean; readonly wait?: () => Promise<void> } = {}): Promise<Ended> {
  let out = '';
  let err = '';
  let clock = Date.parse('2026-11-29T20:50:00.000Z');
  let pauses = 0;
  const interrupt = new AbortController();
  const terminal: Terminal = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    colour: options.colour ?? false,
    interruption: () => interrupt.signal,
    now: () => clock,
    pause: async (ms) => {
      clock += ms;
      pauses += 1;
      options.onPause?.(pauses, () => interrupt.abort());
      await options.wait?.();
    },
  };
  const code = await run([...argv, '--data-dir', place.path], terminal, options.env ?? {});
  return { code, out, err, pauses, json: () => JSON.parse(out) as unknown };
}
