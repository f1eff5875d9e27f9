/** What several sessions have in common where one process serves them all, and what they have not. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientId } from '../../../src/shared/vocabulary/ids.ts';
import type { Targets } from '../../../src/main/targets/targets.ts';
import { aCall, aRelay, aTarget, downstream, harness, id, textOf, until, worker, type Harness } from '../../support/workers/harness.ts';

let made: Harness;
afterEach(() => made.close());

const start = (mode: 'linear' | 'ephemeral', lingerS = 60): Targets => {
  made = harness({ specs: () => [aTarget('station', { args: [worker('station.mjs')], mode, lingerS })] });
  return made.targets;
};

/** A session that keeps what it is told, in a call or outside of any. */
function session(targets: Targets, name: string, client = 'agent') {
  const aside: unknown[] = [];
  targets.beginSession(downstream(name), (_, method, params) => aside.push({ method, params }));
  const { relay, notes } = aRelay();
  const send = (method: string, params: object, approved = false) => targets.call({ ...aCall('station', '', {}, { relay }), approved, client: client as ClientId, session: name, method, paramsText: JSON.stringify(params) });
  return {
    aside,
    send,
    call: (tool: string) => send('tools/call', { arguments: {}, name: tool }),
    levels: () => notes.splice(0).map(({ params }) => (params as { readonly level: string }).level),
    inCall: () => notes.splice(0),
  };
}

const URI = { uri: 'station://track' };
const told = { method: 'notifications/resources/updated', params: URI };

describe.each(['linear', 'ephemeral'] as const)('a process that sessions share (%s)', (mode) => {
  it('tells of a changed resource those who subscribed to it, and not the call that changed it', async () => {
    const targets = start(mode);
    const [listener, other] = [session(targets, 'listener'), session(targets, 'other')];
    await listener.send('resources/subscribe', URI);
    await other.call('touch');
    await until(() => listener.aside.length > 0, 20_000);
    expect([listener.aside, other.aside, other.inCall()]).toEqual([[told], [], []]);
    await listener.send('resources/unsubscribe', URI);
    await listener.call('touch');
    await other.call('touch');
    expect([listener.aside, listener.inCall()]).toEqual([[told], []]);
  });

  it('brings each session the log messages of its calls from its own level on', async () => {
    const targets = start(mode);
    const [loud, quiet, silent] = [session(targets, 'loud'), session(targets, 'quiet'), session(targets, 'silent')];
    await loud.send('logging/setLevel', { level: 'notice' });
    await quiet.send('logging/setLevel', { level: 'critical' });
    for (const each of [loud, quiet, silent]) await each.call('log');
    expect([loud.levels(), quiet.levels()]).toEqual([['notice', 'warning', 'error', 'critical', 'alert', 'emergency'], ['critical', 'alert', 'emergency']]);
    await loud.send('logging/setLevel', { level: 'alert' });
    await loud.call('log');
    await quiet.call('log');
    expect([loud.levels(), quiet.levels()]).toEqual([['alert', 'emergency'], ['critical', 'alert', 'emergency']]);
    targets.endSession('quiet');
    await loud.send('logging/setLevel', { level: 'emergency' });
    expect(textOf(await loud.call('asked'))).toBe(JSON.stringify([{ level: 'notice' }, { level: 'notice' }, { level: 'critical' }, { level: 'emergency' }]));
  });

  it('tells the process that comes after it the level that is wanted, right before the first request', async () => {
    const targets = start(mode);
    const [loud, quiet] = [session(targets, 'loud'), session(targets, 'quiet')];
    await loud.send('logging/setLevel', { level: 'info' });
    await quiet.send('logging/setLevel', { level: 'critical' });
    expect(await quiet.call('die')).toMatchObject({ kind: 'lost' });
    for (const each of [quiet, loud]) await each.call('log');
    expect([loud.levels(), quiet.levels()]).toEqual([['info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'], ['critical', 'alert', 'emergency']]);
    expect(textOf(await loud.call('asked'))).toBe(JSON.stringify([{ level: 'info' }]));
  });

  it('brings log messages outside of any call to the sessions of its only client, and to nobody once there are two', async () => {
    const targets = start(mode);
    const [ada, quiet, bob] = [session(targets, 'ada', 'ada'), session(targets, 'quiet', 'ada'), session(targets, 'bob', 'bob')];
    const levels = ({ aside }: typeof ada) => aside.splice(0).map((told) => (told as { readonly params: { readonly level: string } }).params.level);
    await ada.call('asked');
    await quiet.send('logging/setLevel', { level: 'emergency' });
    await ada.send('logging/setLevel', { level: 'alert' });
    await ada.send('log-later', {});
    await until(() => ada.aside.length === 2 && quiet.aside.length === 1, 20_000);
    expect([levels(ada), levels(quiet), levels(bob)]).toEqual([['alert', 'emergency'], ['emergency'], []]);
    await bob.call('asked');
    await bob.send('resources/subscribe', URI);
    await ada.send('log-later', {});
    await until(() => bob.aside.length > 0, 20_000);
    expect([ada.aside, quiet.aside, bob.aside]).toEqual([[], [], [told]]);
  });

  it('has the tasks of a client for that client alone, in whichever of its sessions', async () => {
    const targets = start(mode);
    const [ada, again, bob] = [session(targets, 'ada', 'ada'), session(targets, 'again', 'ada'), session(targets, 'bob', 'bob')];
    const begin = (one: typeof ada) => one.send('tools/call', { arguments: {}, name: 'touch', task: { ttl: 1_000 } });
    expect([await begin(ada), await begin(bob)]).toMatchObject([{ result: { task: { taskId: 'task-1' } } }, { result: { task: { taskId: 'task-2' } } }]);
    for (const [one, taskId] of [[ada, 'task-1'], [again, 'task-1'], [bob, 'task-2']] as const) {
      expect(await one.send('tasks/list', {})).toMatchObject({ result: { tasks: [{ taskId }] } });
      expect(textOf(await one.send('tasks/result', { taskId }))).toBe(`the result of ${taskId}`);
    }
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      for (const taskId of ['task-1', 'task-3', undefined]) expect(await bob.send(method, { taskId })).toMatchObject({ kind: 'error', error: { code: -32602 } });
    }
    await bob.send('say-status', {});
    await until(() => ada.aside.length > 0 && bob.aside.length > 0, 20_000);
    const about = ({ aside }: typeof ada) => new Set(aside.map((told) => (told as { readonly params: { readonly taskId: string } }).params.taskId));
    expect([about(ada), about(again), about(bob), bob.inCall()]).toEqual([new Set(['task-1']), new Set(), new Set(['task-2']), []]);
  });

  it('refuses a level it does not know, which changes nothing', async () => {
    const one = session(start(mode), 'one');
    await one.send('logging/setLevel', { level: 'alert' });
    expect(await one.send('logging/setLevel', { level: 'loud' })).toMatchObject({ kind: 'error', error: { code: -32602 } });
    await one.call('log');
    expect(one.levels()).toEqual(['alert', 'emergency']);
  });
});

