import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startDeadline } from '../../../src/main/targets/rpc/deadline.ts';
import { wholeList } from '../../../src/main/targets/rpc/lists.ts';
import { createByteTail } from '../../../src/main/targets/stdio/byte-tail.ts';
import { childEnvironment } from '../../../src/main/targets/stdio/child-environment.ts';
import { createSubscriptions } from '../../../src/main/targets/stdio/subscriptions.ts';
import { createTurns } from '../../../src/main/targets/stdio/turns.ts';
import { createWriteQueue } from '../../../src/main/targets/stdio/write-queue.ts';
import { aCall } from '../../support/workers/harness.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a child's environment", () => {
  it('holds the fixed list of ours, the keys of the entry and the mark, and no key that is ours, whatever it is made of', () => {
    const key = fc.oneof(fc.constantFrom('HOME', 'PATH', 'FIBER_HITL_ON', 'COUNTERSIGN_PASSPHRASE', 'EQUINIX_SECRET_KEY', 'Fiber_X', 'ELECTRON_RUN_AS_NODE'), fc.stringMatching(/^[A-Z_]{1,6}$/));
    fc.assert(
      fc.property(fc.dictionary(key, fc.string()), fc.dictionary(key, fc.string()), (base, entry) => {
        const env = childEnvironment(base, entry, 'mark');
        const ours = Object.keys(env).filter((name) => /^(fiber_|countersign_|electron_run_as_node)/i.test(name));
        expect(ours).toEqual(['COUNTERSIGN_CHILD']);
        const fixed = new Set(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR', 'COUNTERSIGN_CHILD']);
        expect(Object.keys(env).every((name) => fixed.has(name) || Object.hasOwn(entry, name))).toBe(true);
      }),
    );
  });

  it('leaves out exported shell functions', () => {
    expect(childEnvironment({ SHELL: '() { :; }; echo', TERM: 'xterm' }, {}, 'm')).toEqual({ TERM: 'xterm', COUNTERSIGN_CHILD: 'm' });
  });
});

describe('the end of a stream', () => {
  it('is kept, and no more than that', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), (texts) => {
        const tail = createByteTail(10);
        for (const text of texts) tail.push(Buffer.from(text));
        expect(tail.text()).toBe(Buffer.from(texts.join('')).subarray(-10).toString('utf8'));
      }),
    );
  });
});

describe('turns', () => {
  const wait = { ms: 1_000, signal: undefined, late: (note: string): string => note, cancelled: (note: string): string => note };

  it('let one in after the other, also after one that fails', async () => {
    const turns = createTurns();
    const order: number[] = [];
    const runs = [30, 0, 0].map((ms, n) =>
      turns.take(async () => {
        await pause(ms);
        order.push(n);
        if (n === 0) throw new Error('first');
        return String(n);
      }, wait),
    );
    await expect(runs[0]).rejects.toThrow('first');
    await Promise.all(runs.slice(1));
    expect(order).toEqual([0, 1, 2]);
  });

  it('leave out one whose time is over or who has cancelled, and it never runs', async () => {
    const turns = createTurns();
    const cancel = new AbortController();
    const ran: string[] = [];
    const first = turns.take(() => pause(40), { ...wait, late: () => undefined, cancelled: () => undefined });
    const late = turns.take(() => Promise.resolve(String(ran.push('late'))), { ...wait, ms: 5 });
    const cancelled = turns.take(() => Promise.resolve(String(ran.push('cancelled'))), { ...wait, signal: cancel.signal });
    const gone = turns.take(() => Promise.resolve(String(ran.push('gone'))), { ...wait, signal: AbortSignal.abort() });
    cancel.abort();
    expect(await Promise.all([late, cancelled, gone])).toEqual(['the deadline passed while other calls were running', 'cancelled by the caller', 'cancelled by the caller']);
    await first;
    expect(await turns.take(() => Promise.resolve('next'), wait)).toBe('next');
    expect(ran).toEqual([]);
  });

  it('keep a turn that was entered until it is ended, once, and let those in between in the order they came', async () => {
    const turns = createTurns();
    const order: string[] = [];
    const first = turns.enter();
    if (first instanceof Promise) throw new Error('nobody was before it');
    const second = turns.take(() => Promise.resolve(order.push('second')), { ...wait, late: () => 0, cancelled: () => 0 });
    const third = Promise.resolve(turns.enter());
    const fourth = turns.take(() => Promise.resolve(order.push('fourth')), { ...wait, late: () => 0, cancelled: () => 0 });
    expect([turns.isNow(first), turns.isNow(undefined), order]).toEqual([true, false, []]);
    first.end();
    await second;
    const mine = await third;
    first.end();
    expect([turns.isNow(first), turns.isNow(mine), order]).toEqual([false, true, ['second']]);
    mine.end();
    await fourth;
    expect([order, turns.waiting()]).toEqual([['second', 'fourth'], 0]);
    const later = await turns.enter();
    expect(turns.isNow(later)).toBe(true);
  });
});

