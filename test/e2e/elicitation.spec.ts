/** The real app, a real daemon, real clients and a real pointer: what a target asks in the middle of a call. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { aPlace, startStory, toolCall, type Place, type Story } from '../support/e2e/story.ts';

const WORKERS = path.join(import.meta.dirname, '..', 'support', 'workers');
const FORM = { message: 'Which branch goes out?', requestedSchema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch', minLength: 2 }, force: { type: 'boolean', title: 'Force' } }, required: ['branch'] } };

let desktop: Desktop;
test.beforeAll(async () => {
  desktop = await startDesktop();
});
test.afterAll(async () => desktop.stop());

/** A place with a linear daemon that asks, and notes its starts and calls. */
function placeWithDaemon(entry: object = {}): Place & { readonly journal: string } {
  const folder = desktop.tempFolder('daemon');
  for (const name of ['sample.mjs', 'rpc.mjs']) {
    fs.copyFileSync(path.join(WORKERS, name), path.join(folder, name));
    fs.chmodSync(path.join(folder, name), 0o644);
  }
  const journal = path.join(folder, 'journal');
  return { ...aPlace(desktop, { more: { daemon: { command: 'node', args: [path.join(folder, 'sample.mjs')], env: { WORKER_JOURNAL: journal }, mode: 'linear', ...entry } } }), journal };
}
const callsIn = (journal: string, name: string): number => fs.readFileSync(journal, 'utf8').split('\n').filter((line) => line.includes('"event":"call"') && line.includes(`"${name}"`)).length;
const ended = (story: Story, parked: Response): Promise<Response> =>
  until('the end of the call', async () => {
    const response = await story.get(parked.headers.get('location') ?? '');
    return response.status === 202 ? undefined : response;
  });
const ask = (story: Story, key = 'k1'): Promise<Response> => story.rest('daemon', toolCall(1, 'ask', { params: FORM }), { 'x-idempotency-key': key });

test('a question opens the window, is filled in by the keyboard, approved by holding Space, and the tool\u2019s result arrives', async () => {
  const place = placeWithDaemon();
  const story = await startStory(desktop, place);
  const client = await story.mcp();
  const held = client.callTool({ name: 'daemon__ask', arguments: { params: FORM } });
  const page = await story.approval();
  await expect(page.getByRole('region', { name: 'Question' })).toContainText('Which branch goes out?');
  await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('arguments.params.message');
  await expect(page.getByLabel('SHA-256')).toHaveText(/^[0-9a-f]{64}$/);
  await story.focus();
  await page.getByRole('tabpanel').focus();
  await desktop.keyboard.press('Tab');
  await desktop.keyboard.type('main');
  await desktop.keyboard.press('Return');
  await desktop.keyboard.press('Tab');
  await desktop.keyboard.press('Up');
  await page.getByRole('tabpanel').focus();
  for (let screen = 0; screen < 4; screen += 1) await desktop.keyboard.press('Next');
  await page.getByRole('button', { name: 'Approve', exact: true }).focus();
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toHaveAttribute('data-phase', 'armed');
  await story.screenshot('elicitation-filled');
  await desktop.keyboard.down('space');
  const result = await held;
  await desktop.keyboard.up('space');
  expect(JSON.stringify(result)).toContain(JSON.stringify('{"action":"accept","content":{"branch":"main","force":false}}').slice(1, -1));
  expect(callsIn(place.journal, 'ask')).toBe(1);
  await story.stop();
});

test('declined, the call ends with what the daemon makes of the no', async () => {
  const place = placeWithDaemon();
  const story = await startStory(desktop, place);
  const parked = await ask(story);
  expect(parked.status).toBe(202);
  await story.approval();
  await story.focus();
  await story.click('Decline');
  const answer = await ended(story, parked);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('decline')]);
  await story.stop();
});

test('that nobody answers expires: the daemon is told, the caller gets 410, and the next call in the queue runs', async () => {
  const place = placeWithDaemon({ expires_after_s: 3 });
  const story = await startStory(desktop, place);
  const parked = await ask(story);
  const next = story.rest('daemon', toolCall(2, 'cancelled', {}), { 'x-idempotency-key': 'k2' });
  const page = await story.approval();
  await expect(page.getByRole('status', { name: 'Outcome' })).toContainText('Expired', { timeout: 10_000 });
  await story.screenshot('elicitation-expired');
  expect((await ended(story, parked)).status).toBe(410);
  const told = await next;
  expect([told.status, await told.text()]).toEqual([200, expect.stringContaining('requestId')]);
  await story.stop();
});

test('killed while a question is open, the call ends as unknown and its question is never asked again', async () => {
  const place = placeWithDaemon();
  const story = await startStory(desktop, place);
  const parked = await ask(story);
  const location = parked.headers.get('location') ?? '';
  await story.approval();
  const gone = new Promise((resolve) => story.app.process().once('exit', resolve));
  process.kill(story.pid, 'SIGKILL');
  await gone;
  const again = await startStory(desktop, place);
  const answer = await again.get(location);
  expect([answer.status, await answer.text()]).toEqual([504, expect.stringContaining('unknown')]);
  expect((await ask(again)).status).toBe(504);
  expect(callsIn(place.journal, 'ask')).toBe(1);
  await again.stop();
});
