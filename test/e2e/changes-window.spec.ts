/** The control token administers and never approves: every change that could let an agent out waits for a click on exactly that change. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { appUnderTest } from '../support/desktop/electron-app.ts';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { countersign, type RunningCommand } from '../support/e2e/command-line.ts';
import { aPlace, startStory, type Story } from '../support/e2e/story.ts';

const SECRET = 'hunter2-in-the-environment';

let desktop: Desktop;
let story: Story;
let page: Page;
test.beforeAll(async () => {
  desktop = await startDesktop();
  story = await startStory(desktop, aPlace(desktop));
});
test.afterAll(async () => {
  await story.stop();
  await desktop.stop();
});

const run = (...words: readonly string[]): RunningCommand => countersign(story.place.dataDir, words);
const control = (method: string, route: string, body?: unknown): Promise<Response> =>
  fetch(new URL(route, story.url), { method, headers: { authorization: `Bearer ${story.controlToken}`, ...(body !== undefined && { 'content-type': 'application/json' }) }, ...(body !== undefined && { body: JSON.stringify(body) }) });
const targets = async (): Promise<string[]> => ((await (await control('GET', '/v1/mcp-gateway/targets')).json()) as { targets: { id: string }[] }).targets.map(({ id }) => id);
const facts = async (): Promise<Record<string, string>> => Object.fromEntries(await page.locator('.facts > div').evaluateAll((lines) => lines.map((line) => [line.querySelector('dt')?.textContent ?? '', line.querySelector('dd')?.textContent ?? ''])));

/** The change on the desk, once this line is among its facts. */
async function shows(label: string, value: string | RegExp): Promise<void> {
  page = await story.approval();
  await expect(page.getByRole('heading')).toContainText('wants to change');
  const line = page.locator('.facts > div').filter({ has: page.locator('dt', { hasText: label }) });
  await expect(line.first()).toContainText(value);
}
/** Brings every row before the eyes and opens what must be opened, as the window asks for it, and clicks Approve. */
async function approve(): Promise<void> {
  await story.focus();
  await until('everything to be seen', async () => {
    for (const name of ['Show next', 'Show', 'Reveal to continue']) {
      const button = page.getByRole('button', { name }).first();
      if (await button.isVisible()) await button.click({ timeout: 1_000 }); // gone meanwhile: looked at again
    }
    return (await page.getByRole('button', { name: 'Approve', exact: true }).getAttribute('aria-disabled')) !== 'true';
  });
  await story.click('Approve');
}
async function decline(reason: string): Promise<void> {
  await story.focus();
  await story.click('Decline');
  await desktop.keyboard.type(reason);
  await story.click('Decline');
}
const gone = (): Promise<unknown> => expect(page.getByRole('status', { name: 'Queue' })).toHaveText('0 waiting');