describe('a deadline', () => {
  const byHand = (ms: number) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const passed = vi.fn();
    return { passed, deadline: startDeadline(ms, passed) };
  };
  afterEach(() => vi.useRealTimers());

  it('is pushed back by every sign that the target goes on, pauses not counted', () => {
    const { passed, deadline } = byHand(60_000);
    for (let sign = 0; sign < 5; sign += 1) {
      vi.advanceTimersByTime(59_999);
      deadline.renew();
    }
    deadline.pause();
    deadline.renew();
    vi.advanceTimersByTime(600_000);
    deadline.resume();
    vi.advanceTimersByTime(59_999);
    expect(passed).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledOnce();
  });

  it('comes after an hour whatever the target shows, and not again once it is cleared', () => {
    const { passed, deadline } = byHand(60_000);
    for (let minute = 1; minute < 120; minute += 1) {
      vi.advanceTimersByTime(30_000);
      deadline.renew();
      expect(passed.mock.calls.length, `${minute / 2} minutes`).toBe(0);
    }
    vi.advanceTimersByTime(30_000);
    expect(passed).toHaveBeenCalledOnce();
    const cleared = startDeadline(10, passed);
    cleared.clear();
    cleared.renew();
    vi.advanceTimersByTime(100);
    expect(passed).toHaveBeenCalledOnce();
  });

  it('stands still while it is paused, and is over when it is cleared', async () => {
    let passed = 0;
    const deadline = startDeadline(20, () => (passed += 1));
    deadline.pause();
    deadline.pause();
    await pause(40);
    deadline.resume();
    await pause(30);
    expect(passed).toBe(0);
    deadline.resume();
    await pause(40);
    expect(passed).toBe(1);
    const cleared = startDeadline(10, () => (passed += 1));
    cleared.pause();
    cleared.clear();
    cleared.resume();
    await pause(20);
    expect(passed).toBe(1);
  });
});

describe('writing to a child', () => {
  it('hands one message over at a time, and knows that what waits has not left', async () => {
    const stdin = new PassThrough({ highWaterMark: 4 });
    const queue = createWriteQueue(stdin);
    const about = { failed: () => undefined };
    const blocker = queue.send('x'.repeat(100), about);
    const waiting = queue.send('second', about);
    const third = queue.send('third', about);
    expect([blocker.left(), waiting.left(), third.left()]).toEqual([true, false, false]);
    waiting.abandon();
    const read: string[] = [];
    stdin.setEncoding('utf8').on('data', (text: string) => read.push(text));
    while (!read.join('').includes('third')) await pause(1);
    expect(read.join('')).toBe(`${'x'.repeat(100)}\nthird\n`);
    expect(waiting.left()).toBe(false);
    queue.stop();
    expect(queue.send('after', about).left()).toBe(false);
  });
});

describe('a list in pages', () => {
  const pages = (...all: object[]) => {
    const asked: string[] = [];
    return { asked, ask: (paramsText: string) => (asked.push(paramsText), Promise.resolve({ kind: 'result' as const, result: { ...all[asked.length - 1] } })) };
  };

  it('is put together, in order, without a cursor', async () => {
    const { asked, ask } = pages({ tools: [1], nextCursor: 'a', _meta: { x: 1 } }, { tools: [2], nextCursor: 'b' }, { tools: [] });
    expect(await wholeList('tools/list', ask)).toEqual({ kind: 'result', result: { tools: [1, 2] } });
    expect(asked).toEqual(['{}', '{"cursor":"a"}', '{"cursor":"b"}']);
  });

  it('that does not end, or is none, is a fault', async () => {
    expect(await wholeList('tools/list', () => Promise.resolve({ kind: 'result', result: { tools: [], nextCursor: 'again' } }))).toMatchObject({ kind: 'fault', code: 'upstream-fault' });
    let n = 0;
    expect(await wholeList('tools/list', () => Promise.resolve({ kind: 'result', result: { tools: [], nextCursor: String((n += 1)) } }))).toMatchObject({ kind: 'fault' });
    expect(await wholeList('prompts/list', () => Promise.resolve({ kind: 'result', result: { prompts: 'x' } }))).toMatchObject({ kind: 'fault' });
    expect(await wholeList('prompts/list', () => Promise.resolve({ kind: 'error', error: { code: 1, message: 'no' } }))).toMatchObject({ kind: 'error' });
  });
});

describe('subscriptions of a shared daemon', () => {
  it('tell only those who subscribed, and do not end for all when one ends', async () => {
    const subscriptions = createSubscriptions();
    const sent: string[] = [];
    const call = (session: string, method: string) =>
      subscriptions.follow({ ...aCall('t', ''), method, session, paramsText: '{"uri":"a:b"}' }, () => (sent.push(`${session} ${method}`), Promise.resolve({ kind: 'result', result: {} })));
    const who = () => subscriptions.for('notifications/resources/updated', { uri: 'a:b' });
    await call('one', 'resources/subscribe');
    await call('two', 'resources/subscribe');
    expect(who()).toEqual(['one', 'two']);
    await call('one', 'resources/unsubscribe');
    expect(who()).toEqual(['two']);
    expect(sent).not.toContain('one resources/unsubscribe');
    await call('two', 'resources/unsubscribe');
    expect(sent).toContain('two resources/unsubscribe');
    await call('one', 'resources/subscribe');
    subscriptions.end('one');
    expect(who()).toEqual([]);
    expect(subscriptions.for('notifications/message', { uri: 'a:b' })).toEqual([]);
  });
});
