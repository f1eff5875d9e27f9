import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { compose, type Composition } from '../../../src/main/compose.ts';
import { dataDir, type DataDir } from '../../../src/main/platform/data-dir.ts';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { cli } from './stand-in.ts';

/** The product's own composition, with a window or without, and the command line talking to it. */
let running: Composition | undefined;
let place: DataDir | undefined;
afterEach(async () => {
  await running?.stop();
  if (place !== undefined) rmSync(place.path, { recursive: true, force: true });
  running = place = undefined;
});

const keyring = { name: 'test', encrypt: (text: string) => Buffer.from(text).map((byte) => byte ^ 0x5a), decrypt: (sealed: Uint8Array) => Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString() };

async function started({ window = false } = {}): Promise<DataDir> {
  const dir = (place ??= dataDir(mkdtempSync(path.join(os.tmpdir(), 'countersign-real-')), {}));
  const composed = await compose({
    dir, flags: { dataDir: dir.path, port: 0, config: undefined, preflight: undefined }, env: { PATH: process.env['PATH'] }, version: '0.1.0', writeLog: () => undefined,
    ...(window && { desktop: { keyring: { keyring } } }),
  });
  if (!composed.ok) throw new Error(composed.fault.sentence);
  const up = await composed.composition.start();
  if (!up.ok) throw new Error(up.fault.sentence);
  running = composed.composition;
  return dir;
}

