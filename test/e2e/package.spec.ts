import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from '@playwright/test';
import { SCREENS } from '../support/desktop/electron-app.ts';
import { type Desktop, startDesktop } from '../support/desktop/index.ts';
import { installPackage, type InstalledPackage } from '../support/desktop/installed-package.ts';
import { aPlace, type Place, WINDOW_TITLE } from '../support/e2e/story.ts';

const NOT_RUNNING = 3;
/** Approve when it can be clicked; paler before. */
const ARMED = '#0b6b3a';

test.describe.configure({ mode: 'serial' });

let desktop: Desktop;
let installed: InstalledPackage;
let place: Place;
const usr = (...parts: string[]) => path.join(installed.root, 'usr', ...parts);
const countersign = (...words: string[]) => desktop.run([usr('bin', 'countersign'), ...words, '--data-dir', place.dataDir]);

/** Starts the installed app and waits until it serves. */
async function start(...flags: string[]): Promise<{ app: ChildProcess; url: string }> {
  const command = [usr('bin', 'countersign'), '--data-dir', place.dataDir, '--port', '0', ...flags] as [string, ...string[]];
  const app = desktop.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(app.stdout as Readable)) {
    const { event, url } = JSON.parse(line) as { event: string; url: string };
    if (event === 'listening') return { app, url };
  }
  throw new Error('The app ended before it served.');
}

/** Tells the app to end as a system does, and waits until it has. */
async function end(app: ChildProcess): Promise<void> {
  app.kill('SIGTERM');
  expect(await once(app, 'exit')).toEqual([0, null]);
}

test.beforeAll(async () => {
  test.setTimeout(8 * 60_000);
  installed = await installPackage();
  desktop = await startDesktop();
  place = aPlace(desktop);
});

test.afterAll(async () => {
  await (desktop as Desktop | undefined)?.stop();
  // Also when a test before the last one has failed; a second removal does nothing.
  await (installed as InstalledPackage | undefined)?.remove();
});

test('the fuses of the packaged Electron are set', () => {
  expect(installed.report).toMatch(/runAsNode +off/);
  expect(installed.report).toMatch(/onlyLoadAppFromAsar +on/);
});

test('a menu entry and icons come with it, and nothing of the development runtime', () => {
  const entry = fs.readFileSync(usr('share', 'applications', 'countersign.desktop'), 'utf8');
  expect(entry).toContain('Name=Countersign');
  expect(entry).toContain('Exec=countersign');
  expect(fs.existsSync(usr('share', 'icons', 'hicolor', '128x128', 'apps', 'countersign.png'))).toBe(true);
  expect(fs.readdirSync(usr('lib', 'countersign', 'resources')).sort()).toEqual(['app.asar', 'app.asar.unpacked', 'headless', 'icons']);
});

test('the command line answers while the app is not running', async () => {
  expect((await countersign('doctor')).code).toBe(NOT_RUNNING);
});

test('the installed app starts as an ordinary user, is found by the command line, and ends when told', async () => {
  const { app, url } = await start();
  const endpoint = JSON.parse(fs.readFileSync(path.join(place.dataDir, 'endpoint.json'), 'utf8')) as { url: string; pid: number };
  expect(endpoint).toMatchObject({ url, pid: app.pid });
  expect(await (await fetch(new URL('/healthz', url))).json()).toMatchObject({ status: 'ok' });
  expect((await countersign('targets')).code).toBe(0);
  await end(app);
  expect(fs.existsSync(path.join(place.dataDir, 'endpoint.json'))).toBe(false);
  expect((await countersign('targets')).code).toBe(NOT_RUNNING);
});

test('the installed app serves a client, shows the window and sends what a click approved, once', async () => {
  const { app, url } = await start('--config', place.config);
  const client = new Client({ name: 'package-test', version: '1' });
  const token = fs.readFileSync(path.join(place.dataDir, 'client-token'), 'utf8').trim();
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  const read = await client.callTool({ name: 'local-fs__read_text_file', arguments: { path: path.join(place.scratch, 'hello.txt') } });
  expect(read.content).toEqual([{ type: 'text', text: 'hello\n' }]);

  const file = path.join(place.scratch, 'new.txt');
  const writing = client.callTool({ name: 'local-fs__write_file', arguments: { path: file, content: 'from the package\n' } });
  const window = await desktop.windows.waitForWindow(WINDOW_TITLE);
  const renderers = renderersOf(app.pid ?? 0);
  expect(renderers.length).toBeGreaterThan(0);
  expect(renderers.filter((pid) => !isSandboxed(pid))).toEqual([]);
  expect(fs.existsSync(file)).toBe(false);
  expect((await countersign('handles')).stdout).toMatch(/txn_\d+_[0-9a-f]{12}/);

  await desktop.pointer.click({ x: window.x + window.width / 2, y: window.y + 8 }); // a person turns to it first
  const approve = await desktop.waitForColour(window, ARMED);
  await desktop.screenshot(path.join(SCREENS, 'package-1-armed.png'));
  await desktop.pointer.click(approve);
  expect((await writing).isError).not.toBe(true);
  expect(fs.readFileSync(file, 'utf8')).toBe('from the package\n');
  await desktop.screenshot(path.join(SCREENS, 'package-2-approved.png'));
  expect((await countersign('audit', 'verify')).code).toBe(0);
  await client.close();
  await end(app);
});

test('it goes without a trace', async () => {
  expect(await installed.remove()).toEqual([]);
});

function renderersOf(main: number): number[] {
  const pids = fs.readdirSync('/proc').map(Number).filter((pid) => pid > 0);
  return pids.filter((pid) => descendsFrom(pid, main) && read(pid, 'cmdline').includes('--type=renderer'));
}

function descendsFrom(pid: number, ancestor: number): boolean {
  const parent = Number(/^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0);
  return parent === ancestor || (parent > 1 && descendsFrom(parent, ancestor));
}

/** Under seccomp's filter, and in namespaces that are not ours: Chromium's two layers. */
function isSandboxed(pid: number): boolean {
  const elsewhere = fs.readlinkSync(`/proc/${pid}/ns/pid`) !== fs.readlinkSync('/proc/self/ns/pid');
  return /^Seccomp:\s+2$/m.test(read(pid, 'status')) && elsewhere && !read(pid, 'cmdline').includes('--no-sandbox');
}

function read(pid: number, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
