import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { here, stdioEcho, type Contestant } from './contestants.ts';

/** Other gateways of the same kind, as npm has them. They live in a folder of their own and are no dependencies of the product. */
const FOLDER = path.resolve('.runtime/peers');

/** What a peer is given: an echo server at a URL, or its command line. */
export interface Upstream {
  readonly url: string;
  readonly tools: number;
}

interface Program {
  readonly version: string;
  readonly kind: 'HTTP' | 'stdio';
  readonly words: (port: number, upstream: Upstream, folder: string) => readonly string[];
  readonly older?: boolean;
  readonly renames?: boolean;
  /** It starts processes for each session, so not many are opened. */
  readonly mostSessions?: number;
  /** Listens before it has spoken to its upstream. */
  readonly settlesMs?: number;
}

export const programs: Readonly<Record<string, Program>> = {
  'mcp-hub': {
    version: '4.2.1', kind: 'HTTP', older: true, renames: true, settlesMs: 3_000,
    words(port, { url }, folder) {
      writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ mcpServers: { echo: { url } } }));
      return ['--port', String(port), '--config', path.join(folder, 'config.json')];
    },
  },
  'mcp-proxy': {
    version: '6.7.19', kind: 'stdio',
    words: (port, { tools }) => ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--streamEndpoint', '/mcp', '--', ...stdioEcho(tools)],
  },
  supergateway: {
    version: '4.0.0', kind: 'stdio', mostSessions: 10,
    words: (port, { tools }) => ['--stdio', stdioEcho(tools).join(' '), '--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'],
  },
};

/** Installs what is not there yet: the exact version, without running any script of a package. */
export function installPeer(name: string): void {
  const { version } = programs[name]!;
  const folder = path.join(FOLDER, name);
  const manifest = path.join(folder, 'node_modules', name, 'package.json');
  if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version === version) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  process.stdout.write(`installing ${name} ${version} into ${path.relative('.', folder)} …\n`);
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--save-exact', `${name}@${version}`], { cwd: folder, stdio: 'inherit' });
}

/** Starts a peer, bound to loopback, in a process group of its own, which is what `end` ends. */
export async function startPeer(name: string, upstream: Upstream, scratch: string): Promise<Contestant> {
  const program = programs[name]!;
  const folder = path.join(scratch, `${name}-${upstream.tools}`);
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const log = openSync(path.join(folder, 'log'), 'w');
  const began = performance.now();
  const bin = path.join(FOLDER, name, 'node_modules', '.bin', name);
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, NO_COLOR: '1' };
  const child = spawn(process.execPath, ['-r', here('loopback.cjs'), bin, ...program.words(port, upstream, folder)], { cwd: folder, env, stdio: ['ignore', log, log], detached: true });
  const ended = once(child, 'exit');
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() - began > 30_000) throw new Error(`${name} does not listen:\n${readFileSync(path.join(folder, 'log'), 'utf8').slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const startMs = performance.now() - began;
  if (program.settlesMs !== undefined) await new Promise((resolve) => setTimeout(resolve, program.settlesMs));
  return {
    name, url: `http://127.0.0.1:${port}/mcp`, headers: {}, startMs, pid: child.pid!, older: program.older ?? false, renames: program.renames ?? false,
    async end() {
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
