import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { dataDir } from '../../../src/main/platform/data-dir.ts';
import { everything, tracesOf } from '../../support/e2e/traces.ts';
import { codeNow, nextCode, wrongCode } from '../../support/e2e/codes.ts';
import { cli, type Ended } from '../cli/stand-in.ts';

/** Real 30 s steps of the real clock, a real process without a window, real HTTP: what a code does on every way in but the window. */
const PASSPHRASE = 'correct horse battery';
const SERVER = path.resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

let running: ChildProcess | undefined;
const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-totp-'));
const dir = dataDir(path.join(folder, 'data'), {});
const scratch = path.join(folder, 'scratch');
let log = '';

afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<string> {
  const config = path.join(folder, 'mcp.json');
  mkdirSync(scratch, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: { files: { command: process.execPath, args: [SERVER, scratch], preflight_pattern: 'write_file' } } }));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.resolve('src/main/headless.ts'), '--data-dir', dir.path, '--port', '0', '--config', config], { env: { PATH: process.env['PATH'], HOME: folder } });
  running = child;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  return new Promise((resolve, reject) => {
    let out = '';
    child.once('exit', () => reject(new Error(`it ended: ${log}`)));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      log += text;
      if (out.includes('\n')) resolve((JSON.parse(out) as { url: string }).url);
    });
  });
}

