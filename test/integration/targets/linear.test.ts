import { afterEach, describe, expect, it } from 'vitest';
import { refusals } from '../../../src/shared/refusals.ts';
import { aCall, aRelay, aTarget, downstream, harness, id, lives, textOf, until } from '../../support/workers/harness.ts';
import type { Harness, HarnessOptions } from '../../support/workers/harness.ts';

let open: Harness[] = [];
const start = (options: HarnessOptions = {}): Harness => {
  const made = harness({ specs: (journal) => [aTarget('worker', { env: { WORKER_JOURNAL: journal } })], ...options });
  open.push(made);
  return made;
};
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

describe('a linear target', () => {
  it('runs nothing until it is needed, and then one process for all calls', async () => {
    const { targets, noted, audit } = start();
    expect(targets.status(id('worker'))).toMatchObject({ activeSandboxes: 0, state: 'idle' });
    const pids = await Promise.all([1, 2, 3].map(async () => textOf(await targets.call(aCall('worker', 'pid')))));
    expect(new Set(pids).size).toBe(1);
    expect(noted().filter(({ event }) => event === 'start')).toHaveLength(1);
    expect(targets.status(id('worker'))).toMatchObject({ activeSandboxes: 1, state: 'running' });
    expect(audit).toMatchObject([{ type: 'sandbox.started', target: 'worker', detail: { purpose: 'daemon' } }]);
  });

  it('takes calls one after another', async () => {
    const { targets } = start();
    const order: string[] = [];
    const call = async (tool: string, args: object): Promise<void> => {
      await targets.call(aCall('worker', tool, args));
      order.push(tool);
    };
    await Promise.all([call('sleep', { ms: 150 }), call('echo', {}), call('pid', {})]);
    expect(order).toEqual(['sleep', 'echo', 'pid']);
  });

  it('sends the parameters to the byte', async () => {
    const { targets } = start();
    const paramsText = '{"arguments":{"z":1e30,"é":"\\u0001","a":"</script>"},"name":"line"}';
    const line = textOf(await targets.call({ ...aCall('worker', 'line'), paramsText }));
    expect(line).toContain(`"params":${paramsText}}`);
  });

  it('adds a progress token of its own, only when asked to, and gives the client its own again', async () => {
    const { targets } = start();
    const { relay, notes } = aRelay(undefined, 'mine');
    const answer = await targets.call(aCall('worker', 'progress', {}, { relay }));
    expect(notes).toEqual([1, 2].map((progress) => ({ method: 'notifications/progress', params: { progressToken: 'mine', progress, total: 2 } })));
    expect((JSON.parse(textOf(answer)) as { token: unknown }).token).not.toBe('mine');
    expect(textOf(await targets.call(aCall('worker', 'progress')))).toBe('{"token":null}');
  });

  it('relays log messages to the call in flight', async () => {
    const { targets } = start();
    const { relay, notes } = aRelay();
    await targets.call(aCall('worker', 'log', {}, { relay }));
    expect(notes).toEqual([{ method: 'notifications/message', params: { level: 'info', data: 'hello' } }]);
  });

  it('gives an error of the target as it is', async () => {
    const { targets } = start();
    expect(await targets.call(aCall('worker', 'fail'))).toEqual({ kind: 'error', error: { code: -32042, message: 'refused by the worker', data: { why: 'test' } } });
  });

  it.each(['elicitation/create', 'elicitation/createMessage', 'sampling/createMessage', 'roots/list'])('puts %s to the call it belongs to and brings the answer back', async (method) => {
    const { targets } = start();
    const { relay, asked } = aRelay(() => Promise.resolve({ action: 'accept', content: { ok: true } }));
    const answer = await targets.call(aCall('worker', 'ask', { method, params: { message: 'sure?' } }, { relay }));
    // Document 003's name for it is told to clients by MCP's.
    expect(asked).toMatchObject([{ method: method === 'elicitation/createMessage' ? 'elicitation/create' : method, params: { message: 'sure?' } }]);
    expect(JSON.parse(textOf(answer))).toMatchObject({ result: { action: 'accept', content: { ok: true } } });
  });

  it('refuses a question when no client stands behind the call, or when the door cannot put it', async () => {
    const { targets } = start();
    for (const method of ['elicitation/create', 'elicitation/createMessage']) {
      expect(JSON.parse(textOf(await targets.call(aCall('worker', 'ask', { method, params: { message: 'sure?' } }))))).toMatchObject({ error: { code: refusals['unsupported-by-client'].number, data: { code: 'unsupported-by-client' } } });
    }
    expect(JSON.parse(textOf(await targets.call(aCall('worker', 'ask', { method: 'roots/list' }))))).toMatchObject({ error: { code: -32601 } });
    const { relay } = aRelay(() => Promise.reject(Object.assign(new Error('unsupported'), { code: -32600, message: 'unsupported' })));
    expect(JSON.parse(textOf(await targets.call(aCall('worker', 'ask', {}, { relay }))))).toMatchObject({ error: { code: -32600, message: 'unsupported' } });
  });

  it('puts a question that is delivered twice only once', async () => {
    const { targets } = start();
    const { relay, asked } = aRelay(() => Promise.resolve({ action: 'decline' }));
    await targets.call(aCall('worker', 'ask-twice', {}, { relay }));
    await targets.call(aCall('worker', 'echo'));
    expect(asked).toHaveLength(1);
  });

  it('does not count the time of a question against the target', async () => {
    const { targets } = start();
    const { relay } = aRelay(() => new Promise((resolve) => setTimeout(() => resolve({ action: 'accept' }), 600)));
    await targets.call(aCall('worker', 'echo'));
    expect((await targets.call(aCall('worker', 'ask', {}, { relay, deadlineMs: 300 }))).kind).toBe('result');
  });

  it('ends a call at its deadline, tells the target, and goes on with the queue', async () => {
    const { targets } = start();
    await targets.call(aCall('worker', 'echo'));
    const slow = targets.call(aCall('worker', 'sleep', { ms: 5_000 }, { deadlineMs: 100 }));
    const next = targets.call(aCall('worker', 'cancelled'));
    expect(await slow).toMatchObject({ kind: 'lost' });
    expect(JSON.parse(textOf(await next))).toMatchObject([{ reason: 'the deadline passed' }]);
  });

  it('sends nothing of a call whose deadline passes while it waits for its turn', async () => {
    const { targets, noted } = start();
    await targets.call(aCall('worker', 'echo'));
    const slow = targets.call(aCall('worker', 'sleep', { ms: 300 }));
    expect(await targets.call(aCall('worker', 'pid', {}, { deadlineMs: 50 }))).toMatchObject({ kind: 'fault', code: 'upstream-timeout', sent: false });
    await slow;
    expect(noted().map(({ name }) => name)).not.toContain('pid');
  });

  it('gives a turn to who waits for one, however long that takes, and its deadline begins then', async () => {
    const { targets } = start();
    await targets.call(aCall('worker', 'echo'));
    const slow = targets.call(aCall('worker', 'sleep', { ms: 300 }));
    const turn = targets.turn(id('worker'));
    const after = targets.call(aCall('worker', 'pid', {}, { deadlineMs: 50 }));
    const mine = await turn;
    expect(await slow).toMatchObject({ kind: 'result' });
    expect(await after).toMatchObject({ kind: 'fault', code: 'upstream-timeout', sent: false });
    const next = targets.call(aCall('worker', 'echo', { text: 'behind' }));
    expect(textOf(await targets.call(aCall('worker', 'echo', { text: 'in turn' }, { turn: mine! })))).toBe('in turn');
    mine!.end();
    expect(textOf(await next)).toBe('behind');
  });

  it('lets a caller cancel: what has left is lost, an open question is answered with a cancel, and the queue goes on', async () => {
    const { targets } = start();
    const cancel = new AbortController();
    const { relay, asked } = aRelay(() => new Promise(() => undefined));
    const call = targets.call(aCall('worker', 'ask', {}, { relay, signal: cancel.signal }));
    await until(() => asked.length === 1);
    cancel.abort();
    expect(await call).toMatchObject({ kind: 'lost' });
    expect(asked[0]?.signal?.aborted).toBe(true);
    expect(textOf(await targets.call(aCall('worker', 'echo', { text: 'on' })))).toBe('on');
  });

  it('starts a daemon that died again on the next need', async () => {
    const { targets, audit } = start();
    expect(await targets.call(aCall('worker', 'exit'))).toMatchObject({ kind: 'lost' });
    expect(textOf(await targets.call(aCall('worker', 'echo', { text: 'back' })))).toBe('back');
    await until(() => audit.some(({ type }) => type === 'sandbox.ended'));
    expect(audit.find(({ type }) => type === 'sandbox.ended')).toMatchObject({ detail: { purpose: 'daemon', code: 3 } });
  });

  it('does not make anyone wait for a restart when it is disconnected', async () => {
    const { targets } = start();
    for (let n = 0; n < 4; n += 1) await targets.call(aCall('worker', 'exit'));
    const waiting = targets.call(aCall('worker', 'echo'));
    const began = performance.now();
    await targets.remove(id('worker'));
    expect(await waiting).toMatchObject({ kind: 'fault', sent: false });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('keeps a list until the target says that it has changed', async () => {
    const { targets, noted } = start();
    const changes: unknown[] = [];
    targets.onChanged((target, what) => changes.push([target, what]));
    const first = await targets.list(id('worker'), 'tools/list', downstream());
    await targets.list(id('worker'), 'tools/list', downstream('another'));
    expect(noted().filter(({ event }) => event === 'list')).toHaveLength(2); // two pages, once
    expect(first).toMatchObject({ kind: 'result', result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'exit' })]) as unknown } });
    await targets.call(aCall('worker', 'grow'));
    expect(changes).toEqual([['worker', 'tools']]);
    const grown = await targets.list(id('worker'), 'tools/list', downstream());
    expect(JSON.stringify(grown)).toContain('"extra"');
    expect(await targets.list(id('worker'), 'resources/list', downstream())).toEqual({ kind: 'result', result: { resources: [] } });
  });

  it('gives its children a bare environment: no guard keys, no secrets of ours, nothing unnamed', async () => {
    const { targets } = start({
      env: { COUNTERSIGN_PASSPHRASE: 'secret', EQUINIX_SECRET_KEY: 'secret', FIBER_PREFLIGHT_PATTERN: 'x', AWS_PROFILE: 'mine' },
      specs: () => [aTarget('worker', { env: { OWN: 'yes', FIBER_PREFLIGHT_MODE: 'button', fiber_lower: '1', COUNTERSIGN_DATA_DIR: '/x' } })],
    });
    const env = JSON.parse(textOf(await targets.call(aCall('worker', 'env')))) as Record<string, string>;
    const allowed = new Set(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR', 'OWN', 'COUNTERSIGN_CHILD']);
    expect(Object.keys(env).filter((key) => !allowed.has(key))).toEqual([]);
    expect(env).toMatchObject({ OWN: 'yes', COUNTERSIGN_CHILD: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown });
  });

  it('names the command that was not found, and the folder that is not there', async () => {
    const { targets } = start({ specs: () => [aTarget('missing', { command: 'no-such-program' }), aTarget('nowhere', { cwd: '/no/such/folder' })] });
    expect(await targets.call(aCall('missing', 'echo'))).toMatchObject({ kind: 'fault', code: 'upstream-unreachable', sent: false, note: expect.stringContaining('no-such-program') as unknown });
    expect(targets.status(id('missing'))).toMatchObject({ state: 'failed', activeSandboxes: 0 });
    expect(await targets.call(aCall('nowhere', 'echo'))).toMatchObject({ kind: 'fault', note: expect.stringContaining('/no/such/folder') as unknown });
  });

  it('starts nothing when the start cannot be recorded', async () => {
    const { targets, noted } = start({
      record: () => {
        throw new Error('disk full');
      },
    });
    expect(await targets.call(aCall('worker', 'echo'))).toMatchObject({ kind: 'fault', sent: false });
    expect(noted()).toEqual([]);
  });

  it('ends its process when it is disconnected or replaced, and settles what waits', async () => {
    const { targets, noted } = start();
    const pid = Number(textOf(await targets.call(aCall('worker', 'pid'))));
    const waiting = targets.call(aCall('worker', 'sleep', { ms: 60_000 }));
    const queued = targets.call(aCall('worker', 'echo'));
    await until(() => noted().some(({ name }) => name === 'sleep'));
    expect(await targets.remove(id('worker'))).toBe(true);
    expect((await waiting).kind).toBe('lost');
    expect(await queued).toMatchObject({ kind: 'fault', sent: false });
    expect(lives(pid)).toBe(false);
    expect(await targets.call(aCall('worker', 'echo'))).toMatchObject({ kind: 'fault', code: 'upstream-unreachable' });
  });
});
