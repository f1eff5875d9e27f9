import fs from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { SCREENS } from '../support/desktop/electron-app.ts';
import { type Desktop, startDesktop, until } from '../support/desktop/index.ts';
import { installPackage, type InstalledPackage } from '../support/desktop/installed-package.ts';

const NOT_RUNNING = 3;

test.describe.configure({ mode: 'serial' });

let desktop: Desktop;
let installed: InstalledPackage;
let dataDir: string;
const usr = (...parts: string[]) => path.join(installed.root, 'usr', ...parts);
const countersign = (...words: string[]) => desktop.run([usr('bin', 'countersign'), ...words, '--data-dir', dataDir]);

test.beforeAll(async () => {
  test.setTimeout(8 * 60_000);
  installed = await installPackage();
  desktop = await startDesktop();
  dataDir = desktop.tempFolder('installed');
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
  expect(fs.readdirSync(usr('lib', 'countersign', 'resources')).sort()).toEqual(['app.asar', 'app.asar.unpacked', 'icons']);
});

test('the command line answers while the app is not running', async () => {
  expect((await countersign('doctor')).code).toBe(NOT_RUNNING);
});

test('the app starts as an ordinary user with its sandbox on, serves, and ends when told', async () => {
  const app = desktop.spawn([usr('bin', 'countersign'), '--data-dir', dataDir, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const endpointFile = path.join(dataDir, 'endpoint.json');
  const { url, pid } = await until('endpoint.json', () => fs.existsSync(endpointFile) && (JSON.parse(fs.readFileSync(endpointFile, 'utf8')) as { url: string; pid: number }));
  expect(pid).toBe(app.pid);
  expect(await (await fetch(new URL('/healthz', url))).json()).toMatchObject({ status: 'ok' });
  await until('a sandboxed renderer', () => renderersOf(pid).length > 0 && renderersOf(pid).every(isSandboxed));
  expect((await countersign('doctor')).code).toBe(0);
  await desktop.screenshot(path.join(SCREENS, 'package-started.png'));

  app.kill('SIGTERM');
  expect(await once(app, 'exit')).toEqual([0, null]);
  expect(fs.existsSync(endpointFile)).toBe(false);
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
