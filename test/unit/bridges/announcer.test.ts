import { describe, expect, it } from 'vitest';
import type { Approvals, Handle, HandleListener } from '../../../src/main/approvals/index.ts';
import { createAnnouncer } from '../../../src/main/bridges/announcer.ts';
import type { Posted, Posting } from '../../../src/main/bridges/post.ts';
import type { Log } from '../../../src/main/platform/log.ts';
import { memoryBridgeStore } from '../../support/bridges.ts';

const URL_OF_SLACK = 'https://hooks.example.com/slack';

/** An announcer with time that moves when a test says so, and a network that answers what a test says. */
function world(answer: (posting: Posting) => Posted | Promise<Posted> = () => ({ kind: 'answered', status: 204 })) {
  const time = { wall: 1_792_523_154_000 };
  const posted: Posting[] = [];
  const warned: string[] = [];
  const handles = new Map<string, Handle>();
  const listeners = new Set<HandleListener>();
  let timers: { at: number; run: () => void }[] = [];
  const store = memoryBridgeStore();
  const add = (name: string, url: string | null): void => store.add({ name, key: name, url, createdAt: 0 }, url === null ? null : `whsec_${Buffer.alloc(32).toString('base64')}`, { type: 'bridge.added', at: 0, actor: 'test' });
  const approvals: Pick<Approvals, 'subscribe' | 'get' | 'queue'> = {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get: (id) => handles.get(id),
    queue: () => [...handles.values()].filter(({ state }) => state.status === 'parked'),
  };
  const log = { debug: () => undefined, info: () => undefined, warn: (event: string) => void warned.push(event), error: () => undefined } satisfies Log;
  const announcer = createAnnouncer({
    approvals, store, log, clock: { now: () => ({ wall: time.wall, mono: 0, boot: 'one' }) },
    timers: {
      after(ms, run) {
        const timer = { at: time.wall + ms, run };
        timers.push(timer);
        return () => void (timers = timers.filter((one) => one !== timer));
      },
    },
    async post(posting) {
      posted.push(posting);
      return answer(posting);
    },
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    announcer, store, add, posted, warned, listeners,
    park(number: number, kind: 'call' | 'change' = 'call'): Handle {
      const handle = {
        id: `txn_1792523154_${String(number).padStart(12, '0')}`, kind, request: { hash: 'ab'.repeat(32), target: 'db' }, trap: { mode: 'totp' },
        parkedAt: { wall: time.wall }, ttlMs: 3_600_000, frozen: { wall: 0, mono: 0 }, state: { status: 'parked', returned: false },
      } as unknown as Handle;
      handles.set(handle.id, handle);
      for (const listener of listeners) listener(handle, 'park');
      return handle;
    },
    decide: (handle: Handle) => void handles.set(handle.id, { ...handle, state: { status: 'declined', settledAt: time.wall, reason: null } }),
    settle,
    /** Lets this much time pass, and what is due happen. */
    async pass(ms: number) {
      time.wall += ms;
      const due = timers.filter(({ at }) => at <= time.wall);
      timers = timers.filter(({ at }) => at > time.wall);
      for (const { run } of due) run();
      await settle();
    },
  };
}

const HOUR = 3_600_000;
const failing = (): Posted => ({ kind: 'failed', note: 'ECONNREFUSED' });

describe('telling bridges of parked calls', () => {
  it('tells every bridge that has an address, once when it answers well, and nobody of a change', async () => {
    const { announcer, add, park, posted, settle, pass } = world();
    add('slack', URL_OF_SLACK);
    add('teams', 'https://hooks.example.com/teams');
    add('silent', null);
    announcer.start();
    park(1);
    park(2, 'change');
    await settle();
    await pass(HOUR);
    expect(posted.map(({ url }) => url)).toEqual([URL_OF_SLACK, 'https://hooks.example.com/teams']);
    expect(announcer.lastDelivery('slack')).toMatchObject({ ok: true, note: '204' });
    expect(announcer.lastDelivery('silent')).toBeUndefined();
  });

  it('tries again with growing waits under the same id, and gives up after the sixth time', async () => {
    const { announcer, add, park, posted, settle, pass, warned } = world(failing);
    add('slack', URL_OF_SLACK);
    announcer.start();
    park(1);
    await settle();
    const counts: number[] = [posted.length];
    for (const ms of [999, 1, 5_000, 30_000, 120_000, 300_000, HOUR]) {
      await pass(ms);
      counts.push(posted.length);
    }
    expect(counts).toEqual([1, 1, 2, 3, 4, 5, 6, 6]);
    expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(posted.map(({ headers }) => headers['webhook-signature'])).size).toBe(6);
    expect(warned).toEqual(['bridge.given-up']);
    expect(announcer.lastDelivery('slack')).toMatchObject({ ok: false, note: 'ECONNREFUSED' });
  });

  it.each<[string, (made: ReturnType<typeof world>, handle: Handle) => void]>([
    ['the call is decided', ({ decide }, handle) => decide(handle)],
    ['the bridge is removed', ({ store }) => void store.remove('slack', { type: 'bridge.removed', at: 0, actor: 'test' })],
    ['the product stops', ({ announcer }) => announcer.stop()],
  ])('does not try again once %s', async (_, end) => {
    const made = world(failing);
    made.add('slack', URL_OF_SLACK);
    made.announcer.start();
    const handle = made.park(1);
    await made.settle();
    end(made, handle);
    await made.pass(HOUR);
    expect(made.posted).toHaveLength(1);
  });

  it('takes 410 for a no for good, and any other status for a failure', async () => {
    for (const [status, tries] of [[410, 1], [302, 2], [404, 2], [500, 2]] as const) {
      const { announcer, add, park, posted, settle, pass } = world(() => ({ kind: 'answered', status }));
      add('slack', URL_OF_SLACK);
      announcer.start();
      park(1);
      await settle();
      await pass(1_000);
      expect([status, posted.length]).toEqual([status, tries]);
    }
  });

  it('has four posts under way to one bridge at most, and one slow bridge holds up no other', async () => {
    const release: (() => void)[] = [];
    const { announcer, add, park, posted, settle } = world(({ url }) =>
      url === URL_OF_SLACK ? new Promise((resolve) => release.push(() => resolve({ kind: 'answered', status: 204 }))) : { kind: 'answered', status: 204 });
    add('slack', URL_OF_SLACK);
    add('teams', 'https://hooks.example.com/teams');
    announcer.start();
    for (let number = 0; number < 10; number += 1) park(number);
    await settle();
    const to = (url: string): number => posted.filter((one) => one.url === url).length;
    expect([to(URL_OF_SLACK), to('https://hooks.example.com/teams')]).toEqual([4, 10]);
    release.shift()?.();
    await settle();
    expect(to(URL_OF_SLACK)).toBe(5);
  });

  it('is not stopped by a secret that cannot be opened', async () => {
    const { announcer, add, park, posted, settle, pass, store, warned } = world();
    add('slack', URL_OF_SLACK);
    const { secret } = store;
    store.secret = () => {
      throw new Error('sealed elsewhere');
    };
    announcer.start();
    park(1);
    await settle();
    expect(warned).toEqual(['bridge.not-told']);
    store.secret = secret;
    await pass(1_000);
    expect(posted).toHaveLength(1);
  });

  it('tells of what waits already when it starts', async () => {
    const { announcer, add, park, posted, settle } = world();
    add('slack', URL_OF_SLACK);
    park(1);
    announcer.start();
    await settle();
    expect(posted).toHaveLength(1);
  });
});
