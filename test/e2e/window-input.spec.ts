/** Nothing but a deliberate yes approves: real pointer and key events of the X server, on the real window. */
import { expect, test, type Page } from '@playwright/test';
import { type Desktop, type Point, until } from '../support/desktop/index.ts';
import { openStand, type RunningStand, TITLE } from '../support/window-stand/index.ts';
import type { SampleName } from '../support/window-stand/samples.ts';

const APPROVE = 'button.approve';
const ARMING_MS = 500;

let desktop: Desktop;
let stand: RunningStand;
let page: Page;

test.beforeAll(async () => void ({ desktop, stand, page } = await openStand()));
test.afterAll(async () => {
  await stand.stop();
  await desktop.stop();
});
test.beforeEach(async () => {
  await stand.call('clear');
  await desktop.pointer.move({ x: 5, y: 5 });
});

const approve = () => page.getByRole('button', { name: 'Approve', exact: true });
const approvals = async () => (await stand.decisions()).filter(({ what }) => what === 'approve');

const show = (name: SampleName): Promise<string> => stand.show(name);
const focus = (): Promise<void> => stand.focus();
async function armed(): Promise<Point> {
  await focus();
  await expect(approve()).toHaveAttribute('data-phase', 'armed', { timeout: 10_000 });
  return stand.on(APPROVE);
}
/** Runs a chain of xdotool words in one go, so that the gaps between them are its own. */
const chain = (...words: readonly (string | number)[]) => desktop.xdotool(...words);
/** Another window the human works in. */
async function bystander(): Promise<{ typed(): Promise<string>; focus(): Promise<void>; close(): Promise<void> }> {
  const id = await stand.app.evaluate(async ({ BrowserWindow }) => {
    const editor = new BrowserWindow({ title: 'Editor', x: 0, y: 0, width: 220, height: 160 });
    await editor.loadURL('data:text/html,<title>Editor</title><textarea autofocus></textarea>');
    editor.focus();
    return editor.id;
  });
  const window = await desktop.windows.waitForWindow('Editor');
  return {
    typed: () => stand.app.evaluate(({ BrowserWindow }, which) => BrowserWindow.fromId(which)?.webContents.executeJavaScript('document.querySelector("textarea").value') as Promise<string>, id),
    focus: () => desktop.pointer.click({ x: window.x + 40, y: window.y + 30 }),
    close: () => stand.app.evaluate(({ BrowserWindow }, which) => BrowserWindow.fromId(which)?.destroy(), id),
  };
}

test('a click with press and release after arming approves once, and the hash and the proof go with it', async () => {
  const handle = await show('short');
  await desktop.pointer.click(await armed());
  await expect(page.getByRole('status', { name: 'Outcome' })).toContainText('Done');
  expect(await stand.decisions()).toMatchObject([{ handle, what: 'approve', proof: 'button' }]);
});

test('the window appears without taking the focus, and keys typed meanwhile go where they were meant', async () => {
  const editor = await bystander();
  await stand.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)?.hide(), TITLE);
  await editor.focus();
  const typing = chain('type', '--delay', 25, 'yes yes yes  yes yes yes  ');
  await stand.park('short');
  await typing;
  await desktop.windows.waitForWindow(TITLE);
  await chain('type', '--delay', 10, ' y  ');
  await until('all keys in the editor', async () => (await editor.typed()) === 'yes yes yes  yes yes yes   y  ');
  await expect(approve()).toHaveAttribute('aria-disabled', 'true');
  expect(await stand.decisions()).toEqual([]);
  await editor.close();
});

test('the first click into a window in the background only brings it to the front', async () => {
  const editor = await bystander();
  await show('short');
  await editor.focus();
  await expect(page.getByText('Click into this window first.')).toBeVisible();
  const button = await stand.on(APPROVE);
  await desktop.pointer.click(button);
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  expect(await stand.decisions()).toEqual([]);
  await desktop.pointer.click(button);
  await expect.poll(approvals).toHaveLength(1);
  await editor.close();
});

test('200 keys around shows and arrivals approve nothing', async () => {
  test.setTimeout(180_000);
  const keys = ['Return', 'space', 'y', 'KP_Enter', 'space', 'Return', 'a', 'space', 'alt+a', 'ctrl+Return'];
  for (let round = 0; round < 10; round += 1) {
    await stand.call('clear');
    await show('other');
    await armed();
    // From the button itself, which is where a key could do most harm.
    await approve().focus();
    const pressing = chain(...Array.from({ length: 20 }, (_, index) => ['key', keys[(round + index) % keys.length]!, 'sleep', '0.04']).flat());
    await stand.park('short');
    await stand.call('withdrawFirst');
    await pressing;
  }
  expect(await stand.decisions()).toEqual([]);
});