async function stop(): Promise<void> {
  const child = running;
  running = undefined;
  if (child === undefined || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

interface Answer {
  readonly status: number;
  readonly json: { readonly id?: string; readonly params?: { readonly handle: string }; readonly result?: object; readonly error?: { readonly data: Record<string, unknown> } };
}

it('a code is bound to one call, good once, counted by way, and sealed under the passphrase through a restart', { timeout: 300_000 }, async () => {
  let url = await start();
  const run = (words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => cli(dir, words, { env });
  const codeOf = (ended: Ended): unknown => (ended.json() as { error: { code: string } }).error.code;
  const call = async (name: string, response?: { id: string; code: string }, { token = readFileSync(dir.clientToken, 'utf8').trim(), content = name } = {}): Promise<Answer> => {
    const meta = response && { _meta: { inputResponses: { jsonrpc: '2.0', id: response.id, result: { value: response.code } } } };
    const answer = await fetch(`${url}/v1/mcp-gateway/files/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-idempotency-key': name },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'write_file', arguments: { path: path.join(scratch, name), content }, ...meta } }),
    });
    return { status: answer.status, json: (await answer.json()) as Answer['json'] };
  };
  const written = (name: string): boolean => existsSync(path.join(scratch, name));
  const code = ({ json }: Answer): unknown => json.error?.data['code'];

  // Enrolment: nothing weaker than a passphrase of 8 characters seals the secret.
  expect(codeOf(await run(['totp', 'enroll', '--json']))).toBe('no-safe-seal');
  expect(codeOf(await run(['totp', 'enroll', '--json'], { COUNTERSIGN_PASSPHRASE: 'short' }))).toBe('passphrase-too-short');
  const offered = await run(['totp', 'enroll', '--json'], { COUNTERSIGN_PASSPHRASE: PASSPHRASE });
  const { otpauth, ...more } = offered.json() as { otpauth: string };
  expect(more).toEqual({});
  const secret = new URL(otpauth).searchParams.get('secret') ?? '';
  expect((await run(['totp', 'status'])).out).toContain('No authenticator is set up');
  expect(codeOf(await run(['totp', 'enroll', '--confirm', wrongCode(secret), '--json']))).toBe('wrong-code');
  const first = codeNow(secret);
  const confirmed = (await run(['totp', 'enroll', '--confirm', first, '--json'])).json() as { recovery_codes: string[] };
  expect(confirmed.recovery_codes).toHaveLength(10);
  expect(codeOf(await run(['totp', 'enroll', '--json']))).toBe('totp-already-enrolled');
  expect(await run(['totp', 'reset'])).toMatchObject({ code: 1, err: expect.stringMatching(/in the Countersign window only.*start the app on the same data directory/) });
  expect((await run(['totp', 'status'])).out).toContain('10 recovery codes are left');

  // The code that put it in force is spent.
  const a = (await call('a')).json;
  const b = (await call('b')).json;
  const c = (await call('c')).json;
  expect(codeOf(await run(['approve', a.params!.handle, '--totp', first, '--json']))).toBe('code-used');

  // In-band, in the order of the contract: owner, prompt id, payload, lock, code.
  const other = (await run(['clients', 'add', 'other', '--json'])).json() as { token: string };
  const second = await nextCode(secret, first);
  expect((await call('a', { id: a.id!, code: second }, { token: other.token })).status).not.toBe(200);
  expect([(await call('a', { id: b.id!, code: second }, { content: 'changed' })).status, written('a')]).toEqual([409, false]);
  expect(await call('a', { id: a.id!, code: wrongCode(secret) }, { content: 'changed' })).toMatchObject({ status: 422 });
  for (const left of [4, 3, 2, 1, 0]) expect(await call('c', { id: c.id!, code: wrongCode(secret) })).toMatchObject({ status: 401, json: { error: { data: { code: 'wrong-code', attempts_left: left } } } });
  expect(await call('c', { id: c.id!, code: second })).toMatchObject({ status: 423, json: { error: { data: { code: 'totp-locked' } } } });
  expect(await call('c', { id: c.id!, code: second }, { content: 'changed' })).toMatchObject({ status: 422 });
  expect(await call('c', { id: a.id!, code: second })).toMatchObject({ status: 409 });

  // The lock of one way blocks no other, and no other handle; the code of A is none for B in the same step.
  const now = codeNow(secret);
  expect(await run(['approve', a.params!.handle, '--totp', now])).toMatchObject({ code: 0, out: expect.stringContaining('Approved') });
  await expect.poll(() => written('a')).toBe(true);
  expect(await call('b', { id: b.id!, code: now })).toMatchObject({ status: 401, json: { error: { data: { code: 'code-used', next: expect.stringContaining('Wait') } } } });

  // A restart forgets neither the lock nor what was used, and has no passphrase.
  await stop();
  url = await start();
  expect((await call('c', { id: c.id!, code: wrongCode(secret) })).status).toBe(423);
  expect(code(await call('b', { id: b.id!, code: now }))).toBe('secret-sealed');
  expect((await run(['totp', 'status'])).out).toContain('countersign totp unlock');
  expect(codeOf(await run(['totp', 'unlock', '--json'], { COUNTERSIGN_PASSPHRASE: 'another passphrase' }))).toBe('wrong-passphrase');
  expect(await run(['totp', 'unlock'], { COUNTERSIGN_PASSPHRASE: PASSPHRASE })).toMatchObject({ code: 0 });
  expect(code(await call('b', { id: b.id!, code: now }))).toBe('code-used');
  const third = await nextCode(secret, now);
  expect((await call('b', { id: b.id!, code: third })).json.result).toBeDefined();
  expect(written('b')).toBe(true);
  expect(codeOf(await run(['approve', c.params!.handle, '--totp', third, '--json']))).toBe('code-used');
  // Five wrong ones before; once that lock is over, the sixth locks again, twice as long.
  await expect.poll(async () => code(await call('c', { id: c.id!, code: wrongCode(secret) })), { timeout: 40_000 }).toBe('wrong-code');
  const again = await call('c', { id: c.id!, code: third });
  expect([again.status, Number(again.json.error?.data['retry_after_s']) > 30]).toEqual([423, true]);
  expect(await run(['approve', c.params!.handle, '--totp', await nextCode(secret, third)])).toMatchObject({ code: 0 });
  await expect.poll(() => written('c')).toBe(true);

  // Signed out: nothing that was secret lies anywhere.
  await stop();
  const codes = confirmed.recovery_codes;
  expect(tracesOf([secret, PASSPHRASE, first, second, now, third, ...codes, ...codes.map((one) => one.replaceAll('-', ''))], Buffer.concat([everything(dir.path), Buffer.from(log)]))).toEqual([]);
});
