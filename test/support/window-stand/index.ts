import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { canOrdinaryUserRead } from '../../../scripts/setup/ordinary-user.mjs';
import { appUnderTest, attach, SCREENS } from '../desktop/electron-app.ts';
import { settled } from '../desktop/settled.ts';
import { type Desktop, type Point, startDesktop, type ScreenWindow, until } from '../desktop/index.ts';
import type { SampleName } from './samples.ts';
import type { Stand } from './main.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const OUT = path.join(ROOT, 'test-results', 'window-stand');
export const TITLE = 'Countersign: approval';

/** Builds the stand: the product's windows, bridge and page, with a queue in memory behind them. */
export function buildStand(): string {
  fs.rmSync(OUT, { recursive: true, force: true });
  execFileSync(process.execPath, [path.join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--config', path.join(import.meta.dirname, 'electron.vite.config.ts')], { cwd: ROOT, stdio: 'pipe' });
  fs.cpSync(path.join(ROOT, 'resources', 'icons'), path.join(OUT, 'icons'), { recursive: true });
  fs.writeFileSync(path.join(OUT, 'package.json'), JSON.stringify({ name: 'countersign-window-stand', version: '0.0.0', type: 'module', main: 'main/index.js' }));
  return OUT;
}

type Methods = Exclude<keyof Stand, 'settings'>;

export interface RunningStand {
  readonly app: ElectronApplication;
  /** The approval page, once there is one. */
  page(): Promise<Page>;
  /** The window on the screen, once it has stopped moving. */
  window(): Promise<ScreenWindow>;
  /** Where the middle of something in the page is on the screen. */
  on(selector: string): Promise<Point>;
  /** Runs in the stand's main process; see `main.ts`. */
  park(name: SampleName): Promise<string>;
  /** Parks an item and waits until the page shows it. */
  show(name: SampleName): Promise<string>;
  /** Brings the window to the front as a human does, by a click on its edge where nothing is. */
  focus(): Promise<void>;
  /** Gives the page this size, and waits until it has it. */
  size(width: number, height: number): Promise<void>;
  /** Photographs the screen when nothing moves any more. */
  picture(name: string): Promise<void>;
  /** The built stand, where the desktop's user can read it. */
  readonly folder: string;
  set(settings: Partial<Stand['settings']>): Promise<void>;
  decisions(): Promise<ReturnType<Stand['decisions']>>;
  call<K extends Methods>(method: K, ...args: Parameters<Stand[K]>): Promise<ReturnType<Stand[K]>>;
  stop(): Promise<void>;
}

/** Everything a file of tests of the window needs: the stand, built and running on a desktop of its own, with the window open. */
export async function openStand(): Promise<{ readonly desktop: Desktop; readonly stand: RunningStand; readonly page: Page }> {
  buildStand();
  const desktop = await startDesktop();
  const stand = await startStand(desktop);
  await stand.call('open', null);
  return { desktop, stand, page: await stand.page() };
}

export async function startStand(desktop: Desktop, { env = {} }: { readonly env?: Readonly<Record<string, string>> } = {}): Promise<RunningStand> {
  const { executablePath } = appUnderTest();
  const built = readable(OUT);
  const app = await attach(desktop, executablePath, [built.folder], env);
  await until('the stand', () => app.evaluate(() => 'stand' in globalThis));
  const call = <K extends Methods>(method: K, ...args: Parameters<Stand[K]>): Promise<ReturnType<Stand[K]>> =>
    app.evaluate((_electronModule, [name, given]) => {
      const { stand } = globalThis as unknown as { stand: Record<string, (...words: unknown[]) => unknown> };
      return stand[name]?.(...given);
    }, [method, args] as [string, unknown[]]) as Promise<ReturnType<Stand[K]>>;
  const page = async (): Promise<Page> => {
    const found = await until('the approval page', () => app.windows().find((window) => window.url().startsWith('app://approval/')));
    await found.waitForLoadState();
    return found;
  };
  return {
    app,
    folder: built.folder,
    page,
    window: () => desktop.windows.waitForWindow(TITLE),
    async on(selector) {
      const [shown, box] = await Promise.all([desktop.windows.waitForWindow(TITLE), (await page()).locator(selector).first().boundingBox()]);
      if (box === null) throw new Error(`not on the page: ${selector}`);
      return { x: shown.x + box.x + box.width / 2, y: shown.y + box.y + box.height / 2 };
    },
    park: (name) => call('park', name),
    async show(name) {
      const handle = await call('park', name);
      await call('open', handle);
      await until('the item on the page', async () => (await call('lookedAt')) === handle);
      await (await page()).getByRole('timer', { name: 'Expires in' }).waitFor();
      return handle;
    },
    async focus() {
      const shown = await desktop.windows.waitForWindow(TITLE);
      await desktop.pointer.click({ x: shown.x + shown.width / 2, y: shown.y + 12 });
    },
    async size(width, height) {
      await app.evaluate(({ BrowserWindow }, [w, h]) => BrowserWindow.getAllWindows()[0]?.setContentSize(w!, h!), [width, height]);
      const shown = await page();
      await until('the size', () => shown.evaluate(([w, h]) => innerWidth === w && innerHeight === h, [width, height]));
    },
    async picture(name) {
      await settled(await page());
      await desktop.screenshot(path.join(SCREENS, `${name}.png`));
    },
    set: (settings) => app.evaluate((_electronModule, given) => void Object.assign((globalThis as unknown as { stand: Stand }).stand.settings, given), settings),
    decisions: () => call('decisions'),
    call,
    async stop() {
      await app.close();
      built.remove();
    },
  };
}

/** The built stand where the desktop's user can read it. */
function readable(out: string): { readonly folder: string; remove(): void } {
  if (canOrdinaryUserRead(out)) return { folder: out, remove: () => undefined };
  const copy = fs.mkdtempSync(path.join('/tmp', 'countersign-stand-'));
  fs.cpSync(out, copy, { recursive: true });
  execFileSync('chmod', ['-R', 'go+rX', copy]);
  return { folder: copy, remove: () => fs.rmSync(copy, { recursive: true, force: true }) };
}
