/** A start that fails is told on the screen, and tried again from there. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp } from '../support/desktop/electron-app.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { sideWindow } from '../support/e2e/side-window.ts';
import { aPlace, startStory } from '../support/e2e/story.ts';
import { SCREENS } from '../support/desktop/electron-app.ts';

const TITLE = 'Countersign: not running';

let desktop: Desktop;
test.beforeAll(async () => {
  desktop = await startDesktop();
});
test.afterAll(async () => desktop.stop());

/** Another program on a port of 127.0.0.1, and how many bytes anybody sent it. */
async function squatter(): Promise<{ readonly port: number; readonly heard: () => number; close(): Promise<void> }> {
  let heard = 0;
  const server = net.createServer((socket) => {
    heard += 1;
    socket.on('data', (data) => (heard += data.length));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as net.AddressInfo).port, heard: () => heard, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

test('a taken port is named on a screen that tries again when asked, and its holder is never spoken to', async () => {
  const other = await squatter();
  const { dataDir } = aPlace(desktop);
  const app = await launchApp(desktop, ['--data-dir', dataDir, '--port', String(other.port)]);
  const screen = await sideWindow(desktop, app, 'trouble', TITLE);
  await expect(screen.page.getByRole('alert')).toContainText(`Port ${other.port} is in use by another program.`);
  await desktop.screenshot(path.join(SCREENS, 'trouble-1-port.png'));
  await screen.page.emulateMedia({ colorScheme: 'dark' });
  await desktop.screenshot(path.join(SCREENS, 'trouble-2-port-dark.png'));
  expect(fs.existsSync(path.join(dataDir, 'endpoint.json'))).toBe(false);
  await screen.click('Retry');
  await expect(screen.page.getByRole('status', { name: 'State' })).toHaveText('Tried 2 times; it is still so.');
  expect(other.heard()).toBe(0);

  await other.close();
  await screen.click('Retry');
  const { url } = JSON.parse(await until('endpoint.json', () => fs.existsSync(path.join(dataDir, 'endpoint.json')) && fs.readFileSync(path.join(dataDir, 'endpoint.json'), 'utf8'))) as { url: string };
  expect(new URL(url).port).toBe(String(other.port));
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: 'ok' });
  await until('the screen to be gone', () => app.windows().every((page) => !page.url().startsWith('app://trouble/')) || undefined);
  await app.close();
});

test('a database that cannot be opened stops everything but a screen that says so; nothing is changed, and it starts when the file is whole again', async () => {
  const place = aPlace(desktop);
  await (await startStory(desktop, place)).stop();
  const database = path.join(place.dataDir, 'countersign.db');
  const whole = fs.readFileSync(database);
  const spoilt = Buffer.from(whole);
  spoilt.fill(0x5a, 0, 4096);
  fs.writeFileSync(database, spoilt);

  const app = await launchApp(desktop, ['--data-dir', place.dataDir, '--port', '0']);
  const screen = await sideWindow(desktop, app, 'trouble', TITLE);
  await expect(screen.page.getByRole('alert')).not.toBeEmpty();
  await expect(screen.page.getByRole('main')).toContainText('Nothing is let through');
  await desktop.screenshot(path.join(SCREENS, 'trouble-3-database.png'));
  // In the smallest window all of it can be reached, from the first word to the last button.
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(480, 320));
  await until('the size', () => screen.page.evaluate(() => innerWidth === 480 || undefined));
  const main = screen.page.getByRole('main');
  await main.evaluate((element) => element.scrollTo(0, 0));
  await expect(screen.page.getByText('Countersign is not running.')).toBeInViewport({ ratio: 1 });
  await main.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(screen.page.getByRole('button', { name: 'Retry' })).toBeInViewport({ ratio: 1 });
  expect(app.windows()).toHaveLength(1);
  expect(fs.existsSync(path.join(place.dataDir, 'endpoint.json'))).toBe(false);
  expect(fs.readFileSync(database).equals(spoilt)).toBe(true);

  fs.writeFileSync(database, whole);
  await screen.click('Retry');
  await until('endpoint.json', () => fs.existsSync(path.join(place.dataDir, 'endpoint.json')) || undefined);
  await app.close();
});

test('whoever closes the screen ends the app, which says by its exit code that it did not start', async () => {
  const other = await squatter();
  const app = await launchApp(desktop, ['--data-dir', aPlace(desktop).dataDir, '--port', String(other.port)]);
  const ended = new Promise<number | null>((resolve) => app.process().once('exit', resolve));
  const screen = await sideWindow(desktop, app, 'trouble', TITLE);
  await screen.click('Quit');
  expect(await ended).toBe(2);
  expect(other.heard()).toBe(0);
  await other.close();
});
