import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aCall, aRelay, aTarget, downstream, harness, id, lives, textOf, until, worker } from '../../support/workers/harness.ts';
import type { Harness, HarnessOptions } from '../../support/workers/harness.ts';

let open: Harness[] = [];
const start = (over: Parameters<typeof aTarget>[1] = {}, options: HarnessOptions = {}): Harness => {
  const made = harness({ specs: (journal) => [aTarget('box', { mode: 'ephemeral', env: { WORKER_JOURNAL: journal }, ...over })], ...options });
  open.push(made);
  return made;
};
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});
const starts = ({ noted }: Harness): number => noted().filter(({ event }) => event === 'start').length;
const sandboxes = ({ targets }: Harness): number | undefined => targets.status(id('box'))?.activeSandboxes;

describe('an ephemeral target', () => {
  it('is listed once, by one audited spawn that is over when the listing is; face and lists start nothing after that', async () => {
    const made = start();
    const { targets, audit } = made;
    const changes: unknown[] = [];
    targets.onChanged((_, what) => changes.push(what));
    expect(await targets.refreshCatalogue(id('box'))).toBeUndefined();
    expect(sandboxes(made)).toBe(0);
    expect(changes).toEqual(['tools', 'prompts', 'resources']);
    expect(audit.map(({ type }) => type)).toEqual(['sandbox.started', 'target.listed', 'sandbox.ended']);
    expect(audit[0]).toMatchObject({ target: 'box', detail: { purpose: 'listing' } });

    expect(await targets.face(id('box'), downstream())).toMatchObject({ serverInfo: { name: 'worker' }, capabilities: { tools: {} }, instructions: null });
    const tools = await targets.list(id('box'), 'tools/list', downstream());
    expect(JSON.stringify(tools)).toContain('"echo"');
    expect(await targets.list(id('box'), 'prompts/list', downstream())).toEqual({ kind: 'result', result: { prompts: [{ name: 'hello' }] } });
    expect(await targets.list(id('box'), 'resources/list', downstream())).toEqual({ kind: 'result', result: { resources: [] } });
    expect(starts(made)).toBe(1);
  });

  it('takes its catalogue from the store after a restart', async () => {
    const first = start();
    await first.targets.refreshCatalogue(id('box'));
    const stored = first.catalogues.get('box');
    const second = start();
    if (stored !== undefined) second.catalogues.set('box', stored);
    const again = aTarget('box', { mode: 'ephemeral', env: { WORKER_JOURNAL: second.journal } });
    second.targets.put(again);
    expect(await second.targets.list(id('box'), 'tools/list', downstream())).toEqual(await first.targets.list(id('box'), 'tools/list', downstream()));
    expect(second.targets.status(id('box'))?.tools).toBeGreaterThan(5);
    expect(starts(second)).toBe(0);

    // The catalogue of another command is none of this one's.
    second.targets.put({ ...again, reach: { transport: 'stdio', command: 'node', args: [worker('sample.mjs'), 'another'], env: { WORKER_JOURNAL: second.journal }, cwd: null } });
    await second.targets.list(id('box'), 'tools/list', downstream());
    expect(starts(second)).toBe(1);
  });

  it('lists on the first need when the listing at connect did not succeed, and not again at once when that fails too', async () => {
    const made = start();
    expect(JSON.stringify(await made.targets.list(id('box'), 'tools/list', downstream()))).toContain('"echo"');
    const broken = start({ command: 'no-such-program' });
    expect(await broken.targets.refreshCatalogue(id('box'))).toMatchObject({ kind: 'fault', sent: false });
    expect(await broken.targets.face(id('box'), downstream())).toMatchObject({ kind: 'fault', sent: false });
    expect(broken.audit.filter(({ type }) => type === 'sandbox.started')).toHaveLength(1);
    expect(broken.targets.status(id('box'))).toMatchObject({ state: 'failed', activeSandboxes: 0 });
  });

  it('gives an approved call a sandbox of its own and ends it as soon as the call resolves', async () => {
    const made = start();
    const safe = textOf(await made.targets.call(aCall('box', 'pid')));
    const approved = textOf(await made.targets.call(aCall('box', 'pid', {}, { approved: true })));
    const again = textOf(await made.targets.call(aCall('box', 'pid', {}, { approved: true })));
    expect(new Set([safe, approved, again]).size).toBe(3);
    await until(() => sandboxes(made) === 1);
    expect([safe, approved, again].map((pid) => lives(Number(pid)))).toEqual([true, false, false]);
  });

  it('lets safe calls share a sandbox, and ends it when it has lingered', async () => {
    const made = start({ lingerS: 0.3 });
    const pids = await Promise.all([1, 2].map(async () => textOf(await made.targets.call(aCall('box', 'pid')))));
    pids.push(textOf(await made.targets.call(aCall('box', 'pid'))));
    expect(new Set(pids).size).toBe(1);
    expect(sandboxes(made)).toBe(1);
    await until(() => sandboxes(made) === 0);
    expect(lives(Number(pids[0]))).toBe(false);
    expect(textOf(await made.targets.call(aCall('box', 'pid')))).not.toBe(pids[0]);
  });

  it('ends a sandbox at once after a safe call when nothing is to linger', async () => {
    const made = start({ lingerS: 0 });
    const first = textOf(await made.targets.call(aCall('box', 'pid')));
    await until(() => sandboxes(made) === 0);
    expect(textOf(await made.targets.call(aCall('box', 'pid')))).not.toBe(first);
  });

  it('answers concurrent safe calls each with its own answer, and asks through the latest', async () => {
    const { targets } = start();
    const early = aRelay(() => Promise.resolve({ action: 'decline' }));
    const late = aRelay(() => Promise.resolve({ action: 'accept' }));
    const [slow, asked] = await Promise.all([
      targets.call(aCall('box', 'sleep', { ms: 300 }, { relay: early.relay })),
      targets.call(aCall('box', 'ask', {}, { relay: late.relay })),
    ]);
    expect(textOf(slow)).toBe('slept');
    expect(JSON.parse(textOf(asked))).toMatchObject({ result: { action: 'accept' } });
    expect(early.asked).toHaveLength(0);
  });

  it('ends grandchildren with the sandbox, those that ignore SIGTERM and those that left the group', async () => {
    const made = start({}, { limits: { graceMs: 200 } });
    const stubborn = Number(textOf(await made.targets.call(aCall('box', 'fork', {}, { approved: true }))));
    const away = Number(textOf(await made.targets.call(aCall('box', 'fork', { away: true }, { approved: true }))));
    await until(() => sandboxes(made) === 0);
    expect([stubborn, away].map(lives)).toEqual([false, false]);
    expect(made.children.list()).toEqual([]);
  });

  it('ends the sandbox of an approved call that is cancelled, and says that it may have run', async () => {
    const made = start();
    const cancel = new AbortController();
    const call = made.targets.call(aCall('box', 'sleep', { ms: 30_000 }, { approved: true, signal: cancel.signal }));
    await until(() => made.noted().some(({ name }) => name === 'sleep'));
    cancel.abort();
    expect(await call).toMatchObject({ kind: 'lost' });
    await until(() => sandboxes(made) === 0);
  });

  it('runs a package runner as a real Node would, from the PATH', async () => {
    const made = start();
    // A stand-in for npx: the runner starts the program and stays in between, as npx does.
    const runner = path.join(made.folder, 'npx');
    writeFileSync(runner, '#!/bin/sh\nshift\n"$@"\n', { mode: 0o755 });
    made.targets.put(aTarget('box', { mode: 'ephemeral', command: 'npx', args: ['-y', process.execPath, worker('sample.mjs')], env: { PATH: `${made.folder}:/usr/bin:/bin` } }));
    const pid = Number(textOf(await made.targets.call(aCall('box', 'pid', {}, { approved: true }))));
    expect(pid).toBeGreaterThan(0);
    await until(() => sandboxes(made) === 0);
    expect(lives(pid)).toBe(false);
  });
});
