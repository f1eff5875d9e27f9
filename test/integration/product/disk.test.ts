import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compose } from '../../../src/main/compose.ts';
import { dataDir } from '../../../src/main/platform/data-dir.ts';
import { runningHeadless, startHeadless, type Headless } from '../../support/headless.ts';
import { startHttpWorker } from '../../support/workers/http-worker.ts';

function aPlace(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'data');
}

/** Every file of a folder and a digest of what is in it. */
const contents = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).sort().map((name) => [name, createHash('sha256').update(readFileSync(path.join(folder, name))).digest('hex')]));

async function oneRun(folder: string): Promise<void> {
  const first = await runningHeadless({ folder });
  expect(await first.end()).toBe(0);
  expect(readdirSync(folder)).not.toContain('endpoint.json');
}

/** From now on no file of this process can grow: the system refuses, as a full disk does. Ended by `room`. */
const full = ({ pid }: Headless): void => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=1:unlimited']);
const room = ({ pid }: Headless): void => void execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']);

describe('a start', () => {
  it('on a full disk ends with 2 and says what to look for, and the next start with room succeeds', async () => {
    const folder = aPlace();
    const refusal = await startHeadless({ folder, under: ['prlimit', '--fsize=4096'] });
    expect(refusal).toMatchObject({ code: 2, said: expect.stringMatching(/could not be opened \(SQLITE_\w+\)[\s\S]*full or failing disk/) as string });
    await oneRun(folder);
  });

  it.each<readonly [what: string, name: string, spoil: (file: string) => void]>([
    ['a database that is empty', 'countersign.db', (file) => writeFileSync(file, '')],
    ['a database of garbage', 'countersign.db', (file) => writeFileSync(file, 'x'.repeat(8192))],
    ['a database that is gone', 'countersign.db', (file) => rmSync(file)],
    ['a database of a newer version', 'countersign.db', (file) => {
      const db = new BetterSqlite(file);
      db.pragma('user_version = 999');
      db.close();
    }],
    ['an emptied key of the audit', 'audit-key', (file) => writeFileSync(file, '')],
  ])('with %s ends with 2, names the file, and leaves everything as it is', async (_, name, spoil) => {
    const folder = aPlace();
    await oneRun(folder);
    const file = path.join(folder, name);
    spoil(file);
    const before = contents(folder);
    const refusal = await startHeadless({ folder });
    expect(refusal).toMatchObject({ code: 2, said: expect.stringContaining(file) as string });
    expect(contents(folder)).toEqual(before);
  });

  it('with a control token cut short makes a new one, which is taken', async () => {
    const folder = aPlace();
    await oneRun(folder);
    const file = path.join(folder, 'control-token');
    writeFileSync(file, 'cc_x');
    const running = await runningHeadless({ folder });
    expect(readFileSync(file, 'utf8')).toMatch(/^cc_[A-Za-z0-9_-]{43}\n$/);
    expect((await running.control('GET', '/v1/mcp-gateway/targets')).status).toBe(200);
    expect(await running.end()).toBe(0);
  });

  it('that was broken off midway goes on where it was when it is tried again, and does nothing twice', async () => {
    const dir = dataDir(aPlace(), {});
    const composed = await compose({ dir, flags: { dataDir: dir.path, port: 0, config: undefined, preflight: undefined }, env: {}, version: '1', writeLog: () => undefined });
    if (!composed.ok) throw new Error(composed.fault.sentence);
    const { composition } = composed;
    onTestFinished(() => composition.stop());
    mkdirSync(dir.clientToken);
    for (let tried = 0; tried < 3; tried += 1) expect(await composition.start()).toMatchObject({ ok: false, fault: { kind: 'store' } });
    rmSync(dir.clientToken, { recursive: true });
    const started = await composition.start();
    if (!started.ok) throw new Error(started.fault.sentence);
    const rows = new BetterSqlite(dir.database, { readonly: true });
    expect(rows.prepare('SELECT type FROM audit ORDER BY seq').pluck().all()).toEqual(['gateway.started', 'client.added']);
    rows.close();
    expect(readdirSync(dir.path).filter((name) => name.startsWith('client-token'))).toEqual(['client-token']);
    expect((await fetch(`${started.url}/api/info`, { headers: { authorization: `Bearer ${readFileSync(dir.clientToken, 'utf8').trim()}` } })).status).toBe(200);
  });

  it('in a folder where nothing can be written ends with 2 and names it', async () => {
    const folder = aPlace();
    mkdirSync(path.join(folder, 'lock'), { recursive: true });
    expect(await startHeadless({ folder })).toMatchObject({ code: 2, said: expect.stringMatching(/data directory .*data cannot be used \(SQLITE_\w+\)/) as string });
  });

  it('without the right to write ends with 2 and says so', async () => {
    const folder = aPlace();
    await oneRun(folder);
    const refusal = await startReadOnly(folder);
    expect(refusal).toMatchObject({ code: 2, said: expect.stringContaining('cannot be written') as string });
  });
});