/** A click on the only item of the queue. */
function click(): Handle {
  const [handle] = running?.approvals.queue() ?? [];
  if (running === undefined || handle === undefined) throw new Error('nothing waits');
  const approved = running.approvals.approve({ id: handle.id, hash: handle.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });
  if (!approved.ok) throw new Error(approved.code);
  return approved.value;
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const worker = ['-e', `${process.execPath} ${path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js')}`];

describe('the command line and a gateway without a window', () => {
  it('connect, list and disconnect a target, and record it', async () => {
    const dir = await started();
    expect(await cli(dir, ['connect', '-t', 'every', ...worker, '-p', 'button:echo'])).toMatchObject({ code: 0, out: expect.stringContaining('Connected every (linear') });
    expect((await cli(dir, ['targets', '--json'])).json()).toMatchObject({ targets: [{ id: 'every', mode: 'linear', active_sandboxes: 0, guard: { kind: 'rule', pattern: 'echo', attestation: 'button' } }] });
    expect(await cli(dir, ['disconnect', 'every'])).toMatchObject({ code: 0 });
    expect(await cli(dir, ['disconnect', 'every'])).toMatchObject({ code: 1, err: expect.stringContaining('No target of this name') });
    const { out } = await cli(dir, ['audit', 'list']);
    for (const type of ['target.connected', 'target.disconnected']) expect(out).toMatch(new RegExp(`${type}\\s+control:`));
    expect(await cli(dir, ['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['a reserved id', ['connect', '-t', 'handles', ...worker], 'invalid-target-id'],
    ['a pattern no linear engine can run', ['connect', '-t', 'a', ...worker, '-p', 'a(?=b)'], 'invalid-pattern'],
    ['a mode that does not fit', ['connect', '-t', 'a', ...worker, '-m', 'multiplex'], 'invalid-entry'],
    ['a handle nobody has', ['show', 'txn_1_00000000000a'], 'handle-not-found'],
    ['a change nobody asked for', ['decline', 'txn_1_00000000000a'], 'handle-not-found'],
    ['a client nobody knows', ['clients', 'revoke', 'nobody'], 'unknown-client'],
    ['a client that exists', ['clients', 'add', 'local'], 'client-exists'],
  ])('are told that %s is refused', async (_, words, code) => {
    const dir = await started();
    const ended = await cli(dir, [...words, '--json']);
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({ error: { code } });
  });

  it('mount a file entry by entry, and nothing of one that does not parse', async () => {
    const dir = await started();
    const file = path.join(dir.path, 'mcp.json');
    const url = (JSON.parse(readFileSync(dir.endpoint, 'utf8')) as { url: string }).url;
    writeFileSync(file, `\ufeff{ // mine\r\n  "mcpServers": {"Every": ${JSON.stringify({ command: process.execPath, args: [worker[1]?.split(' ')[1]] })}, "me": {"url": "${url}/mcp"},}\r\n}`);
    const ended = await cli(dir, ['mount', file, '--json']);
    expect(ended.json()).toMatchObject({ entries: [{ name: 'Every', target: 'every', status: 'applied' }, { name: 'me', status: 'refused', code: 'own-endpoint' }] });
    expect(ended.code).toBe(0);
    writeFileSync(file, '{\n  "mcpServers": {"b": }\n}');
    expect(await cli(dir, ['mount', file])).toMatchObject({ code: 1, err: expect.stringMatching(/line 2, column \d+/) });
    expect((await cli(dir, ['targets', '--json'])).json()).toMatchObject({ targets: [{ id: 'every' }] });
  });

  it('give a new client a token that opens the door, until it is revoked', async () => {
    const dir = await started();
    const { token } = (await cli(dir, ['clients', 'add', 'script', '--json'])).json() as { token: string };
    expect(await statusWith(dir, token)).toBe(200);
    await cli(dir, ['clients', 'revoke', 'script']);
    expect(await statusWith(dir, token)).toBe(401);
  });
});

describe('the command line and a gateway with a window', () => {
  it('wait for the click, which carries out exactly the change that was parked', async () => {
    const dir = await started({ window: true });
    const ended = await cli(dir, ['connect', '-t', 'every', ...worker, '-f', envFile(dir, 'API_KEY=hunter2'), '--json'], { onPause: (times) => times === 1 && void click(), wait: soon });
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('Waiting for a click') });
    expect(ended.json()).toMatchObject({ status: 'applied', target: { id: 'every', environment: ['API_KEY'] } });
  });

  it('change nothing when it is declined', async () => {
    const dir = await started({ window: true });
    const decline = (): void => {
      const [handle] = running?.approvals.queue() ?? [];
      if (handle !== undefined) running?.approvals.decline({ id: handle.id, hash: handle.request.hash, reason: 'not this one', actor: 'window' });
    };
    expect(await cli(dir, ['connect', '-t', 'every', ...worker], { onPause: decline, wait: soon })).toMatchObject({ code: 1, err: expect.stringContaining('declined in the window: not this one') });
    expect((await cli(dir, ['targets', '--json'])).json()).toEqual({ targets: [] });
  });

  it('find the change again after a restart, with its values, which lie nowhere in clear', async () => {
    const dir = await started({ window: true });
    const left = await cli(dir, ['connect', '-t', 'every', ...worker, '-f', envFile(dir, 'API_KEY=hunter2')], { onPause: (_, interrupt) => interrupt() });
    expect(left).toMatchObject({ code: 1, err: expect.stringContaining('still waits') });
    await running?.stop();
    for (const file of [dir.database, `${dir.database}-wal`]) expect(readIfThere(file)).not.toContain('hunter2');
    await started({ window: true });
    const handles = (await cli(dir, ['handles', '--json'])).json() as { handles: { handle: string; kind: string }[] };
    expect(handles.handles).toMatchObject([{ kind: 'change' }]);
    const { id } = click();
    await expect.poll(() => running?.approvals.get(id)?.state.status).toBe('executed');
    expect((await cli(dir, ['targets', '--json'])).json()).toMatchObject({ targets: [{ id: 'every', environment: ['API_KEY'] }] });
  });

  it('tell a new client its token, which opens nothing before the click', async () => {
    const dir = await started({ window: true });
    const left = await cli(dir, ['clients', 'add', 'script'], { onPause: (_, interrupt) => interrupt() });
    const token = /cs_[\w-]{43}/.exec(left.err)?.[0] ?? '';
    expect(await statusWith(dir, token)).toBe(401);
    click();
    await expect.poll(() => statusWith(dir, token)).toBe(200);
  });

  it('cannot approve the change from the command line', async () => {
    const dir = await started({ window: true });
    await cli(dir, ['connect', '-t', 'every', ...worker], { onPause: (_, interrupt) => interrupt() });
    const [handle] = running?.approvals.queue() ?? [];
    expect((await cli(dir, ['approve', handle?.id ?? '', '--totp', '482910', '--json'])).json()).toMatchObject({ error: { code: 'window-only' } });
    expect((await cli(dir, ['targets', '--json'])).json()).toEqual({ targets: [] });
  });
});

function envFile(dir: DataDir, text: string): string {
  const file = path.join(dir.path, '.env');
  writeFileSync(file, text);
  return file;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** What the MCP door answers to a first request with this token. */
async function statusWith(dir: DataDir, token: string): Promise<number> {
  const { url } = JSON.parse(readFileSync(dir.endpoint, 'utf8')) as { url: string };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } }),
  });
  await response.text();
  return response.status;
}
