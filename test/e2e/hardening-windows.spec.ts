/** The walls of every window of the real app, asserted at run time: approval, authenticator, import, and the screen of a failed start. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, test, type ElectronApplication, type Page } from '@playwright/test';
import { CONTENT_SECURITY_POLICY } from '../../src/main/windows/pages.ts';
import { appUnderTest, launchApp } from '../support/desktop/electron-app.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { aPlace, startStory, toolCall, type Story } from '../support/e2e/story.ts';

interface Opened {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly title: string;
}

const BRIDGES: Readonly<Record<string, readonly string[]>> = {
  approval: ['look', 'value', 'approve', 'cancel', 'decline', 'outcome', 'setUp', 'importServers', 'onChanged', 'onOpened', 'onPresence'],
  import: ['look', 'choose', 'preview', 'add'],
  authenticator: ['look', 'unlock', 'begin', 'confirm', 'reset'],
  trouble: ['look', 'retry', 'quit', 'onChanged'],
};
const WINDOWS = Object.keys(BRIDGES);

let desktop: Desktop;
let story: Story;
let failed: ElectronApplication;
let squatter: net.Server;
const opened = new Map<string, Opened>();
const at = (name: string): Opened => opened.get(name)!;
const pageOf = (app: ElectronApplication, name: string): Promise<Page> => until(`the page ${name}`, () => Promise.resolve(app.windows().find((page) => page.url().startsWith(`app://${name}/`))));

test.beforeAll(async () => {
  desktop = await startDesktop();
  story = await startStory(desktop, aPlace(desktop, { entry: { preflight_pattern: 'write_file' } }));
  expect((await story.rest('local-fs', toolCall(1, 'write_file', { path: path.join(story.place.scratch, 'a'), content: '<img src=x onerror="document.title=1">' }))).status).toBe(202);
  const approval = await story.approval();
  opened.set('approval', { app: story.app, page: approval, title: 'Countersign: approval' });
  await approval.evaluate(async () => {
    const { countersign } = globalThis as unknown as { countersign: { setUp(input: string): Promise<string>; importServers(input: string): Promise<string> } };
    await countersign.setUp('{}');
    await countersign.importServers('{}');
  });
  opened.set('import', { app: story.app, page: await pageOf(story.app, 'import'), title: 'Countersign: import' });
  opened.set('authenticator', { app: story.app, page: await pageOf(story.app, 'authenticator'), title: 'Countersign: authenticator' });

  squatter = net.createServer();
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  failed = await launchApp(desktop, ['--data-dir', aPlace(desktop).dataDir, '--port', String((squatter.address() as net.AddressInfo).port)]);
  opened.set('trouble', { app: failed, page: await pageOf(failed, 'trouble'), title: 'Countersign: not running' });
});
test.afterAll(async () => {
  await story.stop();
  await failed.close();
  squatter.close();
  await desktop.stop();
});

for (const name of WINDOWS) {
  test(`${name}: every setting of the window is the hardened one`, async () => {
    const { app, page, title } = at(name);
    const settings = await app.evaluate(({ BrowserWindow, Menu }, wanted) => {
      const window = BrowserWindow.getAllWindows().find((one) => one.getTitle() === wanted)!;
      const contents = window.webContents as typeof window.webContents & { getLastWebPreferences(): Record<string, unknown> };
      return { preferences: contents.getLastWebPreferences(), menu: Menu.getApplicationMenu() === null, zoom: contents.getZoomFactor(), pid: contents.getOSProcessId(), onTop: window.isAlwaysOnTop(), persistent: contents.session.isPersistent() };
    }, title);
    expect(settings.preferences).toMatchObject({
      contextIsolation: true, sandbox: true, nodeIntegration: false, nodeIntegrationInSubFrames: false, webSecurity: true, allowRunningInsecureContent: false,
      experimentalFeatures: false, webviewTag: false, disableDialogs: true, safeDialogs: true,
    });
    // Told only when they are on.
    expect(['plugins', 'spellcheck', 'navigateOnDragDrop', 'nodeIntegrationInWorker', 'enableWebSQL', 'enableBlinkFeatures', 'offscreen', 'transparent'].filter((setting) => Boolean(settings.preferences[setting]))).toEqual([]);
    expect(settings).toMatchObject({ menu: true, zoom: 1, onTop: false, persistent: false });
    expect(fs.readFileSync(`/proc/${settings.pid}/status`, 'utf8')).toMatch(/^Seccomp:\s+2$/m);
    await page.evaluate(() => (document.title = 'Something else'));
    expect(await app.evaluate(({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows().some((one) => one.getTitle() === wanted), title)).toBe(true);
  });

  test(`${name}: the page has its own contract, no Node, no Electron, and no text becomes markup or script`, async () => {
    const { page } = at(name);
    const found = await page.evaluate(() => {
      const attempt = (what: () => unknown): string => {
        try {
          what();
          return 'done';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const bridge = (globalThis as unknown as { countersign: Record<string, unknown> }).countersign;
      const tampered = attempt(() => Object.assign(bridge, { look: () => 'mine' }));
      return {
        names: Object.keys(bridge), tampered, mine: String(bridge['look']).includes('mine'),
        globals: ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'].filter((one) => one in globalThis),
        markup: attempt(() => (document.createElement('p').innerHTML = '<img src=x onerror=1>')),
        script: attempt(() => (document.createElement('script').text = '1')),
        worker: attempt(() => new Worker('data:text/javascript,1')),
      };
    });
    expect(found).toEqual({ names: BRIDGES[name], tampered: 'TypeError', mine: false, globals: [], markup: 'TypeError', script: 'TypeError', worker: expect.stringMatching(/TypeError|SecurityError/) });
  });

  test(`${name}: it goes nowhere, opens nothing, embeds nothing, fetches nothing, and is given no permission`, async () => {
    const { app, page } = at(name);
    const before = [page.url(), app.windows().length] as const;
    const found = await page.evaluate(async () => {
      const blocked: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective));
      location.href = 'https://example.org/';
      location.assign('app://approval/index.html?elsewhere');
      const popup = window.open('app://approval/index.html');
      const frame = document.createElement('iframe');
      frame.src = 'app://approval/index.html';
      document.body.append(frame);
      const fetched = await fetch('https://example.org/').then(() => 'done', () => 'refused');
      const own = await fetch('app://approval/index.html').then(() => 'done', () => 'refused');
      await new Promise((resolve) => setTimeout(resolve, 200));
      frame.remove();
      const states = await Promise.all(['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'].map((one) => navigator.permissions.query({ name: one as PermissionName }).then(({ state }) => state, () => 'denied')));
      const media = await navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'given', () => 'refused');
      return { popup: popup === null, fetched, own, blocked: [...new Set(blocked)].sort(), states: [...new Set(states)], media };
    });
    expect(found).toEqual({ popup: true, fetched: 'refused', own: 'refused', blocked: ['connect-src', 'frame-src'], states: ['denied'], media: 'refused' });
    expect([page.url(), app.windows().length]).toEqual(before);
  });

  test(`${name}: the security policy comes with the page`, async () => {
    const { app, title } = at(name);
    const headers = await app.evaluate(async ({ BrowserWindow }, [wanted, address]) => {
      const { session } = BrowserWindow.getAllWindows().find((one) => one.getTitle() === wanted)!.webContents;
      const [page, other] = await Promise.all([session.fetch(address!), session.fetch(address!.replace('index.html', '%2e%2e/%2e%2e/package.json'))]);
      return { policy: page.headers.get('content-security-policy'), other: other.status };
    }, [title, `app://${name}/index.html`]);
    expect(headers).toEqual({ policy: CONTENT_SECURITY_POLICY, other: 404 });
  });
}

test('a window whose page has become another origin is answered by nobody', async () => {
  for (const [name, address] of [['authenticator', 'app://approval/index.html'], ['authenticator', 'about:blank']] as const) {
    const answer = await story.app.evaluate(async ({ BrowserWindow }, [title, elsewhere]) => {
      const { webContents } = BrowserWindow.getAllWindows().find((one) => one.getTitle() === title)!;
      // Only main itself can do this; a page cannot.
      await webContents.loadURL(elsewhere!);
      return webContents.executeJavaScript("countersign.look('{}').then(String, String)") as Promise<string>;
    }, [at(name).title, address]);
    expect(answer).toBe('{"ok":false,"code":"origin-not-allowed"}');
  }
});

test('a window with the preload of another reaches none of its channels', async () => {
  const answers = await story.app.evaluate(async ({ app, BrowserWindow }) => {
    const { session } = BrowserWindow.getAllWindows()[0]!.webContents;
    const said: string[] = [];
    for (const name of ['approval', 'authenticator', 'trouble']) {
      const other = new BrowserWindow({ show: false, webPreferences: { session, preload: `${app.getAppPath()}/out/preload/${name}.cjs` } });
      await other.loadURL(`app://${name}/index.html`);
      said.push(await (other.webContents.executeJavaScript("countersign.look('{}').then(String, String)") as Promise<string>));
      other.destroy();
    }
    return said;
  });
  for (const answer of answers) expect(answer).toContain('No handler registered');
});

test('with a switch that takes a wall down the app does not start, names the switch, and touches nothing', async () => {
  test.setTimeout(180_000);
  const { appDir, executablePath } = appUnderTest();
  for (const word of ['--no-sandbox', '--disable-web-security', '--js-flags=--expose-gc', '--host-rules=MAP * 127.0.0.1', '--load-extension=/tmp', '--user-data-dir=/tmp/x', '--proxy-server=127.0.0.1:1', '--single-process', '--renderer-cmd-prefix=/bin/true', '-disable-site-isolation-trials']) {
    const { dataDir } = aPlace(desktop);
    const ended = await desktop.run([executablePath, appDir, '--data-dir', dataDir, '--port', '0', word]);
    const name = `--${word.replace(/^-+/, '').split('=')[0]!}`;
    expect([word, ended.code, ended.stderr.includes(`does not start with ${name}`), fs.existsSync(dataDir)]).toEqual([word, 2, true, false]);
  }
});

test('a second start on the same data directory leaves everything to the first, and ends with 0', async () => {
  const { appDir, executablePath } = appUnderTest();
  const ended = await desktop.run([executablePath, appDir, '--data-dir', story.place.dataDir, '--port', '0']);
  expect([ended.code, ended.stdout]).toEqual([0, '']);
  expect(JSON.parse(fs.readFileSync(path.join(story.place.dataDir, 'endpoint.json'), 'utf8'))).toMatchObject({ pid: story.pid, url: story.url });
  expect(await (await fetch(`${story.url}/healthz`)).json()).toMatchObject({ status: 'ok' });
});