test('connect: the exact command, arguments and environment names wait in the window; nothing runs before the click, and no value is shown', async () => {
  const server = path.join(appUnderTest().appDir, 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
  const envFile = path.join(path.dirname(story.place.config), 'secrets.env');
  fs.writeFileSync(envFile, `NOTES_PASSWORD=${SECRET}\n`);
  const command = run('connect', '-t', 'notes', '-e', `node ${server} "${story.place.scratch}"`, '-p', 'button:write_file', '-f', envFile);
  await command.said('Waiting for a click in the Countersign window: connect notes.');
  await shows('Command', 'node');
  expect(await facts()).toMatchObject({ Change: 'a new target', 'Argument 1': server, 'Argument 2': story.place.scratch, Environment: expect.stringContaining('NOTES_PASSWORD'), Guard: expect.stringContaining('write_file') });
  expect(await page.content()).not.toContain(SECRET);
  expect(await targets()).toEqual(['local-fs']);
  await story.screenshot('changes-1-connect');
  await approve();
  expect(await command.ended).toMatchObject({ code: 0, out: expect.stringContaining('Connected notes') });
  expect(await targets()).toContain('notes');
});

test('a client: its token opens nothing until the click; declined, it never does, and the command says why', async () => {
  const asked = await control('POST', '/v1/countersign/clients', { name: 'bot' });
  expect(asked.status).toBe(202);
  const { change, token } = (await asked.json()) as { change: string; token: string };
  expect(asked.headers.get('location')).toBe(`/v1/countersign/changes/${change}`);
  expect((await story.get('/v1/mcp-gateway/handles/txn_1_000000000000', token)).status).toBe(401);
  await shows('Client', 'bot');
  await story.screenshot('changes-2-client');
  await approve();
  await until('the token to open', async () => (await story.get('/v1/mcp-gateway/handles/txn_1_000000000000', token)).status === 404);
  await gone();

  const command = run('clients', 'add', 'other', '--role', 'hr');
  await command.said('Waiting for a click');
  await shows('Roles', 'hr');
  await decline('no more bots');
  expect(await command.ended).toMatchObject({ code: 1, err: expect.stringContaining('declined in the window: no more bots') });
  expect((await run('clients', 'list').ended).out).not.toContain('other');
  await gone();
});

test('a looser guard shows the one before and the one after; Ctrl-C stops waiting, not the change', async () => {
  const entry = { command: 'node', args: ['x.js'] };
  expect((await control('PUT', '/v1/mcp-gateway/targets/local-fs', { ...entry, preflight_pattern: 'button:never-ever' })).status).toBe(409); // it comes from the file of this run
  const server = path.join(appUnderTest().appDir, 'node_modules', '@modelcontextprotocol', 'server-filesystem', 'dist', 'index.js');
  const command = run('connect', '-t', 'notes', '-e', `node ${server} "${story.place.scratch}"`);
  await command.said('Waiting for a click');
  await shows('Guard after', 'none');
  expect(await facts()).toMatchObject({ 'Guard before': expect.stringContaining('write_file') });
  await story.screenshot('changes-3-looser-guard');
  command.interrupt();
  expect(await command.ended).toMatchObject({ code: 1, err: expect.stringContaining('still waits in the Countersign window') });
  await expect(page.getByRole('heading')).toContainText('notes');
  await decline('keep it');
  await gone();
  const kept = ((await (await control('GET', '/v1/mcp-gateway/targets')).json()) as { targets: { id: string; guard: { kind: string } }[] }).targets.find(({ id }) => id === 'notes');
  expect(kept?.guard.kind).toBe('rule');
});

test('a URL is shown whole, look-alikes as chips, and not connected to before the click', async () => {
  let connections = 0;
  const upstream = http.createServer((_request, response) => response.writeHead(404).end());
  upstream.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp?team=pаyments`; // the second letter is Cyrillic
  const asked = await control('PUT', '/v1/mcp-gateway/targets/remote', { url: address, headers: { Authorization: `Bearer ${SECRET}` }, preflight_pattern: 'button:.*' });
  expect(asked.status).toBe(202);
  await shows('URL', '127.0.0.1');
  expect((await facts())['Headers']).toContain('Authorization');
  expect(await page.content()).not.toContain(SECRET);
  await story.screenshot('changes-4-url');
  expect(connections).toBe(0);
  await approve();
  await until('the target', async () => (await targets()).includes('remote'));
  await story.rest('remote', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  expect(connections).toBeGreaterThan(0);
  upstream.close();
});

test('a bridge: its name, key and address', async () => {
  const key = Buffer.alloc(32, 7).toString('base64url');
  const asked = await control('POST', '/v1/countersign/bridges', { name: 'chat', key, url: 'http://127.0.0.1:9/hook' });
  if (asked.status !== 202) throw new Error(await asked.text());
  await shows('Bridge', 'chat');
  expect(await facts()).toMatchObject({ 'Public key': key, 'Is told of parked calls at': 'http://127.0.0.1:9/hook' });
  await story.screenshot('changes-5-bridge');
  await decline('');
});

test('no control route, token or code clicks a change', async () => {
  const { change } = (await (await control('POST', '/v1/countersign/clients', { name: 'sneaky' })).json()) as { change: string };
  const code = await control('POST', `/v1/mcp-gateway/handles/${change}/totp`, { code: '482910' });
  expect([code.status, ((await code.json()) as { error: { data: { code: string } } }).error.data.code]).toEqual([403, 'window-only']);
  expect((await story.get(`/v1/mcp-gateway/handles/${change}`)).status).toBe(404); // no client owns it
  expect(((await (await control('GET', `/v1/countersign/changes/${change}`)).json()) as { state: string }).state).toBe('PENDING');
});
