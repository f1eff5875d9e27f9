/** What a page that is killed or taken over can do to the real app: nothing. And the authenticator's window at its smallest, light and dark. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { sideWindow } from '../support/e2e/side-window.ts';
import { aPlace, startStory, toolCall, WINDOW_TITLE, type Story } from '../support/e2e/story.ts';

let desktop: Desktop;
let story: Story;
test.beforeAll(async () => {
  desktop = await startDesktop();
  story = await startStory(desktop, aPlace(desktop), [], { COUNTERSIGN_PASSPHRASE: 'correct horse battery' });
});
test.afterAll(async () => {
  await story.stop();
  await desktop.stop();
});

const file = (name: string): string => path.join(story.place.scratch, name);
async function parked(name: string): Promise<{ readonly handle: string; readonly hash: string; readonly location: string }> {
  const answer = await story.rest('local-fs', toolCall(1, 'write_file', { path: file(name), content: name }));
  const { params } = (await answer.json()) as { params: { handle: string; payload_hash: string } };
  return { handle: params.handle, hash: params.payload_hash, location: answer.headers.get('location') ?? '' };
}

test('a page taken over approves nothing with another hash, another item, a made-up proof or a code, and the stored request stays as it was', async () => {
  const first = await parked('first.txt');
  const second = await parked('second.txt');
  const page = await story.approval();
  await expect(page.getByLabel('SHA-256')).toHaveText(first.hash);
  await story.focus();
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).not.toHaveAttribute('aria-disabled', 'true', { timeout: 10_000 });
  const approve = (input: object): Promise<{ ok: boolean; code?: string }> =>
    page.evaluate(async (text) => JSON.parse(await (globalThis as unknown as { countersign: { approve(input: string): Promise<string> } }).countersign.approve(text)) as { ok: boolean; code?: string }, JSON.stringify(input));
  const button = { kind: 'button' };
  expect(await approve({ handle: first.handle, payloadHash: second.hash, proof: button })).toEqual({ ok: false, code: 'hash-mismatch' });
  expect(await approve({ handle: second.handle, payloadHash: second.hash, proof: button })).toEqual({ ok: false, code: 'not-armed' });
  expect(await approve({ handle: first.handle, payloadHash: first.hash, proof: { kind: 'totp', code: '482910' } })).toMatchObject({ ok: false });
  for (const more of [{ proof: { kind: 'human' } }, { proof: button, extra: true }, { proof: null }]) expect(await approve({ handle: first.handle, payloadHash: first.hash, ...more })).toEqual({ ok: false, code: 'invalid-params' });
  expect([fs.existsSync(file('first.txt')), fs.existsSync(file('second.txt'))]).toEqual([false, false]);
  for (const { location } of [first, second]) expect((await story.get(location)).status).toBe(202);
});

test('a page that is killed approves nothing, is built anew with the same item, and a click in the new one sends it once', async () => {
  const page = await story.approval();
  const hash = await page.getByLabel('SHA-256').innerText();
  const pid = await story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)!.webContents.getOSProcessId(), WINDOW_TITLE);
  process.kill(pid, 'SIGKILL');
  const rebuilt = await until('the new page', () => Promise.resolve(story.app.windows().find((one) => one !== page && one.url().endsWith('#rebuilt'))));
  await expect(rebuilt.getByLabel('SHA-256')).toHaveText(hash);
  await expect(rebuilt.getByText('The window had to be built anew.')).toBeVisible();
  expect(fs.existsSync(file('first.txt'))).toBe(false);
  await story.focus();
  await story.click('Approve');
  await until('the file', () => Promise.resolve(fs.existsSync(file('first.txt'))));
  expect(fs.existsSync(file('second.txt'))).toBe(false);
});

test('the authenticator’s window at its smallest keeps everything within reach, in light and dark', async () => {
  const approval = await story.approval();
  await approval.evaluate(() => (globalThis as unknown as { countersign: { setUp(input: string): Promise<string> } }).countersign.setUp('{}'));
  const title = 'Countersign: authenticator';
  const window = await sideWindow(desktop, story.app, 'authenticator', title);
  await window.click('Show QR code');
  await expect(window.page.getByRole('img', { name: 'QR code' })).toBeVisible();
  await story.app.evaluate(({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows().find((one) => one.getTitle() === wanted)!.setContentSize(480, 420), title);
  await until('the smaller page', () => window.page.evaluate(() => innerWidth === 480));
  for (const scheme of ['light', 'dark'] as const) {
    await window.page.emulateMedia({ colorScheme: scheme });
    await window.page.getByRole('main').evaluate((element) => element.scrollTo(0, 0));
    await story.screenshot(`totp-9-small-${scheme}`);
  }
  expect(await window.page.getByRole('main').evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  await window.click('Cancel');
  await expect(window.page.getByRole('heading')).toHaveText('Set up an authenticator');
});
