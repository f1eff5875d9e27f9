import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { controlPaths } from '../../../src/shared/contract/control.ts';
import { aChangeView, anAuditView, aTargetView, HANDLE } from './samples.ts';
import { standIn, tempDataDir, type Routes, type StandIn } from './stand-in.ts';

const MAIN = path.resolve('src/main/cli/main.ts');
let gateway: StandIn | undefined;
const serve = async (routes: Routes): Promise<StandIn> => (gateway = await standIn(routes));
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** The program itself, in a process of its own. */
function start(words: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...words], { env: { PATH: process.env['PATH'], ...env } });
  let out = '';
  let err = '';
  const watchers: (() => void)[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    for (const look of watchers) look();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>((resolve) => child.on('close', (code, signal) => resolve({ code, signal, out, err })));
  return {
    child, ended,
    said: (words: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => (err.includes(words) ? resolve() : undefined);
        watchers.push(look);
        look();
      }),
  };
}

describe('the program', () => {
  it('talks to the gateway of the data directory that the environment names', async () => {
    const { place } = await serve({ [`GET ${controlPaths.targets}`]: { json: { targets: [aTargetView()] } } });
    const { code, out, err } = await start(['targets', '--json'], { COUNTERSIGN_DATA_DIR: place.path }).ended;
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual({ targets: [aTargetView()] });
  });

  it.each<[readonly string[], number]>([[['--version'], 0], [['help'], 0], [[], 2], [['nonsense'], 2], [['targets'], 3], [['connect', '-t', 'a'], 2]])('given %j ends with exit code %d, and shows no stack', async (words, expected) => {
    const { code, err } = await start([...words], { COUNTERSIGN_DATA_DIR: tempDataDir().path }).ended;
    expect(code).toBe(expected);
    expect(err).not.toMatch(/\n\s+at |node:internal/);
  });

  it('stops waiting on Ctrl-C, says that the change still waits, and leaves it', async () => {
    const { place, requests } = await serve({
      [`PUT ${controlPaths.target('a')}`]: { status: 202, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z' } },
      [`GET ${controlPaths.change(HANDLE)}`]: { json: aChangeView() },
    });
    const running = start(['connect', '-t', 'a', '-e', 'node x', '--data-dir', place.path]);
    await running.said('Waiting for a click');
    running.child.kill('SIGINT');
    const { code, signal, err } = await running.ended;
    expect([code, signal]).toEqual([1, null]);
    expect(err).toContain(`${HANDLE} still waits`);
    expect(requests().some(({ method }) => method === 'DELETE')).toBe(false);
  });

  it('takes one press of Ctrl-C that reaches it twice for one', async () => {
    // Both arrive while it looks at the change, so that it cannot have ended in between.
    let looked = (): void => undefined;
    const looking = new Promise<void>((resolve) => (looked = resolve));
    const apart = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    const { place } = await serve({
      [`PUT ${controlPaths.target('a')}`]: { status: 202, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z' } },
      [`GET ${controlPaths.change(HANDLE)}`]: async () => {
        looked();
        await apart();
        running.child.kill('SIGINT');
        await apart();
        return { json: aChangeView() };
      },
    });
    const running = start(['connect', '-t', 'a', '-e', 'node x', '--data-dir', place.path]);
    await looking;
    running.child.kill('SIGINT');
    const { code, signal, err } = await running.ended;
    expect([code, signal]).toEqual([1, null]);
    expect(err).toContain('still waits');
  });

  it('ends quietly when nobody reads on', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => `${JSON.stringify(anAuditView({ seq: at + 1 }))}\n`).join('');
    const { place } = await serve({ [`GET ${controlPaths.auditExport}`]: { text: rows } });
    const running = start(['audit', 'export', '--data-dir', place.path]);
    running.child.stdout.once('data', () => running.child.stdout.destroy());
    const { code, err } = await running.ended;
    expect([code, err]).toEqual([0, '']);
  });

  it('ends as it would have when nobody reads its sentences', async () => {
    const running = start(['nonsense']);
    running.child.stderr.destroy();
    expect((await running.ended).code).toBe(2);
  });

  it('says that its output could not be written, and does not take that for success', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'help', '--json'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    closeSync(full);
    expect([status, stderr]).toEqual([1, expect.stringContaining('could not be written (ENOSPC)')]);
  });

  it('is not coloured when its output is no terminal', async () => {
    const { err } = await start(['nonsense']).ended;
    expect(err).not.toContain('\u001b');
  });
});
