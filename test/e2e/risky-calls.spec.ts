import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { startDesktop, until, type Desktop } from '../support/desktop/index.ts';
import { aPlace, startStory, toolCall, type Place } from '../support/e2e/story.ts';

const WORKER = path.join(import.meta.dirname, '..', 'support', 'workers', 'counted.mjs');

let desktop: Desktop;
test.beforeAll(async () => {
  desktop = await startDesktop();
});
test.afterAll(async () => desktop.stop());

/** A place with one more target, `notes`, which writes down each of its starts and calls. */
function placeWithNotes(mode: 'linear' | 'ephemeral'): Place & { readonly journal: string; readonly gate: string } {
  const folder = desktop.tempFolder('notes');
  const journal = path.join(folder, 'journal');
  const gate = path.join(folder, 'gate');
  const worker = path.join(folder, 'counted.mjs');
  fs.copyFileSync(WORKER, worker);
  fs.chmodSync(worker, 0o644);
  const place = aPlace(desktop, { more: { notes: { command: 'node', args: [worker, journal, gate], mode, preflight_pattern: 'button:write_' } } });
  return { ...place, journal, gate };
}
const linesOf = (file: string, word: string): string[] => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter((line) => line.startsWith(word)) : []);

/** The command lines of all processes below this one. */
function below(pid: number): string[] {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parentOf = (name: string): number => {
    try {
      return Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]);
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return 0; // it has just ended
      throw error;
    }
  };
  const children = all.filter((name) => parentOf(name) === pid);
  return children.flatMap((name) => [fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' '), ...below(Number(name))]);
}

for (const mode of ['linear', 'ephemeral'] as const) {
  test(`a trapped call starts nothing: a ${mode} target that never ran has no process until the click, and runs once after it`, async () => {
    const place = placeWithNotes(mode);
    const story = await startStory(desktop, place);
    const parked = await story.rest('notes', toolCall(1, 'write_note', { text: 'one' }), { 'x-idempotency-key': 'n1' });
    expect(parked.status).toBe(202);
    const page = await story.approval();
    await expect(page.getByRole('table', { name: 'Request fields' })).toContainText('write_note');
    expect(fs.existsSync(place.journal)).toBe(false);
    expect(below(story.pid).filter((command) => command.includes('counted.mjs'))).toEqual([]);

    await story.focus();
    await story.click('Approve');
    const done = await until('the answer', async () => {
      const response = await story.get(parked.headers.get('location') ?? '');
      return response.status === 202 ? undefined : response;
    });
    expect(done.status).toBe(200);
    expect(linesOf(place.journal, 'start')).toHaveLength(1);
    expect(linesOf(place.journal, 'call')).toEqual(['call {"arguments":{"text":"one"},"name":"write_note"}']);
    if (mode === 'ephemeral') await until('the sandbox to be ended', () => Promise.resolve(below(story.pid).every((command) => !command.includes('counted.mjs')) || undefined));
    await story.stop();
  });
}

test('two parked at once are shown and decided in the order they came, and a click before the button arms does nothing', async () => {
  const place = placeWithNotes('linear');
  const story = await startStory(desktop, place);
  const first = await story.rest('notes', toolCall(1, 'write_note', { text: 'first' }));
  const second = await story.rest('notes', toolCall(2, 'write_note', { text: 'second' }));
  const state = async (response: Response): Promise<number> => (await story.get(response.headers.get('location') ?? '')).status;
  const page = await story.approval();
  const fields = page.getByRole('table', { name: 'Request fields' });
  await expect(fields).toContainText('first');
  await expect(page.getByLabel('Queue')).toContainText('2');
  await story.screenshot('two-parked');

  // The click that turns to the window lands on Approve: it must only give the window the focus.
  const approve = await story.spot('Approve');
  await desktop.pointer.click(approve);
  await until('the window to have the focus', () => page.evaluate(() => document.hasFocus() || undefined));
  expect(await state(first)).toBe(202);
  expect(linesOf(place.journal, 'call')).toEqual([]);

  await story.click('Approve');
  await until('the first to run', async () => ((await state(first)) === 200 ? true : undefined));
  expect(await state(second)).toBe(202);
  await expect(fields).toContainText('second');
  await story.click('Approve');
  await until('the second to run', async () => ((await state(second)) === 200 ? true : undefined));
  expect(linesOf(place.journal, 'call')).toEqual(['call {"arguments":{"text":"first"},"name":"write_note"}', 'call {"arguments":{"text":"second"},"name":"write_note"}']);
  await story.stop();
});

test('killed right after the click, the call was sent once, ends as unknown, and is never sent again', async () => {
  const place = placeWithNotes('linear');
  const story = await startStory(desktop, place);
  const call = toolCall(1, 'write_slowly', { text: 'once' });
  const parked = await story.rest('notes', call, { 'x-idempotency-key': 'slow' });
  const location = parked.headers.get('location') ?? '';
  await story.approval();
  await story.focus();
  await story.click('Approve');
  await until('the call to reach the target', () => Promise.resolve(linesOf(place.journal, 'call').length === 1 || undefined));
  const gone = new Promise((resolve) => story.app.process().once('exit', resolve));
  process.kill(story.pid, 'SIGKILL');
  await gone;

  const again = await startStory(desktop, place);
  const told = await again.get(location);
  expect(told.status).toBe(504);
  expect(((await told.json()) as { error: { data: { code: string } } }).error.data.code).toBe('unknown');
  expect((await again.rest('notes', call, { 'x-idempotency-key': 'slow' })).status).toBe(504);
  expect(linesOf(place.journal, 'call')).toHaveLength(1);
  await again.stop();
});
