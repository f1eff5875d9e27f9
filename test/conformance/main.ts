/**
 * `npm run conformance [revision…]`: runs the required server scenarios of the conformance suite against our fixture, first directly and then
 * through the gateway with its guard and audit on, prints a table for each, and exits 1 when one falls short.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { startProduct } from '../support/product.ts';
import { startFixture } from './fixture/server.ts';
import { startBearerShim } from './shim.ts';

const REQUIRED: Readonly<Record<string, number>> = { '2025-11-25': 30, '2026-07-28': 37 };
const asked = process.argv.slice(2);
const revisions = asked.length === 0 ? Object.keys(REQUIRED) : asked;
const suite = path.join(path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')), 'dist', 'index.js');

interface Ran {
  readonly code: number;
  readonly said: string;
}

function run(url: string, revision: string): Promise<Ran> {
  const results = mkdtempSync(path.join(os.tmpdir(), 'countersign-conformance-'));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, 'server', '--url', url, '--requirements', revision, '-o', results], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: os.homedir(), NO_COLOR: '1' } });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      rmSync(results, { recursive: true, force: true });
      resolve({ code: code ?? 1, said });
    });
  });
}

/** Runs one revision and tells whether all that is required passed: by the suite's own word, and by our count of its table. */
async function holds(where: string, url: string, revision: string): Promise<boolean> {
  const { code, said } = await run(url, revision);
  const summary = said.slice(Math.max(0, said.lastIndexOf('SUMMARY')));
  const [table = '', rest = ''] = summary.split('Total:');
  const unscored = new Set([...rest.matchAll(/^\s+\S (\S+) \(/gm)].map(([, name]) => name));
  const passed = [...table.matchAll(/^✓ (\S+): /gm)].filter(([, name]) => !unscored.has(name)).length;
  const required = REQUIRED[revision] ?? Number.NaN;
  const good = code === 0 && passed === required;
  process.stdout.write(`\n== ${revision}, ${where}: ${passed} of ${required} required scenarios pass${good ? '' : ', which FALLS SHORT'}\n${summary.replace(/^SUMMARY =+/, '').trim()}\n`);
  return good;
}

const fixture = await startFixture();
// The guard judges every call, and the audit records it; nothing the suite calls is risky. Questions go to the client, which is the suite.
const product = await startProduct({ servers: { conformance: { type: 'http', url: fixture.url, preflight_pattern: 'button:\\b(DROP|DELETE|rm -rf)\\b', elicitations: 'client' } } });
const shim = await startBearerShim(`${product.url}/v1/mcp-gateway/conformance/mcp`, readFileSync(product.dir.clientToken, 'utf8').trim());
let good = true;
try {
  for (const revision of revisions) {
    good = (await holds('directly', fixture.url, revision)) && good;
    good = (await holds('through the gateway', shim.url, revision)) && good;
  }
} finally {
  await shim.close();
  await product.close();
  await fixture.close();
}
process.exitCode = good ? 0 : 1;