describe('a disk that fills up while it runs', () => {
  it('keeps it neither from ending as it should, nor from saying why it does not start again', async () => {
    const folder = aPlace();
    const running = await runningHeadless({ folder });
    full(running);
    expect(await running.end()).toBe(0);
    expect(readdirSync(folder)).not.toContain('endpoint.json');
    expect(await startHeadless({ folder, under: ['prlimit', '--fsize=1'] })).toMatchObject({ code: 2, said: expect.stringMatching(/full or failing disk/) as string });
    await oneRun(folder);
  });

  it('refuses what cannot be recorded, sends nothing, and goes on where it was once there is room', async () => {
    const upstream = await startHttpWorker({ tools: { write: ({ result }) => result('written') } });
    onTestFinished(() => upstream.close());
    const folder = aPlace();
    const running = await runningHeadless({ folder, servers: { files: { url: upstream.url, preflight_pattern: 'button:DROP' } } });
    onTestFinished(async () => {
    await running.end();
  });
    expect((await running.call('files', 'write', { text: 'a' })).status).toBe(200);
    expect((await running.call('files', 'write', { text: 'DROP a' }, 'early')).status).toBe(202);

    full(running);
    const calls = upstream.calls('write');
    for (const text of ['b', 'DROP b']) expect(await running.call('files', 'write', { text }, text === 'b' ? 'safe' : 'risky')).toMatchObject({ status: 503, json: { error: { data: { code: 'store-unavailable' } } } });
    expect((await running.call('files', 'write', { text: 'DROP a' }, 'early')).status).toBe(202);
    expect(upstream.calls('write')).toBe(calls);
    const doctor = async (): Promise<unknown> => ((await running.control('GET', '/v1/countersign/doctor')).json['checks'] as readonly { readonly name: string }[]).find(({ name }) => name === 'database');
    expect(await doctor()).toMatchObject({ ok: false, note: expect.stringMatching(/nothing can be written.*SQLITE_/) as string });
    expect(running.events()).toEqual(['store.unavailable']);

    room(running);
    expect(await doctor()).toEqual({ name: 'database', ok: true, note: '' });
    await expect.poll(running.events).toEqual(['store.unavailable', 'store.available']);
    expect((await running.call('files', 'write', { text: 'b' }, 'safe')).status).toBe(200);
    expect((await running.call('files', 'write', { text: 'DROP b' }, 'risky')).status).toBe(202);
    expect((await running.control('GET', '/v1/countersign/audit/verify')).json).toMatchObject({ ok: true });
    expect((await running.control('GET', '/v1/mcp-gateway/handles')).json['handles']).toHaveLength(2);
  });
});

describe('a database that is taken away while it runs', () => {
  it.each<readonly [string, (file: string) => void, string]>([
    ['removed', (file) => rmSync(file), 'VANISHED'],
    ['exchanged for a copy', (file) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    }, 'VANISHED'],
    ['emptied', (file) => truncateSync(file), '"store.unavailable"'],
  ])('%s: nothing more is parked, passed or decided in it, every door says so, and so do doctor and the log', async (_, take, code) => {
    const upstream = await startHttpWorker({ tools: { write: ({ result }) => result('written') } });
    onTestFinished(() => upstream.close());
    const running = await runningHeadless({ folder: aPlace(), servers: { files: { url: upstream.url, preflight_pattern: 'button:DROP' } } });
    onTestFinished(async () => {
      await running.end();
    });
    expect((await running.call('files', 'write', { text: 'DROP a' }, 'early')).status).toBe(202);
    take(running.dir.database);
    const unavailable = { status: 503, json: { error: { data: { code: 'store-unavailable' } } } };
    expect(await running.call('files', 'write', { text: 'DROP b' })).toMatchObject(unavailable);
    await running.call('files', 'write', { text: 'a' }); // the last one that may still be handed to the file of passing calls
    await expect.poll(() => running.call('files', 'write', { text: 'b' })).toMatchObject(unavailable);
    for (const [method, route, body] of [['POST', '/v1/countersign/pause'], ['POST', '/v1/countersign/clients', { name: 'another', roles: [], patience_s: null }]] as const) {
      expect(await running.control(method, route, body)).toMatchObject({ ...unavailable, status: 503 });
    }
    const { checks } = (await running.control('GET', '/v1/countersign/doctor')).json as { readonly checks: readonly { readonly name: string; readonly ok: boolean }[] };
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toContain('database');
    expect(running.events()).not.toContain('gateway.fault');
    expect(running.events()).toContain('store.unavailable');
    expect(running.logged()).toContain(code);
  });
});

/**
 * Starts the product as an ordinary user, who may read its data and not write it. Root may write everywhere and may alone read the checkout, so the
 * process becomes that user once everything is loaded.
 */
async function startReadOnly(folder: string): ReturnType<typeof startHeadless> {
  const script = `${folder}.start.mjs`;
  writeFileSync(
    script,
    `import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
     import { compose } from ${JSON.stringify(path.resolve('src/main/compose.ts'))};
     import { dataDir } from ${JSON.stringify(path.resolve('src/main/platform/data-dir.ts'))};
     new Database(':memory:').close();
     if (process.getuid?.() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }
     const composed = await compose({ dir: dataDir(${JSON.stringify(folder)}, {}), flags: { dataDir: '', port: 0, config: undefined, preflight: undefined }, env: {}, version: '1', writeLog: () => undefined });
     if (!composed.ok) { console.error(composed.fault.sentence); process.exit(2); }`,
  );
  const names = [path.dirname(folder), folder, ...readdirSync(folder).map((name) => path.join(folder, name))].filter((name) => existsSync(name));
  if (process.getuid?.() === 0) for (const name of names) chownSync(name, 65534, 65534);
  chmodSync(path.join(folder, 'countersign.db'), 0o400);
  return startHeadless({ folder, script });
}
