/** What no page of ours can do, asserted on the running window. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { CONTENT_SECURITY_POLICY } from '../../src/main/windows/pages.ts';
import { appUnderTest } from '../support/desktop/electron-app.ts';
import { type Desktop, startDesktop } from '../support/desktop/index.ts';
import { buildStand, type RunningStand, startStand, TITLE } from '../support/window-stand/index.ts';

let desktop: Desktop;
let stand: RunningStand;
let page: Page;

test.beforeAll(async () => {
  buildStand();
  desktop = await startDesktop();
  stand = await startStand(desktop);
  await stand.park('short');
  page = await stand.page();
  await stand.window();
});
test.afterAll(async () => {
  await stand.stop();
  await desktop.stop();
});

test('every setting of the window is the hardened one', async () => {
  const settings = await stand.app.evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows()[0]!;
    const contents = window.webContents as typeof window.webContents & { getLastWebPreferences(): Record<string, unknown> };
    return { preferences: contents.getLastWebPreferences(), title: window.getTitle(), zoom: contents.getZoomFactor(), minimum: window.getMinimumSize(), size: window.getContentSize(), alwaysOnTop: window.isAlwaysOnTop() };
  });
  expect(settings.preferences).toMatchObject({
    contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInSubFrames: false, webSecurity: true, allowRunningInsecureContent: false,
    experimentalFeatures: false, webviewTag: false, disableDialogs: true,
  });
  expect(settings).toMatchObject({ title: TITLE, zoom: 1, size: [820, 640], alwaysOnTop: false });
});

test('the page runs in Chromium\'s sandbox, without Node and without Electron', async () => {
  expect(await page.evaluate(() => ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter((name) => name in globalThis))).toEqual([]);
  const sandboxed = await stand.app.evaluate(({ app, BrowserWindow }) => app.getAppMetrics().find((metric) => metric.pid === BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId())?.type);
  expect(sandboxed).toBe('Tab');
  const pid = await stand.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getOSProcessId());
  expect(fs.readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
});

test('the bridge has the contract\'s methods and nothing else, and cannot be changed', async () => {
  const surface = await page.evaluate(() => {
    const { countersign } = globalThis as unknown as { countersign: Record<string, unknown> };
    try {
      countersign['look'] = () => 'mine';
    } catch {
      // frozen in strict mode: as it should be
    }
    return { names: Object.keys(countersign), look: String(countersign['look']).includes('mine') };
  });
  expect(surface).toEqual({ names: ['look', 'value', 'approve', 'cancel', 'decline', 'outcome', 'setUp', 'importServers', 'onChanged', 'onOpened', 'onPresence'], look: false });
});

test('what the page hands over as anything but a text reaches no handler', async () => {
  const answers = await page.evaluate(async () => {
    const { look } = (globalThis as unknown as { countersign: { look(input: unknown): Promise<string> } }).countersign;
    return Promise.all([{ handle: null }, JSON.parse('{"__proto__":{"polluted":true}}'), ['{"handle":null}'], 1, null, undefined, '{"handle":null,"extra":1}', '{"handle":"../etc"}'].map((input) => look(input)));
  });
  expect(new Set(answers)).toEqual(new Set([JSON.stringify({ ok: false, code: 'invalid-params' })]));
});

test('another window of the app cannot reach this window\'s channels', async () => {
  const answer = await stand.app.evaluate(async ({ app, BrowserWindow }) => {
    const own = BrowserWindow.getAllWindows()[0]!;
    const preload = `${app.getAppPath()}/preload/approval.cjs`;
    const other = new BrowserWindow({ show: false, webPreferences: { session: own.webContents.session, preload } });
    await other.loadURL('app://approval/index.html');
    const said = await other.webContents.executeJavaScript('countersign.look(JSON.stringify({ handle: null })).then(String, String)') as string;
    other.destroy();
    return said;
  });
  expect(answer).toContain('No handler registered');
});

test('the page\'s own frames have no bridge, and frames from elsewhere do not load', async () => {
  const frames = await page.evaluate(() => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const has = 'countersign' in (frame.contentWindow as object);
    frame.remove();
    return has;
  });
  expect(frames).toBe(false);
});

test('the security policy comes with the page, and holds', async () => {
  const headers = await stand.app.evaluate(async ({ BrowserWindow }) => {
    const response = await BrowserWindow.getAllWindows()[0]!.webContents.session.fetch('app://approval/index.html');
    return Object.fromEntries(response.headers);
  });
  expect(headers).toMatchObject({ 'content-security-policy': CONTENT_SECURITY_POLICY, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
  const held = await page.evaluate(async () => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const attempt = (what: () => void): string => {
      try {
        what();
        return 'done';
      } catch (error) {
        return (error as Error).name;
      }
    };
    const markup = attempt(() => (document.createElement('div').innerHTML = '<img src=x onerror="globalThis.owned = true">'));
    // Not `eval` itself: a debugger, which runs this test, is allowed that one.
    const evaluated = attempt(() => void setTimeout('globalThis.owned = true' as unknown as () => void));
    const script = attempt(() => document.head.append(Object.assign(document.createElement('script'), { text: 'globalThis.owned = true' })));
    const fetched = await fetch('https://example.org/').then(() => 'done', (error: unknown) => (error as Error).name);
    const inline = document.createElement('style');
    inline.textContent = 'body { display: none }';
    document.head.append(inline);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const shown = getComputedStyle(document.body).display;
    inline.remove();
    return { markup, evaluated, script, fetched, shown, owned: 'owned' in globalThis, violations: [...new Set(violations)] };
  });
  expect(held).toMatchObject({ markup: 'TypeError', evaluated: 'TypeError', script: 'TypeError', fetched: 'TypeError', shown: 'block', owned: false });
  expect(held.violations).toEqual(expect.arrayContaining(['connect-src', 'style-src-elem']));
});

test('app:// serves the built pages and nothing else of the disk', async () => {
  fs.symlinkSync('/etc/passwd', path.join(stand.folder, 'renderer', 'assets', 'link.js'));
  const addresses = ['app://approval/..%2f..%2f..%2fetc/passwd', 'app://approval/%2e%2e/%2e%2e/package.json', 'app://other/index.html', 'app://approval/assets/link.js', 'app://approval/assets/', 'app://approval/..%2fmain/index.js', 'app://approval/missing.js'];
  const statuses = await stand.app.evaluate(async ({ BrowserWindow }, list) => {
    const { session } = BrowserWindow.getAllWindows()[0]!.webContents;
    return Promise.all(list.map(async (address) => (await session.fetch(address)).status));
  }, addresses);
  expect(statuses).toEqual(addresses.map(() => 404));
  const posted = await stand.app.evaluate(async ({ BrowserWindow }) => (await BrowserWindow.getAllWindows()[0]!.webContents.session.fetch('app://approval/index.html', { method: 'POST', body: 'x' })).status);
  expect(posted).toBe(404);
});

test('the page goes nowhere, opens nothing and embeds nothing', async () => {
  await page.evaluate(() => {
    location.href = 'https://example.org/';
    location.assign('app://approval/assets/x.html');
    const link = document.createElement('a');
    Object.assign(link, { href: 'https://example.org/', target: '_blank' });
    document.body.append(link);
    link.click();
    link.dispatchEvent(new MouseEvent('auxclick', { button: 1, bubbles: true }));
    link.remove();
  });
  expect(await page.evaluate(() => window.open('https://example.org/'))).toBeNull();
  expect(await page.evaluate(() => {
    const form = document.createElement('form');
    form.action = 'https://example.org/';
    document.body.append(form);
    form.submit();
    form.remove();
    return document.createElement('webview') instanceof HTMLUnknownElement || document.createElement('webview').constructor === HTMLElement;
  })).toBe(true);
  await page.waitForTimeout(300);
  expect(page.url()).toBe('app://approval/index.html');
  expect(await stand.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('every permission is denied', async () => {
  const answers = await page.evaluate(async () => {
    const states = await Promise.all(['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'screen-wake-lock'].map((name) => navigator.permissions.query({ name: name as PermissionName }).then(({ state }) => state, () => 'denied')));
    const refused = (attempt: Promise<unknown>) => attempt.then(() => 'given', () => 'refused');
    return {
      states: [...new Set(states)],
      media: await refused(navigator.mediaDevices.getUserMedia({ audio: true })),
      screen: await refused(navigator.mediaDevices.getDisplayMedia({ video: true })),
      clipboard: await refused(navigator.clipboard.readText()),
      position: await refused(new Promise((give, fail) => navigator.geolocation.getCurrentPosition(give, fail))),
      notification: await Notification.requestPermission(),
    };
  });
  expect(answers).toEqual({ states: ['denied'], media: 'refused', screen: 'refused', clipboard: 'refused', position: 'refused', notification: 'denied' });
});

test('keys that other windows know change nothing here: zoom, reload, tools, menu', async () => {
  const window = await stand.window();
  await desktop.pointer.click({ x: window.x + window.width / 2, y: window.y + 12 });
  await page.evaluate(() => Object.assign(globalThis, { stillHere: true }));
  await desktop.xdotool('key', 'ctrl+plus', 'key', 'ctrl+minus', 'key', 'ctrl+r', 'key', 'F5', 'key', 'ctrl+shift+i', 'key', 'F12', 'key', 'F11', 'key', 'alt', 'key', 'ctrl+w', 'key', 'ctrl+p');
  await desktop.xdotool('keydown', 'ctrl', 'click', '--repeat', 5, 4, 'keyup', 'ctrl');
  expect(await page.evaluate(() => ({ stillHere: 'stillHere' in globalThis, scale: globalThis.devicePixelRatio, visual: globalThis.visualViewport?.scale }))).toEqual({ stillHere: true, scale: 1, visual: 1 });
  const state = await stand.app.evaluate(({ BrowserWindow, Menu }) => {
    const shown = BrowserWindow.getAllWindows()[0]!;
    return { tools: shown.webContents.isDevToolsOpened(), full: shown.isFullScreen(), visible: shown.isVisible(), menu: Menu.getApplicationMenu() === null };
  });
  expect(state).toEqual({ tools: false, full: false, visible: true, menu: true });
});

test.describe('switches', () => {
  for (const flag of ['--no-sandbox', '--js-flags=--expose-gc', '--disable-web-security', '--host-rules=MAP * 127.0.0.1', '--user-data-dir=/tmp/elsewhere']) {
    test(`the app does not start with ${flag}`, async () => {
      const { executablePath } = appUnderTest();
      const child = desktop.spawn([executablePath, stand.folder, flag], { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const code = await new Promise((resolve) => child.once('exit', resolve));
      expect({ code, said: /refused: (--[a-z-]+)/.exec(said)?.[1] }).toEqual({ code: 2, said: flag.split('=')[0] });
    });
  }
});
