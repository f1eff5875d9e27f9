import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDir, type DataDir } from '../../platform/data-dir.ts';
import { usageFailure } from '../failure.ts';

/** A gateway of its own on a scratch data directory, as a process; it has no window. */
export interface ScratchGateway {
  readonly dir: DataDir;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

/** Where the headless gateway lies beside the command line: built, in the sources, or in an installed app. */
const PLACES = ['./headless.js', '../headless.js', '../../headless.ts', '../resources/headless/out/main/headless.js'] as const;

/** What SQLite's driver needs; on an older one it would not even say so. */
const OLDEST_NODE = 22;
const START_MS = 60_000;
const PASSPHRASE = 'only for this scratch data directory';

/** The kept variables: no guard rule, folder or passphrase of the user's own has a part in the suite. */
const OURS = /^(FIBER_|COUNTERSIGN_|EQUINIX_|MCP_|ERP_|ERPBRIDGE_|INSECURE_AUTH_)/;

/** Starts one with these servers, and settings of its own beside the kept ones. It must be closed, whatever happens. */
export async function startScratchGateway(servers: Readonly<Record<string, unknown>>, base: NodeJS.ProcessEnv, settings: Readonly<Record<string, string>> = {}): Promise<ScratchGateway> {
  const entry = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
  if (entry === undefined) throw usageFailure('The gateway is not beside this command, so there is nothing to check; run it from a checkout, or install Countersign again.');
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) throw usageFailure(`This verb needs Node ${OLDEST_NODE} or newer, and this is ${process.versions.node}.`);
  const dir = dataDir(mkdtempSync(path.join(os.tmpdir(), 'countersign-e2e-')), {});
  const config = path.join(dir.path, 'workers.mcp.json');
  writeFileSync(config, JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  const env = { ...Object.fromEntries(Object.entries(base).filter(([name]) => !OURS.test(name))), COUNTERSIGN_PASSPHRASE: PASSPHRASE, ...settings };
  const child = spawn(process.execPath, [entry, '--data-dir', dir.path, '--port', '0', '--config', config], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const close = async (): Promise<void> => {
    await ended(child);
    rmSync(dir.path, { recursive: true, force: true });
  };
  try {
    return { dir, url: await listening(child), env, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address it says it listens on. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    const fail = (): void => reject(usageFailure(`The gateway did not start. ${err.trim().split('\n').at(-1) ?? ''}`));
    const late = setTimeout(fail, START_MS);
    child.stderr?.on('data', (part: Buffer) => (err = (err + part.toString()).slice(-4_096)));
    child.once('error', fail);
    child.once('exit', () => {
      clearTimeout(late);
      fail();
    });
    child.stdout?.on('data', (part: Buffer) => {
      out += part.toString();
      const url = /"event":"listening","url":"([^"]+)"/.exec(out)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
  });
}

const END_MS = 15_000;

/** Asks it to end, and ends it when it does not. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      resolve();
      return;
    }
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    child.once('exit', () => {
      clearTimeout(late);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** The tokens of its two doors. */
export const tokensOf = ({ clientToken, controlToken }: DataDir): { readonly client: string; readonly control: string } => ({
  client: readFileSync(clientToken, 'utf8').trim(),
  control: readFileSync(controlToken, 'utf8').trim(),
});
