/** Every window is judged by axe-core, in both schemes: names, roles, contrast, order. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import axeCore from 'axe-core';
import { expect, test, type Page } from '@playwright/test';
import { launchApp } from '../support/desktop/electron-app.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { sideWindow } from '../support/e2e/side-window.ts';
import { aPlace, startStory, toolCall, type Story } from '../support/e2e/story.ts';

let desktop: Desktop;
let story: Story;
test.beforeAll(async () => {
  desktop = await startDesktop();
  fs.mkdirSync(path.join(desktop.home, '.cursor'));
  fs.writeFileSync(path.join(desktop.home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { notes: { command: 'node', args: ['n.js'], env: { A: 'b' } }, off: { command: 'x', disabled: true } } }));
  story = await startStory(desktop, aPlace(desktop, { entry: { preflight_pattern: 'write_file' } }));
});
test.afterAll(async () => {
  await story.stop();
  await desktop.stop();
});

/** The approval window, opened as somebody does who starts the app once more. */
async function open(): Promise<Page> {
  await story.app.evaluate(({ app }) => void app.emit('second-instance'));
  return story.approval();
}

interface Found {
  readonly violations: readonly { readonly id: string; readonly help: string; readonly nodes: readonly { readonly html: string }[] }[];
  readonly passes: readonly unknown[];
}
/** What axe finds on a page, as `rule: element`. It must have looked at something. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source);
  const found = await page.evaluate<Found>('axe.run(document, { resultTypes: ["violations"] })');
  expect(found.passes.length).toBeGreaterThan(5);
  return found.violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id} (${help}): ${html.slice(0, 200)}`));
}
async function isClean(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await faults(page), `${page.url()} in ${colorScheme}`).toEqual([]);
  }
}

test('the approval window: nothing waiting, a call that waits, its canonical text', async () => {
  const page = await open();
  await expect(page.getByRole('heading')).toHaveText('Nothing is waiting');
  await isClean(page);
  expect((await story.rest('local-fs', toolCall(1, 'write_file', { path: path.join(story.place.scratch, 'a'), content: 'p\u0430y \u202e now', password: 'hunter2', big: 'x'.repeat(5_000) }))).status).toBe(202);
  await expect(page.getByRole('table', { name: 'Request fields' })).toBeVisible();
  await isClean(page);
  await page.getByRole('tab', { name: 'Canonical text' }).click();
  await isClean(page);
});

test('the authenticator window', async () => {
  await (await open()).evaluate(() => (globalThis as unknown as { countersign: { setUp(input: string): Promise<string> } }).countersign.setUp('{}'));
  const { page } = await sideWindow(desktop, story.app, 'authenticator', 'Countersign: authenticator');
  await expect(page.getByRole('heading')).toBeVisible();
  await isClean(page);
});

test('the import window: the files, and what one of them holds', async () => {
  await (await open()).evaluate(() => (globalThis as unknown as { countersign: { importServers(input: string): Promise<string> } }).countersign.importServers('{}'));
  const screen = await sideWindow(desktop, story.app, 'import', 'Countersign: import');
  await expect(screen.page.getByRole('list', { name: 'Settings found' })).toBeVisible();
  await isClean(screen.page);
  await screen.click('Look at Cursor');
  await expect(screen.page.getByRole('list', { name: 'Servers' })).toBeVisible();
  await isClean(screen.page);
});

test('the screen of a start that failed', async () => {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const app = await launchApp(desktop, ['--data-dir', aPlace(desktop).dataDir, '--port', String((other.address() as net.AddressInfo).port)]);
  const page = await until('the screen', () => Promise.resolve(app.windows().find((one) => one.url().startsWith('app://trouble/'))));
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await isClean(page);
  await app.close();
  other.close();
});
