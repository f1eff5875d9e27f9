/** Nothing is spawned, connected, resolved or opened on behalf of a trapped call (contract, 1): seen from inside the process and from the system. */
import childProcess, { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import fs, { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runningHeadless } from '../../support/headless.ts';
import { startProduct } from '../../support/product.ts';
import { startHttpWorker } from '../../support/workers/http-worker.ts';

const COUNTED = path.resolve('test/support/workers/counted.mjs');

function aFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-no-io-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Targets of every kind that nobody has started yet; `touched` tells which were. */
async function untouchedTargets(folder: string) {
  const upstream = await startHttpWorker();
  onTestFinished(() => upstream.close());
  const journal = (name: string): string => path.join(folder, `${name}.journal`);
  const stdio = (name: string) => ({ command: process.execPath, args: [COUNTED, journal(name)], preflight_pattern: 'button:DROP' });
  return {
    servers: {
      linear: stdio('linear'),
      ephemeral: { ...stdio('ephemeral'), mode: 'ephemeral' },
      web: { url: upstream.url, preflight_pattern: 'button:DROP' },
      named: { url: 'http://nowhere.invalid/mcp', preflight_pattern: 'button:DROP' },
    },
    touched: (): readonly string[] => [...['linear', 'ephemeral'].filter((name) => existsSync(journal(name))), ...(upstream.connections() > 0 ? ['web'] : [])],
    untouch(): void {
      for (const name of ['linear', 'ephemeral']) rmSync(journal(name), { force: true });
    },
  };
}

const IDS = ['linear', 'ephemeral', 'web', 'named'] as const;
const post = (target: string, id: number) => ({
  path: `/v1/mcp-gateway/${target}/invoke`,
  body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'write_note', arguments: { text: `DROP ${target}` } } },
});

interface Sent {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly { readonly path: string; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }[];
}