test('200 clicks around shows and arrivals approve nothing sooner than half a second after the last of them', async () => {
  test.setTimeout(180_000);
  let waited: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    await stand.call('clear');
    await show('short');
    await armed();
    const button = await stand.on(APPROVE);
    await desktop.pointer.move(button);
    const clicking = chain(...Array.from({ length: 10 }, (_, index) => ['sleep', (0.01 + ((round * 7 + index * 3) % 10) / 125).toFixed(3), 'click', '1']).flat());
    await stand.park('other');
    if (round % 2 === 1) await stand.call('withdrawFirst');
    await clicking;
    waited = waited.concat((await approvals()).map((decision) => decision.waited));
  }
  for (const ms of waited) expect(ms).toBeGreaterThanOrEqual(ARMING_MS);
});

test('a double and a triple click approve one item, and not the next', async () => {
  const first = await show('short');
  const second = await stand.park('other');
  const button = await armed();
  await desktop.pointer.move(button);
  await chain('click', '--repeat', 3, '--delay', 40, 1);
  await until('the next item', () => stand.call('lookedAt').then((looked) => looked === second));
  expect(await stand.decisions()).toMatchObject([{ handle: first, what: 'approve' }]);
  expect(await stand.call('waiting')).toEqual([second]);
});

test('a press from before arming does not count when it is released after it', async () => {
  await show('short');
  await focus();
  await desktop.pointer.move(await stand.on(APPROVE));
  await stand.park('one');
  await desktop.pointer.press();
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  await desktop.pointer.release();
  await desktop.pointer.move({ x: 5, y: 5 });
  expect(await stand.decisions()).toEqual([]);
});

test('an arrival while the pointer is down on Approve approves neither item', async () => {
  await show('short');
  const button = await armed();
  await desktop.pointer.move(button);
  await desktop.pointer.press();
  await stand.park('other');
  await expect(page.getByRole('status', { name: 'Queue' })).toHaveText('1 of 2 waiting');
  await desktop.pointer.release();
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  expect(await stand.decisions()).toEqual([]);
});

test('an item that expires while the pointer is down is not approved, and says so', async () => {
  await show('brief');
  const button = await armed();
  await desktop.pointer.move(button);
  await desktop.pointer.press();
  await expect(page.getByRole('status', { name: 'Outcome' })).toContainText('Expired');
  await desktop.pointer.release();
  expect(await stand.decisions()).toEqual([]);
});

test('a release beside the button does not count, nor a press beside it', async () => {
  await show('short');
  const button = await armed();
  const beside = { x: button.x, y: button.y - 60 };
  await desktop.pointer.move(button);
  await desktop.pointer.press();
  await desktop.pointer.move(beside);
  await desktop.pointer.release();
  await desktop.pointer.press();
  await desktop.pointer.move(button);
  await desktop.pointer.release();
  await chain('click', 2, 'click', 3);
  expect(await stand.decisions()).toEqual([]);
});

test('on the focused button Enter and a short Space do nothing, and Space held for a second approves', async () => {
  const handle = await show('short');
  await armed();
  await approve().focus();
  await chain('key', '--repeat', 3, '--delay', 50, 'Return');
  await chain('keydown', 'Return', 'sleep', 1.2, 'keyup', 'Return');
  await chain('key', '--repeat', 3, '--delay', 50, 'space');
  await chain('keydown', 'space', 'sleep', 0.7, 'keyup', 'space');
  expect(await stand.decisions()).toEqual([]);
  await chain('keydown', 'space', 'sleep', 1.3, 'keyup', 'space');
  await expect.poll(() => stand.decisions()).toMatchObject([{ handle, what: 'approve', proof: 'button' }]);
});

test('Space held since before arming does not approve', async () => {
  await show('short');
  await armed();
  await approve().focus();
  await desktop.keyboard.down('space');
  await stand.park('other');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  await chain('sleep', 1.3);
  await desktop.keyboard.up('space');
  expect(await stand.decisions()).toEqual([]);
});

test('losing the focus disarms at once, and the delay begins anew when it comes back', async () => {
  const editor = await bystander();
  await show('short');
  await armed();
  await editor.focus();
  await expect(approve()).toHaveAttribute('data-phase', 'off');
  await focus();
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  expect(await stand.decisions()).toEqual([]);
  await editor.close();
});

