/** An authenticator in the window, on real desktops with and without a keyring: set up, used, replaced by a recovery code, removed. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { codeNow, nextCode, wrongCode } from '../support/e2e/codes.ts';
import { sideWindow, type SideWindow } from '../support/e2e/side-window.ts';
import { everything, tracesOf } from '../support/e2e/traces.ts';
import { aPlace, startStory, toolCall, type Story } from '../support/e2e/story.ts';

const TITLE = 'Countersign: authenticator';
const KEYRING = ['--password-store=gnome-libsecret'];
const NO_KEYRING = ['--password-store=basic'];
const PASSPHRASE = 'correct horse battery';
const GUARD = { entry: { preflight_pattern: 'write_file' } };

const authenticator = (desktop: Desktop, story: Story): Promise<SideWindow> => sideWindow(desktop, story.app, 'authenticator', TITLE);
const secretOn = async ({ page }: SideWindow): Promise<string> => (await page.getByLabel('Secret key').innerText()).replace(/\s/g, '');
const recoveryOn = async ({ page }: SideWindow): Promise<string[]> => page.getByRole('list', { name: 'Recovery codes' }).locator('code').allInnerTexts();

async function parked(story: Story, name: string): Promise<{ readonly file: string; readonly location: string }> {
  const file = path.join(story.place.scratch, name);
  const answer = await story.rest('local-fs', toolCall(1, 'write_file', { path: file, content: name }));
  expect(answer.status).toBe(202);
  return { file, location: answer.headers.get('location') ?? '' };
}

/** Types the code into the approval window and clicks Approve. */
async function approveBy(desktop: Desktop, story: Story, code: string): Promise<void> {
  const page = await story.approval();
  await story.focus();
  const box = await page.getByRole('textbox', { name: 'TOTP code' }).boundingBox();
  const window = await desktop.windows.waitForWindow('Countersign: approval');
  await desktop.pointer.click({ x: window.x + box!.x + box!.width / 2, y: window.y + box!.y + box!.height / 2 });
  await desktop.keyboard.type(code);
  await story.click('Approve');
}

test('with a keyring: a call that needs a code offers enrolment first; the QR code, the first code, ten recovery codes; then a code approves once', async () => {
  test.setTimeout(240_000);
  const desktop = await startDesktop({ keyringPassword: 'a test keyring' });
  try {
    const story = await startStory(desktop, aPlace(desktop, GUARD), KEYRING);
    const first = await parked(story, 'first.txt');
    const approval = await story.approval();
    await expect(approval.getByRole('status', { name: 'State' })).toContainText('No authenticator is set up');
    await story.screenshot('totp-1-nothing-enrolled');
    await story.focus();
    await story.click('Set up…');
    const window = await authenticator(desktop, story);
    await expect(window.page.getByRole('heading')).toHaveText('Set up an authenticator');
    await expect(window.page.getByRole('img', { name: 'QR code' })).toHaveCount(0);
    await story.screenshot('totp-2-intro');
    await window.click('Show QR code');
    const secret = await secretOn(window);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    await story.screenshot('totp-3-qr');
    await window.type('TOTP code', wrongCode(secret));
    await window.click('Confirm');
    await expect(window.page.getByRole('alert')).toContainText('That code is wrong.');
    const used = codeNow(secret);
    await window.type('TOTP code', used);
    await window.click('Confirm');
    const recovery = await recoveryOn(window).then(async (codes) => (codes.length > 0 ? codes : until('the recovery codes', async () => ((await recoveryOn(window)).length > 0 ? recoveryOn(window) : undefined))));
    expect(recovery).toHaveLength(10);
    await story.screenshot('totp-4-recovery');
    await window.click('I have kept them');
    await expect(window.page.getByRole('heading')).toHaveText('An authenticator is set up');
    expect(await window.page.content()).not.toContain(recovery[0]);
    await story.screenshot('totp-5-enrolled');
    await window.page.evaluate(() => globalThis.close());

    await expect(approval.getByRole('status', { name: 'State' })).toContainText('Enter the 6-digit code');
    await approveBy(desktop, story, used);
    await expect(approval.getByRole('status', { name: 'State' })).toContainText('already used. Wait for the next one');
    expect(fs.existsSync(first.file)).toBe(false);
    const fresh = await nextCode(secret, used);
    await approveBy(desktop, story, fresh);
    await until('the file', () => Promise.resolve(fs.existsSync(first.file) || undefined));
    await story.screenshot('totp-6-approved');

    // The secret lies sealed: what is in the data directory and the log holds neither it nor a code.
    await story.stop();
    expect(tracesOf([secret, Buffer.from(secret).toString('base64'), ...recovery, ...recovery.map((one) => one.replaceAll('-', '')), used, fresh], everything(story.place.dataDir))).toEqual([]);

    // After a restart the same keyring opens it; a recovery code removes it, once.
    const again = await startStory(desktop, story.place, KEYRING);
    const second = await parked(again, 'second.txt');
    await approveBy(desktop, again, await nextCode(secret, fresh));
    await until('the second file', () => Promise.resolve(fs.existsSync(second.file) || undefined));
    await (await again.approval()).evaluate(() => (globalThis as unknown as { countersign: { setUp(input: string): Promise<string> } }).countersign.setUp('{}'));
    const later = await authenticator(desktop, again);
    await later.click('Remove…');
    await later.type('Present code or recovery code', 'AAAAA-AAAAA-AAAAA-AAAAA');
    await later.click('Remove');
    await expect(later.page.getByRole('alert')).toContainText('That code is wrong.');
    await later.type('Present code or recovery code', recovery[3]!.toLowerCase());
    await later.click('Remove');
    await expect(later.page.getByRole('heading')).toHaveText('Set up an authenticator');
    await again.stop();
  } finally {
    await desktop.stop();
  }
});

