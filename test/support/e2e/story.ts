import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ElectronApplication, Page } from '@playwright/test';
import type { EndpointFile } from '../../../src/main/platform/data-dir.ts';
import { appUnderTest, launchApp, SCREENS } from '../desktop/electron-app.ts';
import { onScreen, until, type Desktop } from '../desktop/index.ts';

export const WINDOW_TITLE = 'Countersign: approval';
export const GUARD = 'button:write_file|move_file|edit_file';

/** A data directory and a scratch folder with a file in it, both the desktop user's own. */
export interface Place {
  readonly dataDir: string;
  readonly scratch: string;
  readonly config: string;
}

/** What the entry of a target may have beside its command. */
type Entry = Readonly<Record<string, unknown>>;

/** Makes the place a story happens in: `.mcp.json` with `server-filesystem` on the scratch folder as `local-fs`, and what else is given. */
export function aPlace(desktop: Desktop, { entry = { preflight_pattern: GUARD }, more = {} }: { readonly entry?: Entry; readonly more?: Readonly<Record<string, Entry>> } = {}): Place {
  const { appDir } = appUnderTest();
  const folder = desktop.tempFolder('story');
  const place = { dataDir: path.join(folder, 'data'), scratch: path.join(folder, 'scratch'), config: path.join(folder, 'mcp.json') };
  const server = path.join(appDir, 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
  const { uid, gid } = fs.statSync(folder);
  fs.mkdirSync(place.scratch);
  const hello = path.join(place.scratch, 'hello.txt');
  fs.writeFileSync(hello, 'hello\n');
  fs.writeFileSync(place.config, JSON.stringify({ mcpServers: { 'local-fs': { command: 'node', args: [server, place.scratch], ...entry }, ...more } }));
  for (const file of [place.scratch, hello, place.config]) fs.chownSync(file, uid, gid);
  return place;
}

/** The running app of a story, and the hands and eyes to play it with. */
export interface Story {
  readonly app: ElectronApplication;
  readonly place: Place;
  readonly url: string;
  readonly pid: number;
  readonly clientToken: string;
  readonly controlToken: string;
  rest(target: string, body: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  get(path: string, token?: string): Promise<Response>;
  mcp(patienceMs?: number): Promise<Client>;
  /** The page of the approval window, once it is there. */
  approval(): Promise<Page>;
  /** Clicks into the window, where nothing is to be hit, as a person does who turns to it. */
  focus(): Promise<void>;
  /** Clicks in the middle of the button of this name with the real pointer, as soon as it can be clicked. */
  click(button: string): Promise<void>;
  /** The middle of the button of this name, on the screen. */
  spot(button: string): Promise<{ x: number; y: number }>;
  screenshot(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startStory(desktop: Desktop, place: Place, flags: readonly string[] = [], env: Record<string, string> = {}): Promise<Story> {
  const endpointFile = path.join(place.dataDir, 'endpoint.json');
  fs.rmSync(endpointFile, { force: true }); // one left by a killed run would be read too soon
  const app = await launchApp(desktop, ['--data-dir', place.dataDir, '--port', '0', '--config', place.config, ...flags], env);
  const text = await until('endpoint.json', () => Promise.resolve(fs.existsSync(endpointFile) ? fs.readFileSync(endpointFile, 'utf8') : undefined), { timeoutMs: 30_000 });
  const { url, pid } = JSON.parse(text) as EndpointFile;
  const token = (name: string): string => fs.readFileSync(path.join(place.dataDir, name), 'utf8').trim();
  const clientToken = token('client-token');
  const controlToken = token('control-token');

  const approval = (): Promise<Page> => until('the page of the approval window', () => Promise.resolve(app.windows().find((page) => page.url().startsWith('app://approval/'))));
  const spot = async (button: string): Promise<{ x: number; y: number }> => {
    const page = await approval();
    const box = await page.getByRole('button', { name: button, exact: true }).boundingBox();
    if (box === null) throw new Error(`no button named ${button} is shown`);
    return onScreen(await desktop.windows.waitForWindow(WINDOW_TITLE), box);
  };

  return {
    app, place, url, pid, clientToken, controlToken, approval, spot,
    rest: (target, body, headers = {}) =>
      fetch(`${url}/v1/mcp-gateway/${target}/invoke`, { method: 'POST', headers: { authorization: `Bearer ${clientToken}`, 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    get: (where, bearer = clientToken) => fetch(new URL(where, url), { headers: { authorization: `Bearer ${bearer}` } }),
    async mcp() {
      const client = new Client({ name: 'story', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: { authorization: `Bearer ${clientToken}` } } }));
      return client;
    },
    async focus() {
      const page = await approval();
      const box = await page.getByRole('heading').boundingBox();
      if (box === null) throw new Error('the window has no heading');
      await desktop.pointer.click(onScreen(await desktop.windows.waitForWindow(WINDOW_TITLE), box));
      await until('the window to have the focus', () => page.evaluate(() => document.hasFocus() || undefined));
    },
    async click(button) {
      const page = await approval();
      const point = await spot(button);
      await desktop.pointer.move(point);
      await until(`the button ${button} to be ready`, async () => (await page.getByRole('button', { name: button, exact: true }).getAttribute('aria-disabled')) !== 'true' || undefined);
      await desktop.pointer.click(point);
    },
    screenshot: (name) => desktop.screenshot(path.join(SCREENS, `${name}.png`)),
    stop: () => app.close(),
  };
}

/** A `tools/call` as a JSON-RPC request. */
export const toolCall = (id: number, name: string, args: object, meta?: object): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...(meta && { _meta: meta }) } });
