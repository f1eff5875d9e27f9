import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { until, worker } from './workers/harness.ts';

/** The program of one of the reference servers. */
export const referenceServer = (name: 'everything' | 'filesystem' | 'memory' | 'postgres'): string => path.resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

/** Starts server-everything over HTTP on a free port of 127.0.0.1: Streamable HTTP at `/mcp`, or the older transport at `/sse`. */
export async function serveEverything(transport: 'streamableHttp' | 'sse'): Promise<{ readonly url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-everything-'));
  const file = path.join(folder, 'port');
  const child = spawn(process.execPath, ['--import', pathToFileURL(worker('loopback.mjs')).href, referenceServer('everything'), transport], { env: { ...process.env, PORT: '0', WORKER_PORT_FILE: file }, stdio: 'ignore' });
  await until(() => existsSync(file), 30_000);
  return {
    url: `http://127.0.0.1:${readFileSync(file, 'utf8')}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    async close() {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