test('a page that is taken over can approve nothing the human was not shown for long enough', async () => {
  const editor = await bystander();
  const handle = await show('totp');
  const hash = await page.getByLabel('SHA-256').textContent();
  const call = (of: string, payloadHash: string | null) => page.evaluate(
    (input) => (globalThis as unknown as { countersign: { approve(text: string): Promise<string> } }).countersign.approve(input),
    JSON.stringify({ handle: of, payloadHash, proof: { kind: 'button' } }),
  );
  const refused = JSON.stringify({ ok: false, code: 'not-armed' });
  await focus();
  await expect(page.getByText('1 value to open first.')).toBeVisible();
  await expect.poll(() => call(handle, hash)).toBe(refused);
  await editor.focus();
  expect(await call(handle, hash)).toBe(refused);
  const other = await stand.park('short');
  expect(await call(other, 'a'.repeat(64))).toBe(refused);
  expect(await stand.decisions()).toEqual([]);
  await editor.close();
});

test('a complete code does nothing by itself, a wrong one says how many are left, the right one approves with a click', async () => {
  const handle = await show('totpShort');
  await focus();
  await desktop.pointer.click(await stand.on('[aria-label="TOTP code"]'));
  await desktop.keyboard.type('111111');
  await desktop.keyboard.press('Return');
  await expect(approve()).toHaveAttribute('data-phase', 'armed');
  expect(await stand.decisions()).toEqual([]);
  await desktop.pointer.click(await stand.on(APPROVE));
  await expect(page.getByText('That code is wrong. 4 tries left.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'TOTP code' })).toHaveValue('');
  await desktop.pointer.click(await stand.on('[aria-label="TOTP code"]'));
  await desktop.keyboard.type('482910');
  await desktop.pointer.click(await armed());
  await expect.poll(() => stand.decisions()).toMatchObject([{ handle, what: 'approve', proof: 'totp' }]);
});

test('Decline asks for a reason first and hands it on', async () => {
  const handle = await show('short');
  await focus();
  await desktop.pointer.click(await stand.on('[aria-label="Decline"]'));
  await desktop.keyboard.type('not on a Friday');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  expect(await stand.decisions()).toEqual([]);
  await desktop.pointer.click(await stand.on('[aria-label="Decline"]'));
  await desktop.keyboard.type('not on a Friday');
  await desktop.keyboard.press('Return');
  await expect.poll(() => stand.decisions()).toMatchObject([{ handle, what: 'decline: not on a Friday' }]);
  await expect(page.getByRole('status', { name: 'Outcome' })).toContainText('Declined');
});

test('another hash than the stored one is refused, and nothing is approved', async () => {
  await show('short');
  await stand.set({ wrongHash: true });
  await desktop.pointer.click(await armed());
  await expect(page.getByText('What was shown is not what is stored.')).toBeVisible();
  expect(await stand.decisions()).toEqual([]);
});

test('a store that cannot be reached disarms, and the window recovers by itself', async () => {
  await show('short');
  await armed();
  await stand.set({ offline: true });
  await stand.call('changed', null);
  await expect(page.getByText('The store cannot be read or written.')).toBeVisible();
  await expect(approve()).toHaveAttribute('data-phase', 'off');
  await stand.set({ offline: false });
  await expect(approve()).toHaveAttribute('data-phase', 'armed', { timeout: 10_000 });
});

test('closing the window leaves the item pending, and it comes back when asked for', async () => {
  const handle = await show('short');
  const window = await stand.window();
  await chain('windowactivate', '--sync', window.id, 'key', 'alt+F4');
  await desktop.windows.waitForNoWindow(TITLE);
  expect(await stand.call('waiting')).toEqual([handle]);
  await stand.call('open', handle);
  await desktop.windows.waitForWindow(TITLE);
  expect(await stand.decisions()).toEqual([]);
});

test('a page that crashes is built anew; nothing is approved, and the item is still there', async () => {
  const handle = await show('short');
  await armed();
  const old = page;
  await stand.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)?.webContents.forcefullyCrashRenderer(), TITLE);
  page = await until('the new page', () => stand.app.windows().find((window) => window !== old && window.url().endsWith('#rebuilt')));
  await expect(page.getByText('The window had to be built anew.')).toBeVisible();
  expect(await stand.call('waiting')).toEqual([handle]);
  expect(await stand.decisions()).toEqual([]);
  await desktop.pointer.click(await armed());
  await expect.poll(approvals).toHaveLength(1);
});