test('without a keyring: a passphrase of at least 8 characters is asked for, and again after a restart; nothing weaker seals the secret', async () => {
  test.setTimeout(240_000);
  const desktop = await startDesktop();
  try {
    const story = await startStory(desktop, aPlace(desktop, GUARD), NO_KEYRING);
    await parked(story, 'first.txt');
    await story.approval();
    await story.focus();
    await story.click('Set up…');
    const window = await authenticator(desktop, story);
    await expect(window.page.getByRole('heading')).toHaveText('Choose a passphrase first');
    await expect(window.page.getByRole('button', { name: 'Show QR code' })).toHaveCount(0);
    await story.screenshot('totp-7-choose-passphrase');
    await window.type('New passphrase', 'short');
    await window.type('Repeat the passphrase', 'short');
    await window.click('Use this passphrase');
    await expect(window.page.getByRole('alert')).toHaveText('Use at least 8 characters.');
    expect(await window.page.evaluate(() => (globalThis as unknown as { countersign: { unlock(input: string): Promise<string> } }).countersign.unlock('{"passphrase":"short"}'))).toContain('passphrase-too-short');
    await window.page.reload();
    await window.type('New passphrase', PASSPHRASE);
    await window.type('Repeat the passphrase', PASSPHRASE);
    await window.click('Use this passphrase');
    await window.click('Show QR code');
    const secret = await until('the secret', async () => ((await window.page.getByLabel('Secret key').count()) > 0 ? secretOn(window) : undefined));
    const used = codeNow(secret);
    await window.type('TOTP code', used);
    await window.click('Confirm');
    await window.click('I have kept them');
    await story.stop();
    expect(tracesOf([secret, PASSPHRASE, used], everything(story.place.dataDir))).toEqual([]);

    const again = await startStory(desktop, story.place, NO_KEYRING);
    const waiting = await parked(again, 'second.txt');
    // The first in line is the one of before the restart.
    await approveBy(desktop, again, await nextCode(secret, used));
    await expect((await again.approval()).getByRole('status', { name: 'State' })).toContainText('what sealed its secret is not there');
    await again.click('Open authenticator…');
    const later = await authenticator(desktop, again);
    await expect(later.page.getByRole('heading')).toHaveText('Enter the passphrase');
    await again.screenshot('totp-8-enter-passphrase');
    await later.type('Passphrase', 'not the passphrase');
    await later.click('Unlock');
    await expect(later.page.getByRole('alert')).toContainText('not the passphrase');
    await later.type('Passphrase', PASSPHRASE);
    await later.click('Unlock');
    await expect(later.page.getByRole('heading')).toHaveText('An authenticator is set up');
    await later.page.evaluate(() => globalThis.close());
    await approveBy(desktop, again, codeNow(secret));
    await until('the first file', () => Promise.resolve(fs.existsSync(path.join(again.place.scratch, 'first.txt')) || undefined));
    expect(fs.existsSync(waiting.file)).toBe(false);
    await again.stop();
  } finally {
    await desktop.stop();
  }
});

test('what goes wrong tells no secret: a renderer that dies with the QR code on it, a message that breaks the contract, the log, the output, the crash folder', async () => {
  test.setTimeout(120_000);
  const desktop = await startDesktop();
  try {
    const story = await startStory(desktop, aPlace(desktop, GUARD), NO_KEYRING, { COUNTERSIGN_PASSPHRASE: PASSPHRASE });
    let output = '';
    for (const stream of [story.app.process().stdout, story.app.process().stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    await parked(story, 'first.txt');
    await story.approval();
    await story.focus();
    await story.click('Set up…');
    const dying = await authenticator(desktop, story);
    await dying.click('Show QR code');
    const secret = await until('the secret', async () => ((await dying.page.getByLabel('Secret key').count()) > 0 ? secretOn(dying) : undefined));
    const code = codeNow(secret);
    const replies = await dying.page.evaluate(async ([given, key]) => {
      const { countersign } = globalThis as unknown as { countersign: Record<string, (input: string) => Promise<string>> };
      return [await countersign['confirm']!(JSON.stringify({ code: given, [key!]: key })), await countersign['confirm']!(`{"code":"${given}",${key}`), await countersign['unlock']!(JSON.stringify({ passphrase: [given] }))];
    }, [code, secret]);
    expect(replies).toEqual(Array(3).fill('{"ok":false,"code":"invalid-params"}'));
    const pid = await story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)!.webContents.getOSProcessId(), TITLE);
    process.kill(pid, 'SIGKILL');
    await until('the window to be gone', () => story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().every((window) => window.getTitle() !== title) || undefined, TITLE));

    // Opened again it knows nothing of it, and begins anew with another secret.
    await story.focus();
    await story.click('Set up…');
    const anew = await until('the new page', () => Promise.resolve(story.app.windows().find((page) => page.url().startsWith('app://authenticator/') && page !== dying.page)));
    await expect(anew.getByRole('heading')).toHaveText('Set up an authenticator');
    await story.stop();
    const log = fs.readFileSync(path.join(story.place.dataDir, 'log.ndjson'), 'utf8');
    expect(log).toContain('page-gone');
    expect(log).toContain('authenticator:confirm');
    expect(tracesOf([secret, code, PASSPHRASE], Buffer.concat([everything(story.place.dataDir), Buffer.from(output)]))).toEqual([]);
  } finally {
    await desktop.stop();
  }
});
