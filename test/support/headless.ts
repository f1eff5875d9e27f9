import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { dataDir, type DataDir } from '../../src/main/platform/data-dir.ts';

const SCRIPT = path.resolve('src/main/headless.ts');
/** Loading TypeScript on a busy machine takes its time. */
const PATIENCE_MS = 60_000;

export interface HeadlessOptions {
  /** The data directory; made when it is not there. */
  readonly folder: string;
  /** The `.mcp.json` of this run: the value of `mcpServers`. */
  readonly servers?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What runs the process instead of it running by itself: `['strace', '-f', …]`. */
  readonly under?: readonly string[];
  /** Another program of the same product than the one without a window. */
  readonly script?: string;
}

/** A product running as a process of its own, as `npm run gateway` runs it. */
export interface Headless {
  readonly url: string;
  /** Of the product itself, also when something else runs it. */
  readonly pid: number;
  readonly dir: DataDir;
  /** One JSON-RPC call over the REST dialect. */
  call(target: string, name: string, args: object, key?: string): Promise<{ readonly status: number; readonly json: Record<string, unknown> & { readonly params?: Record<string, unknown>; readonly error?: { readonly data: Record<string, unknown> } } }>;
  control(method: string, route: string, body?: unknown): Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;
  /** What it wrote to its terminal so far, and the events of its log in it. */
  logged(): string;
  events(): readonly string[];
  /** Ends it by a signal and waits for its end; gives its exit code, null when the signal killed it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What a process that did not come up said, and its exit code. */
export interface Refusal {
  readonly code: number | null;
  readonly said: string;
}

/** Starts the product on real disk, as its own process; gives what it said when it ends before it listens. */
export async function startHeadless({ folder, servers = {}, env = {}, under = [], script = SCRIPT }: HeadlessOptions): Promise<Headless | Refusal> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = `${folder}.mcp.json`;
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const words = [...under, process.execPath, script, '--port', '0', '--data-dir', folder, '--config', config];
  const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const url = await listening(child);
  if (url === undefined) {
    await ended;
    return { code: child.exitCode, said };
  }

  const dir = dataDir(folder, {});
  const { pid } = JSON.parse(readFileSync(dir.endpoint, 'utf8')) as { pid: number };
  const send = async <T>(method: string, route: string, token: string, body?: unknown, headers = {}): Promise<T> => {
    const response = await fetch(`${url}${route}`, {
      method,
      headers: { authorization: `Bearer ${readFileSync(token, 'utf8').trim()}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() } as T;
  };
  return {
    url, pid, dir,
    call: (target, name, args, key) =>
      send('POST', `/v1/mcp-gateway/${target}/invoke`, dir.clientToken, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, key === undefined ? {} : { 'x-idempotency-key': key }),
    control: (method, route, body) => send(method, route, dir.controlToken, body),
    logged: () => said,
    events: () => said.split('\n').flatMap((line) => (line.startsWith('{') ? [(JSON.parse(line) as { readonly event: string }).event] : [])),
    async end(signal = 'SIGTERM') {
      process.kill(pid, signal);
      await ended;
      return child.exitCode;
    },
  };
}

async function listening(child: ChildProcess): Promise<string | undefined> {
  for await (const line of readline.createInterface({ input: child.stdout!, signal: AbortSignal.timeout(PATIENCE_MS) })) {
    const told = JSON.parse(line) as { readonly event?: string; readonly url?: string };
    if (told.event === 'listening') return told.url;
  }
  return undefined;
}

/** The running product, or an error with what it said. */
export async function runningHeadless(options: HeadlessOptions): Promise<Headless> {
  const started = await startHeadless(options);
  if (!('url' in started)) throw new Error(`did not come up (${String(started.code)}): ${started.said}`);
  return started;
}
