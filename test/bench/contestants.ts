import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { ENTRIES, GATEWAY_NODE_FLAGS } from '../../scripts/setup/build.mjs';
import { RULES } from './yardsticks/guard-audit.ts';

/** Somebody who answers MCP at a URL. */
export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Answers over HTTP+SSE, the transport before Streamable HTTP. */
  readonly older?: boolean;
  /** Gives the tools of its upstream longer names. */
  readonly renames?: boolean;
  /** From the start of the process to the line that says that it listens, milliseconds. */
  readonly startMs: number;
  end(): Promise<void>;
}

export const here = (name: string): string => path.join(import.meta.dirname, name);
/** The command of the upstream over stdio. */
export const stdioEcho = (tools = 2): readonly [string, ...string[]] => [process.execPath, here('echo.ts'), 'stdio', String(tools)];

/** The built product; another build can be named to be measured. */
const ENTRY = path.resolve(process.env['BENCH_ENTRY'] ?? ENTRIES.headless);

async function start(words: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<{ readonly child: ChildProcess; readonly said: Record<string, unknown>; readonly startMs: number }> {
  const began = performance.now();
  const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  for await (const line of readline.createInterface({ input: child.stdout })) return { child, said: JSON.parse(line) as Record<string, unknown>, startMs: performance.now() - began };
  throw new Error(`${words.join(' ')}: ${errors}`);
}

function contestant(name: string, { child, startMs }: { readonly child: ChildProcess; readonly startMs: number }, url: string, headers: Readonly<Record<string, string>> = {}): Contestant {
  const ended = once(child, 'exit');
  return {
    name, url, headers, startMs, pid: child.pid!,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const local = (said: Record<string, unknown>): string => `http://127.0.0.1:${Number(said['port'])}/mcp`;

export async function startEcho(name: string, tools = 2): Promise<Contestant> {
  const started = await start([process.execPath, here('echo.ts'), 'http', String(tools)]);
  return contestant(name, started, local(started.said));
}

export async function startYardstick(which: 'sdk' | 'lean', upstream: string | readonly string[], db: string): Promise<Contestant> {
  const started = await start([process.execPath, here(`yardsticks/${which}.ts`), typeof upstream === 'string' ? upstream : JSON.stringify(upstream), db]);
  return contestant(which, started, local(started.said));
}

/** The built product without a window, with a guard on every target; `at` gives a contestant for each of them, all of one process. */
export async function startProduct(folder: string, targets: Readonly<Record<string, string | readonly string[]>>): Promise<{ readonly at: (target: string, name: string) => Contestant; readonly control: Readonly<Record<string, string>> }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const guard = { preflight_pattern: `button:${RULES.join('|')}` };
  const entries = Object.entries(targets).map(([id, reach]) => [id, typeof reach === 'string' ? { url: reach, ...guard } : { command: reach[0], args: reach.slice(1), ...guard }]);
  writeFileSync(`${folder}.json`, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const started = await start([process.execPath, ...GATEWAY_NODE_FLAGS, ENTRY, '--port', '0', '--data-dir', folder, '--config', `${folder}.json`]);
  const bearer = (file: string): { readonly authorization: string } => ({ authorization: `Bearer ${readFileSync(path.join(folder, file), 'utf8').trim()}` });
  return {
    at: (target, name) => contestant(name, started, `${String(started.said['url'])}/v1/mcp-gateway/${target}/mcp`, bearer('client-token')),
    control: bearer('control-token'),
  };
}

/** Processor time of a process so far, milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process, megabytes. */
export const rssMb = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** How many processes there are under one, at any depth. */
export function descendants(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter((text) => text !== '').map(Number);
  return children.reduce((sum, child) => sum + 1 + descendants(child), 0);
}
