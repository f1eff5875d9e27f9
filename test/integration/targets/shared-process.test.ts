/** What several sessions have in common where one process serves them all, and what they have not. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Targets } from '../../../src/main/targets/targets.ts';
import { aCall, aRelay, aTarget, downstream, harness, textOf, until, worker, type Harness } from '../../support/workers/harness.ts';

let made: Harness;
afterEach(() => made.close());

const start = (mode: 'linear' | 'ephemeral'): Targets => {
  made = harness({ specs: () => [aTarget('station', { args: [worker('station.mjs')], mode })] });
  return made.targets;
};

/** A session that keeps what it is told, in a call or outside of any. */
function session(targets: Targets, name: string) {
  const aside: unknown[] = [];
  targets.beginSession(downstream(name), (_, method, params) => aside.push({ method, params }));
  const { relay, notes } = aRelay();
  const send = (method: string, params: object) => targets.call({ ...aCall('station', '', {}, { relay }), session: name, method, paramsText: JSON.stringify(params) });
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

  it('refuses a level it does not know, which changes nothing', async () => {
    const one = session(start(mode), 'one');
    await one.send('logging/setLevel', { level: 'alert' });
    expect(await one.send('logging/setLevel', { level: 'loud' })).toMatchObject({ kind: 'error', error: { code: -32602 } });
    await one.call('log');
    expect(one.levels()).toEqual(['alert', 'emergency']);
  });
});
