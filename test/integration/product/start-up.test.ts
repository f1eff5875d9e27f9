import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataDir } from '../../../src/main/platform/data-dir.ts';
import { runningHeadless } from '../../support/headless.ts';
import { startHttpWorker, type Exchange } from '../../support/workers/http-worker.ts';
import { cli } from '../cli/stand-in.ts';

const SCRIPT = path.resolve('src/main/headless.ts');

function aPlace(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'data');
}

/** The program itself with these words; ended with the test. */
const program = (...words: readonly string[]) => programWith({}, ...words);
function programWith(env: NodeJS.ProcessEnv, ...words: readonly string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, ended, said: () => said };
}

const modes = (folder: string): Readonly<Record<string, number>> => Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(path.join(folder, name)).mode & 0o777]));

describe('a start', () => {
  it('takes from others what they may do with the files of a folder that was copied without care, and leaves files of others alone', async () => {
    const folder = aPlace();
    expect(await (await runningHeadless({ folder })).end()).toBe(0);
    writeFileSync(path.join(folder, 'holiday.jpg'), '');
    for (const name of readdirSync(folder)) chmodSync(path.join(folder, name), 0o666);
    chmodSync(folder, 0o777);
    const running = await runningHeadless({ folder });
    const { 'holiday.jpg': theirs, ...ours } = modes(folder);
    expect(new Set(Object.values(ours))).toEqual(new Set([0o600]));
    expect([theirs, statSync(folder).mode & 0o777]).toEqual([0o666, 0o700]);
    expect(await running.end()).toBe(0);
  });

  it.each(['/dev/null/data', '/proc/countersign/data'])('on %s, where no folder can be made, ends with 2 and names it', async (folder) => {
    const { ended, said } = program('--data-dir', folder, '--port', '0');
    expect(await ended).toEqual([2, null]);
    expect(said()).toContain(`The data directory ${folder} cannot be used (E`);
  });

  it('with a pattern of -p that cannot be used says so, and doctor does too', async () => {
    const folder = aPlace();
    const { child, ended, said } = program('--data-dir', folder, '--port', '0', '-p', 'DROP(');
    await once(child.stdout, 'data');
    await expect.poll(said, { timeout: 20_000 }).toContain('The pattern of -p cannot be used');
    expect((await cli(dataDir(folder, {}), ['doctor'])).out).toMatch(/FAIL  guard: The pattern of -p cannot be used/);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('with a target whose own pattern cannot be used names it, where that stands, and why', async () => {
    const folder = aPlace();
    const file = `${folder}.mcp.json`;
    const command = process.execPath;
    writeFileSync(file, JSON.stringify({ mcpServers: { own: { command, preflight_pattern: '(?=x)' }, entry: { command, env: { FIBER_PREFLIGHT_PATTERN: 'button:[' } }, fine: { command, preflight_pattern: 'DROP' } } }));
    const { child, ended, said } = program('--data-dir', folder, '--port', '0', '--config', file);
    await once(child.stdout, 'data');
    await expect.poll(said, { timeout: 20_000 }).toContain('The guard of own (preflight_pattern) cannot be used (');
    await expect.poll(said, { timeout: 20_000 }).toContain('The guard of entry (FIBER_PREFLIGHT_PATTERN) cannot be used (missing closing ]); no call of it passes until it is corrected.');
    expect(said()).not.toContain('The guard of fine');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('without the passphrase its targets are sealed under names them, and what to do', async () => {
    const folder = aPlace();
    const first = programWith({ COUNTERSIGN_PASSPHRASE: 'correct horse battery' }, '--data-dir', folder, '--port', '0');
    await once(first.child.stdout, 'data');
    expect((await cli(dataDir(folder, {}), ['connect', '-t', 'db', '-e', 'http://127.0.0.1:9/mcp', '-p', 'DROP'])).code).toBe(0);
    first.child.kill('SIGTERM');
    expect(await first.ended).toEqual([0, null]);
    const { child, ended, said } = program('--data-dir', folder, '--port', '0');
    await once(child.stdout, 'data');
    await expect.poll(said, { timeout: 20_000 }).toMatch(/Not connected, because what sealed their values is not there: db\. .*COUNTERSIGN_PASSPHRASE/);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('asked for help names the flags and ends with 0, without touching anything', async () => {
    const folder = aPlace();
    const { child, ended } = program('--help', '--data-dir', folder);
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    expect(text.toString()).toMatch(/--data-dir DIR[\s\S]*--port N[\s\S]*--config FILE[\s\S]*--preflight PATTERN/);
    expect(await ended).toEqual([0, null]);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a running gateway', () => {
  it('outlives whoever read what it prints', async () => {
    const folder = aPlace();
    const { child, ended } = program('--data-dir', folder, '--port', '0', '-p', 'DROP(');
    child.stdout.destroy();
    child.stderr.destroy();
    const endpoint = path.join(folder, 'endpoint.json');
    await expect.poll(() => existsSync(endpoint), { timeout: 60_000 }).toBe(true);
    // What it prints after it listens has failed by then.
    const { url } = JSON.parse(readFileSync(endpoint, 'utf8')) as { readonly url: string };
    for (let asked = 0; asked < 5; asked += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('told to end by %s while a call is under way, lets it end first', async (signal) => {
    const folder = aPlace();
    const held: Exchange[] = [];
    const worker = await startHttpWorker({ tools: { slow: (exchange) => void held.push(exchange) } });
    onTestFinished(() => worker.close());
    const running = await runningHeadless({ folder, servers: { remote: { url: worker.url } } });
    const called = running.call('remote', 'slow', {});
    await expect.poll(() => held.length).toBe(1);
    const ended = running.end(signal);
    await expect.poll(() => existsSync(running.dir.endpoint)).toBe(false); // it is ending
    held[0]?.result('done');
    expect(await called).toMatchObject({ status: 200, json: { result: { content: [{ text: 'done' }] } } });
    expect(await ended).toBe(0);
  });
});