/** A client in a thread of its own: what is spied on here is not what it uses. */
function aClient() {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', async ({ url, token, requests }) => {
       const answers = [];
       for (const { path, body, headers } of requests) {
         const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } });
         answers.push({ status: response.status, session: response.headers.get('mcp-session-id'), text: await response.text() });
       }
       parentPort.postMessage(answers);
     });`,
    { eval: true },
  );
  onTestFinished(async () => {
    await worker.terminate();
  });
  return async (sent: Sent): Promise<readonly { readonly status: number; readonly session: string | null; readonly text: string }[]> => {
    const answers = once(worker, 'message');
    worker.postMessage(sent);
    return ((await answers) as [[]])[0];
  };
}

/** Everything of Node's that starts, connects, resolves or opens. */
const OUTWARD: readonly (readonly [string, object, readonly string[]])[] = [
  ['child_process', childProcess, ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']],
  ['net', net, ['connect', 'createConnection']],
  ['net.Socket', net.Socket.prototype, ['connect']],
  ['tls', tls, ['connect']],
  ['http', http, ['request', 'get']],
  ['https', https, ['request', 'get']],
  ['dgram', dgram, ['createSocket']],
  ['dns', dns, ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse']],
  ['dns.promises', dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6']],
  ['globalThis', globalThis, ['fetch']],
];
const FILES: readonly (readonly [string, object, readonly string[]])[] = [
  ['fs', fs, ['open', 'openSync', 'readFile', 'readFileSync', 'writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'createReadStream', 'createWriteStream', 'stat', 'statSync', 'readdir', 'readdirSync']],
  ['fs.promises', fs.promises, ['open', 'readFile', 'writeFile', 'appendFile', 'stat', 'readdir']],
];

/** Notes every use of these functions while `work` runs. */
async function watching<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly outward: readonly string[]; readonly files: readonly string[] }> {
  const outward: string[] = [];
  const files: string[] = [];
  const spies = [...OUTWARD.map((entry) => [outward, ...entry] as const), ...FILES.map((entry) => [files, ...entry] as const)].flatMap(([notes, module, object, names]) =>
    names.map((name) => {
      const functions = object as Record<string, (...given: unknown[]) => unknown>;
      const real = functions[name]!;
      return vi.spyOn(functions, name).mockImplementation(function (this: unknown, ...given: unknown[]) {
        notes.push(`${module}.${name} ${inspect(given[0], { depth: 0 })}`);
        return real.apply(this, given);
      });
    }),
  );
  syncBuiltinESMExports();
  try {
    return { value: await work(), outward, files };
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
}

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } };
/** One trapped call for each target through MCP, each under a name that says where it goes. */
const throughMcp = (target: string, id: number, session: string) => ({
  path: '/mcp', headers: { 'mcp-session-id': session },
  body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: `${target}__write_note`, arguments: { text: `DROP ${target} by mcp` } } },
});

describe('a trapped call', () => {
  it('uses none of Node’s functions that start, connect or resolve, and opens only our own files, through REST and through MCP', async () => {
    const folder = aFolder();
    const { servers, touched, untouch } = await untouchedTargets(folder);
    const product = await startProduct({ servers });
    onTestFinished(() => product.close());
    untouch();
    const ask = aClient();
    const { url, token } = product;
    const [opened] = await ask({ url, token, requests: [{ path: '/mcp', body: initialize }] });
    expect(opened?.status).toBe(200);
    // The human's no comes at once, so that the held call is answered.
    product.composition.approvals.subscribe((handle, change) => {
      if (change === 'park' && handle.door === 'mcp') product.composition.approvals.decline({ id: handle.id, hash: null, reason: null, actor: 'window' });
    });

    const { value, outward, files } = await watching(() => ask({ url, token, requests: [...IDS.map(post), ...IDS.map((id, n) => throughMcp(id, n + 1, opened?.session ?? ''))] }));

    expect(value.slice(0, IDS.length).map(({ status }) => status)).toEqual(IDS.map(() => 202));
    for (const { text } of value.slice(IDS.length)) expect(text).toContain('A human declined this call. It was not executed.');
    expect(outward).toEqual([]);
    expect(files.filter((used) => !used.includes(product.dir.path))).toEqual([]);
    expect(files.length, 'our own files are seen, so the spies see').toBeGreaterThan(0);
    expect(touched()).toEqual([]);
  });

  it('that is safe does use them (so that the test above means something)', async () => {
    const { servers, touched } = await untouchedTargets(aFolder());
    const product = await startProduct({ servers });
    onTestFinished(() => product.close());
    const ask = aClient();
    const safe = (target: string, id: number) => ({ ...post(target, id), body: { ...post(target, id).body, params: { name: 'write_note', arguments: {} } } });
    const { outward } = await watching(() => ask({ url: product.url, token: product.token, requests: IDS.map(safe) }));
    expect(outward.map((used) => used.split(' ')[0])).toEqual(expect.arrayContaining(['child_process.spawn', 'net.Socket.connect']));
    expect(touched()).toEqual(['linear', 'ephemeral', 'web']);
  });
});

describe.skipIf(!existsSync('/usr/bin/strace'))('the system, asked by strace,', () => {
  it('is given nothing to start, connect to or open for a trapped call but our own database', async () => {
    const folder = aFolder();
    const { servers, touched, untouch } = await untouchedTargets(folder);
    const running = await runningHeadless({ folder: path.join(folder, 'data'), servers });
    onTestFinished(async () => {
      await running.end();
    });
    const ask = aClient();
    const token = readFileSync(running.dir.clientToken, 'utf8').trim();
    expect((await ask({ url: running.url, token, requests: [{ path: '/mcp', body: initialize }] }))[0]?.status).toBe(200); // what is loaded after the start is loaded now
    untouch();
    const trace = await straced(running.pid, path.join(folder, 'trace'), async () => {
      for (const id of IDS) expect((await running.call(id, 'write_note', { text: 'DROP' })).status).toBe(202);
    });
    const own = (line: string): boolean => line.includes(`"${path.join(folder, 'data')}/`);
    expect(trace.some((line) => line.includes('accept4(')), 'the calls themselves are seen').toBe(true);
    expect(trace.filter((line) => !line.includes('accept4(') && !own(line))).toEqual([]);
    expect(touched()).toEqual([]);

    const safe = await straced(running.pid, path.join(folder, 'trace-safe'), async () => {
      expect((await running.call('linear', 'write_note', { text: 'safe' })).status).toBe(200);
    });
    expect(safe.some((line) => line.includes('execve(')), 'a safe call shows, so the trace would have shown a trapped one').toBe(true);
  });
});

/** The system calls of a process and all it starts that start, connect or open something, while `work` runs. */
async function straced(pid: number, file: string, work: () => Promise<void>): Promise<readonly string[]> {
  const words = ['-f', '-qq', '-s', '400', '-e', 'trace=execve,execveat,fork,vfork,connect,socket,open,openat,openat2,creat,accept4', '-e', 'signal=none', '-o', file, '-p', String(pid)];
  const strace = spawn('strace', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(strace, 'exit');
  await vi.waitUntil(() => /^TracerPid:\s*[1-9]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')), { timeout: 10_000 });
  try {
    await work();
  } finally {
    strace.kill('SIGINT');
    await ended;
  }
  return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '' && !line.includes('resumed>'));
}