it('a process that takes the place of one that has lingered is told the level that is wanted', async () => {
  const targets = start('ephemeral', 0);
  const one = session(targets, 'one');
  await one.send('logging/setLevel', { level: 'error' });
  await until(() => targets.status(id('station'))?.activeSandboxes === 0, 20_000);
  expect(textOf(await one.call('asked'))).toBe(JSON.stringify([{ level: 'error' }]));
});

it('a level that a human approved is sent once, and not to the process that comes after', async () => {
  const targets = start('linear');
  const one = session(targets, 'one');
  await one.send('logging/setLevel', { level: 'debug' }, true);
  expect(textOf(await one.call('asked'))).toBe(JSON.stringify([{ level: 'debug' }]));
  await one.call('die');
  expect(textOf(await one.call('asked'))).toBe('[]');
});

describe('an approved call of an ephemeral target that goes on as a task', () => {
  const begin = async () => {
    const targets = start('ephemeral');
    const [ada, bob] = [session(targets, 'ada', 'ada'), session(targets, 'bob', 'bob')];
    const params = { arguments: {}, name: 'touch', task: { ttl: 1_000 } };
    expect(await ada.send('tools/call', params, true)).toMatchObject({ result: { task: { taskId: 'task-1', status: 'working' } } });
    const ends = () => until(() => targets.status(id('station'))?.activeSandboxes === 0, 20_000);
    return { targets, ada, bob, ends };
  };
  const taskId = 'task-1';

  it('keeps its sandbox until its result was given, to its client alone', async () => {
    const { targets, ada, bob, ends } = await begin();
    expect(await ada.send('tasks/get', { taskId })).toMatchObject({ result: { status: 'working' } });
    expect(await bob.send('tasks/result', { taskId })).toMatchObject({ kind: 'error', error: { code: -32602 } });
    expect(targets.status(id('station'))?.activeSandboxes).toBe(2); // that of the task, and the one that was asked for the other client
    expect(textOf(await ada.send('tasks/result', { taskId }))).toBe('the result of task-1');
    await until(() => targets.status(id('station'))?.activeSandboxes === 1, 20_000);
    expect(await ada.send('tasks/get', { taskId })).toMatchObject({ kind: 'error', error: { code: -32602 } });
    await targets.close();
    await ends();
  });

  it('ends when it is cancelled', async () => {
    const { ada, ends } = await begin();
    expect(await ada.send('tasks/cancel', { taskId })).toMatchObject({ result: { status: 'cancelled' } });
    await ends();
  });

  it('gives its sandbox up to a later one of the same client under the same id', async () => {
    const { targets, ada, bob, ends } = await begin();
    const params = { arguments: {}, name: 'touch', task: { ttl: 1_000 } };
    await bob.send('tools/call', params, true);
    expect(targets.status(id('station'))?.activeSandboxes).toBe(2);
    await ada.send('tools/call', params, true);
    await until(() => targets.status(id('station'))?.activeSandboxes === 2, 20_000);
    for (const one of [ada, bob]) expect(textOf(await one.send('tasks/result', { taskId }))).toBe('the result of task-1');
    await ends();
  });
});

describe.each([0, 0.01])('a call that passed and goes on as a task, where a sandbox lingers for %s s', (lingerS) => {
  it('keeps its sandbox, which others share, until its result was given', async () => {
    const targets = start('ephemeral', lingerS);
    const [ada, bob] = [session(targets, 'ada', 'ada'), session(targets, 'bob', 'bob')];
    const params = { arguments: {}, name: 'touch', task: { ttl: 1_000 } };
    expect(await ada.send('tools/call', params)).toMatchObject({ result: { task: { taskId: 'task-1' } } });
    expect(await bob.send('tools/call', params)).toMatchObject({ result: { task: { taskId: 'task-2' } } });
    await bob.send('tasks/cancel', { taskId: 'task-2' });
    await ada.send('resources/subscribe', URI);
    // What it says 20 ms later comes after the time it lingers for.
    await ada.send('log-later', {});
    await until(() => ada.aside.length > 0, 20_000);
    expect(await ada.send('tasks/list', {})).toMatchObject({ result: { tasks: [{ taskId: 'task-1' }] } });
    expect(textOf(await ada.send('tasks/result', { taskId: 'task-1' }))).toBe('the result of task-1');
    await until(() => targets.status(id('station'))?.activeSandboxes === 0, 20_000);
  });
});
