/** The tray and the notifications: ways to the window, and nothing the window depends on. */
import { expect, test } from '@playwright/test';
import { type Desktop, startDesktop, until } from '../support/desktop/index.ts';
import { buildStand, type RunningStand, startStand, TITLE } from '../support/window-stand/index.ts';

let desktop: Desktop;

test.beforeAll(async () => {
  buildStand();
  desktop = await startDesktop();
});
test.afterAll(() => desktop.stop());

async function withStand(use: (stand: RunningStand) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const stand = await startStand(desktop, { env });
  try {
    await use(stand);
  } finally {
    await stand.stop();
  }
}
const hide = (stand: RunningStand) => stand.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

test('a click on the tray icon brings the window back', async () => {
  await withStand(async (stand) => {
    await stand.park('short');
    await desktop.windows.waitForWindow(TITLE);
    await hide(stand);
    await desktop.windows.waitForNoWindow(TITLE);
    const icon = await until('the tray icon', async () => (await desktop.windows.trayIcons())[0]);
    await desktop.pointer.click({ x: icon.x + icon.width / 2, y: icon.y + icon.height / 2 });
    await desktop.windows.waitForWindow(TITLE);
    expect(await stand.decisions()).toEqual([]);
  });
});

test('a click on a notification opens its item, not the first of the queue', async () => {
  await withStand(async (stand) => {
    await stand.park('short');
    await desktop.windows.waitForWindow(TITLE);
    const notices = async () => {
      const [id] = await desktop.windows.search('--onlyvisible', '--class', 'dunst');
      return id === undefined ? undefined : desktop.windows.describe(id);
    };
    const one = await until('the first notification', notices);
    const second = await stand.park('totpShort');
    await hide(stand);
    await desktop.windows.waitForNoWindow(TITLE);
    // The daemon keeps the newest at the bottom; its middle button is the notification's own action.
    const notice = await until('both notifications', async () => {
      const both = await notices();
      return both !== undefined && both.height > one.height && both;
    });
    await desktop.pointer.move({ x: notice.x + notice.width / 2, y: notice.y + notice.height - 30 });
    await desktop.xdotool('click', 2);
    await desktop.windows.waitForWindow(TITLE);
    await until('the second item', async () => (await stand.call('lookedAt')) === second);
    await expect((await stand.page()).getByRole('status', { name: 'Queue' })).toHaveText('2 of 2 waiting');
    expect(await stand.decisions()).toEqual([]);
  });
});

test('the page is loaded before anything waits, and the hidden window appears with what arrived, not with what lay there before', async () => {
  await withStand(async (stand) => {
    const page = await stand.page();
    await stand.app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      const seen = globalThis as unknown as { stand: { lookedAt(): string | null }; atShow: (string | null)[] };
      seen.atShow = [];
      window?.on('show', () => seen.atShow.push(seen.stand.lookedAt()));
    });
    const atShow = () => stand.app.evaluate(() => (globalThis as unknown as { atShow: (string | null)[] }).atShow);
    const first = await stand.park('short');
    await desktop.windows.waitForWindow(TITLE);
    await expect(page.getByRole('timer', { name: 'Expires in' })).toBeVisible();
    await stand.call('withdraw', first);
    await hide(stand);
    await desktop.windows.waitForNoWindow(TITLE);
    const second = await stand.park('other');
    await desktop.windows.waitForWindow(TITLE);
    expect(await atShow()).toEqual([first, second]);
  });
});

test('without a tray and without notifications the window does everything', async () => {
  await withStand(async (stand) => {
    const handle = await stand.park('short');
    const window = await desktop.windows.waitForWindow(TITLE);
    await desktop.pointer.click({ x: window.x + window.width / 2, y: window.y + 12 });
    await expect((await stand.page()).getByRole('button', { name: 'Approve', exact: true })).toHaveAttribute('data-phase', 'armed');
    await desktop.pointer.click(await stand.on('button.approve'));
    await expect.poll(() => stand.decisions()).toMatchObject([{ handle, what: 'approve' }]);
  }, { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' });
});
