/** Servers are taken over from the settings of another program: looked at first, then each with a click of its own. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { appUnderTest, SCREENS } from '../support/desktop/electron-app.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { sideWindow, type SideWindow } from '../support/e2e/side-window.ts';
import { aPlace, startStory, type Story } from '../support/e2e/story.ts';

const TITLE = 'Countersign: import';
const SECRET = 'hunter2-in-the-settings';

let desktop: Desktop;
let story: Story;
let screen: SideWindow;
test.beforeAll(async () => {
  desktop = await startDesktop();
  settings('.cursor/mcp.json', '');
  story = await startStory(desktop, aPlace(desktop));
});
test.afterAll(async () => {
  await story.stop();
  await desktop.stop();
});

/** Writes a file below the home of the desktop's user. */
function settings(name: string, text: string): string {
  const file = path.join(desktop.home, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}
const server = (): string => path.join(appUnderTest().appDir, 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js');
const targets = async (): Promise<string[]> => {
  const answer = await fetch(new URL('/v1/mcp-gateway/targets', story.url), { headers: { authorization: `Bearer ${story.controlToken}` } });
  return ((await answer.json()) as { targets: { id: string }[] }).targets.map(({ id }) => id);
};
async function openImport(): Promise<void> {
  await story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)?.close(), TITLE);
  await until('the old window to be gone', () => Promise.resolve(story.app.windows().every((page) => !page.url().startsWith('app://import/')) || undefined));
  // Starting the app once more brings its window to the front; there is a way from there, tray or not.
  await until('the way to the import', async () => {
    await story.app.evaluate(({ app }) => void app.emit('second-instance'));
    return (await story.approval()).getByRole('button', { name: 'Import servers…' }).isVisible();
  });
  await story.click('Import servers…');
  screen = await sideWindow(desktop, story.app, 'import', TITLE);
}

test('settings that are found are looked at to the letter, and nothing is connected before each server has had its click', async () => {
  settings('.cursor/mcp.json', `\uFEFF{ // mine\r\n "mcpServers": { "My Notes": { "command": "node", "args": ["${server()}", "--file=/srv/p\u0430ypal \u202Etxt"], "env": { "NOTES_TOKEN": "${SECRET}" }, "preflight_pattern": "button:create_entities" }, "remote": { "url": "http://127.0.0.1:9/mcp", "disabled": true }, }\r\n}`);
  await openImport();
  await expect(screen.page.getByRole('list', { name: 'Settings found' })).toContainText('.cursor/mcp.json');
  await desktop.screenshot(path.join(SCREENS, 'import-1-files.png'));
  await screen.click('Look at Cursor');
  const servers = screen.page.getByRole('list', { name: 'Servers' });
  await expect(servers).toContainText('My Notes');
  await expect(servers).toContainText('as my-notes');
  await expect(servers).toContainText(server());
  await expect(servers).toContainText('U+202E');
  await expect(servers).toContainText('NOTES_TOKEN');
  await expect(servers).toContainText('a click for create_entities');
  expect(await screen.page.content()).not.toContain(SECRET);
  await desktop.screenshot(path.join(SCREENS, 'import-2-preview.png'));
  await screen.page.emulateMedia({ colorScheme: 'dark' });
  await desktop.screenshot(path.join(SCREENS, 'import-3-preview-dark.png'));
  expect(await targets()).toEqual(['local-fs']);

  // What was looked at is what is asked for, whatever the file says by now.
  settings('.cursor/mcp.json', '{"mcpServers":{"other":{"command":"node","args":["evil.js"]}}}');
  await screen.click('Import 1 server');
  await expect(screen.page.getByRole('status')).toContainText('One server waits for your click');
  const approval = await story.approval();
  await expect(approval.getByRole('heading')).toContainText('wants to change');
  await expect(approval.locator('.facts')).toContainText(server());
  expect(await targets()).toEqual(['local-fs']);
  await desktop.screenshot(path.join(SCREENS, 'import-4-waiting.png'));
  await story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)?.close(), TITLE);
  await story.focus();
  await until('everything to be seen', async () => {
    for (const name of ['Show next', 'Show', 'Reveal to continue']) {
      const button = approval.getByRole('button', { name }).first();
      if (await button.isVisible()) await button.click({ timeout: 1_000 });
    }
    return (await approval.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-disabled')) !== 'true';
  });
  await story.click('Approve');
  await until('the target', async () => (await targets()).includes('my-notes') || undefined);
});

test('a file that does not parse is answered with its line and column, and one that holds nothing says so', async () => {
  settings('.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": oops\n  }\n}');
  settings('.codeium/windsurf/mcp_config.json', '{"mcpServers":{}}');
  await openImport();
  await screen.click('Look at Cursor');
  await expect(screen.page.getByRole('alert')).toContainText('line 3');
  await desktop.screenshot(path.join(SCREENS, 'import-5-fault.png'));
  await screen.click('Back');
  await screen.click('Look at Windsurf');
  await expect(screen.page.getByRole('main')).toContainText('no servers');
});

test('of a file with many servers and many remarks, the buttons stay in sight in a small window', async () => {
  settings('.cursor/mcp.json', JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`server-${at}`, { command: 'npx', args: ['-y', '@acme/server', 'two  spaces '], surprise: true }])) }));
  await openImport();
  await story.app.evaluate(({ BrowserWindow }, title) => BrowserWindow.getAllWindows().find((window) => window.getTitle() === title)?.setContentSize(640, 480), TITLE);
  await screen.click('Look at Cursor');
  const remarks = screen.page.getByRole('group', { name: 'Remarks' });
  await expect(remarks).toContainText('server-39');
  expect((await remarks.boundingBox())?.height).toBeLessThan(130);
  await expect(screen.page.getByRole('list', { name: 'Servers' }).getByRole('listitem').first()).toBeInViewport();
  for (const name of ['Import 40 servers', 'Back']) await expect(screen.page.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
  // Nothing of the servers shows below them.
  expect(await screen.page.locator('.bar').evaluate((bar) => Math.round(innerHeight - bar.getBoundingClientRect().bottom))).toBe(0);
  await desktop.screenshot(path.join(SCREENS, 'import-6-many.png'));
  await screen.page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  const [last, bar] = await Promise.all([screen.page.getByRole('list', { name: 'Servers' }).getByRole('listitem').last().boundingBox(), screen.page.getByRole('button', { name: 'Back' }).boundingBox()]);
  expect((last?.y ?? 999) + (last?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
});

test('another file is chosen in the system\'s own dialog', async () => {
  const file = settings('project/.mcp.json', JSON.stringify({ mcpServers: { docs: { url: 'http://127.0.0.1:9/mcp' } } }));
  await story.app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
  }, file);
  await openImport();
  await screen.click('Choose a file…');
  await expect(screen.page.getByRole('list', { name: 'Servers' })).toContainText('http://127.0.0.1:9/mcp');
  await screen.click('Back');
  await expect(screen.page.getByRole('list', { name: 'Settings found' })).toContainText('project/.mcp.json');
});
