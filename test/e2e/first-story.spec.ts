import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { aPlace, startStory, toolCall } from '../support/e2e/story.ts';

let desktop: Desktop;
test.beforeAll(async () => {
  desktop = await startDesktop();
});
test.afterAll(async () => desktop.stop());

test('reading passes, writing stops until a click, and then the file is there, once', async () => {
  const story = await startStory(desktop, aPlace(desktop));
  const client = await story.mcp();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('local-fs__write_file');
  const read = await client.callTool({ name: 'local-fs__read_text_file', arguments: { path: path.join(story.place.scratch, 'hello.txt') } });
  expect(read.content).toEqual([{ type: 'text', text: 'hello\n' }]);

  const file = path.join(story.place.scratch, 'new.txt');
  const writing = client.callTool({ name: 'local-fs__write_file', arguments: { path: file, content: 'made by an agent\n' } });
  const page = await story.approval();
  await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('made by an agent');
  expect(fs.existsSync(file)).toBe(false);
  const [handle] = ((await (await story.get('/v1/mcp-gateway/handles', story.controlToken)).json()) as { handles: { payload_hash: string }[] }).handles;
  await expect(page.getByLabel('SHA-256')).toContainText(handle?.payload_hash ?? 'no handle');
  await story.screenshot('first-story-1-parked');

  await story.focus();
  await story.click('Approve');
  const written = await writing;
  expect(written.isError).not.toBe(true);
  expect(fs.readFileSync(file, 'utf8')).toBe('made by an agent\n');
  await story.screenshot('first-story-2-approved');
  await client.close();
  await story.stop();
});

test('a declined call is not executed, and the client is told by whom and why', async () => {
  const story = await startStory(desktop, aPlace(desktop));
  const client = await story.mcp();
  const file = path.join(story.place.scratch, 'declined.txt');
  const writing = client.callTool({ name: 'local-fs__write_file', arguments: { path: file, content: 'x' } });
  await story.approval();
  await story.focus();
  await story.click('Decline');
  await desktop.keyboard.type('not today');
  await story.screenshot('first-story-3-declining');
  await story.click('Decline');
  const told = await writing;
  expect(told.isError).toBe(true);
  expect(JSON.stringify(told.content)).toContain('not today');
  expect(fs.existsSync(file)).toBe(false);
  await client.close();
  await story.stop();
});

test('a parked call outlives kill -9, undone, and can be approved after the restart', async () => {
  const place = aPlace(desktop);
  const first = await startStory(desktop, place);
  const file = path.join(place.scratch, 'later.txt');
  const call = toolCall(7, 'write_file', { path: file, content: 'later\n' });
  const parked = await first.rest('local-fs', call, { 'x-idempotency-key': 'k1' });
  expect(parked.status).toBe(202);
  const location = parked.headers.get('location') ?? '';
  const gone = new Promise((resolve) => first.app.process().once('exit', resolve));
  process.kill(first.pid, 'SIGKILL');
  await gone;

  const second = await startStory(desktop, place);
  expect((await second.get(location)).status).toBe(202);
  expect(fs.existsSync(file)).toBe(false);
  const shown = await second.approval();
  await expect(shown.getByRole('table', { name: 'Request fields' })).toContainText('later');
  await second.screenshot('first-story-4-after-restart');
  await second.focus();
  await second.click('Approve');
  const done = await until('the answer', async () => {
    const response = await second.get(location);
    return response.status === 202 ? undefined : response;
  });
  expect(done.status).toBe(200);
  expect(fs.readFileSync(file, 'utf8')).toBe('later\n');
  const replay = await second.rest('local-fs', call, { 'x-idempotency-key': 'k1' });
  expect(replay.headers.get('x-idempotent-replay')).toBe('true');
  await second.stop();
});
