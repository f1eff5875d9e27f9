import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bind, type Frame, type IpcFault } from '../../../src/main/ipc/bind.ts';
import type { Contract, Reply } from '../../../src/shared/contract/define.ts';

const contract = {
  requests: {
    greet: { input: z.strictObject({ name: z.string().max(5) }), output: z.strictObject({ text: z.string() }) },
    leak: { input: z.strictObject({}), output: z.strictObject({ text: z.string() }) },
    fail: { input: z.strictObject({}), output: z.strictObject({}) },
    deny: { input: z.strictObject({}), output: z.strictObject({}) },
  },
  events: { changed: z.strictObject({ handle: z.string() }) },
} as const satisfies Contract;

/** Stands in for Electron's web contents: keeps what is registered, and calls it as Electron would. */
function aSurface() {
  const mainFrame: Frame = { origin: 'app://approval' };
  const listeners = new Map<string, (event: { senderFrame: Frame | null }, ...args: unknown[]) => Promise<string>>();
  const sent: [string, string][] = [];
  const state = { destroyed: false };
  return {
    mainFrame, listeners, sent, state,
    ipc: { handle: (name: string, listener: never) => void listeners.set(name, listener), removeHandler: (name: string) => void listeners.delete(name) },
    send: (name: string, payload: string) => void sent.push([name, payload]),
    isDestroyed: () => state.destroyed,
    async invoke(name: string, senderFrame: Frame | null, ...args: unknown[]) {
      return JSON.parse(await listeners.get(name)!({ senderFrame }, ...args)) as Reply<unknown>;
    },
  };
}

function setUp() {
  const surface = aSurface();
  const faults: IpcFault[] = [];
  const calls: unknown[] = [];
  const bound = bind({
    window: 'approval', origin: 'app://approval', contract, surface, report: (fault) => void faults.push(fault),
    handlers: {
      greet(input) {
        calls.push(input);
        return { ok: true, value: { text: `hello ${input.name}` } };
      },
      leak: () => ({ ok: true, value: { text: 'fine', token: 'secret-token' } as { text: string } }),
      fail() {
        throw new Error('secret words of a bug');
      },
      deny: () => ({ ok: false, code: 'wrong-code', detail: { attemptsLeft: 4 } }),
    },
  });
  return { surface, faults, calls, bound, greet: (frame: Frame | null, ...args: unknown[]) => surface.invoke('approval:greet', frame, ...args) };
}

describe('a bound contract', () => {
  it('answers its own main frame with the handler\'s reply', async () => {
    const { surface, greet } = setUp();
    expect(await greet(surface.mainFrame, '{"name":"ana"}')).toEqual({ ok: true, value: { text: 'hello ana' } });
  });

  it('registers every request of the contract and nothing else', () => {
    const { surface } = setUp();
    expect([...surface.listeners.keys()]).toEqual(['approval:greet', 'approval:leak', 'approval:fail', 'approval:deny']);
  });

  it.each([
    ['a frame that is gone', () => null],
    ['another frame of the same origin', () => ({ origin: 'app://approval' })],
    ['the main frame after it went elsewhere', (surface: ReturnType<typeof aSurface>) => Object.assign(surface.mainFrame, { origin: 'https://example.org' })],
    ['the main frame of another page of ours', (surface: ReturnType<typeof aSurface>) => Object.assign(surface.mainFrame, { origin: 'app://dashboard' })],
    ['a frame with the opaque origin', (surface: ReturnType<typeof aSurface>) => Object.assign(surface.mainFrame, { origin: 'null' })],
  ])('refuses %s without calling the handler', async (_who, sender) => {
    const { surface, greet, calls, faults } = setUp();
    expect(await greet(sender(surface), '{"name":"ana"}')).toEqual({ ok: false, code: 'origin-not-allowed' });
    expect(calls).toEqual([]);
    expect(faults).toEqual([{ channel: 'approval:greet', fault: 'foreign-sender', note: 'not the main frame of this window' }]);
  });

  it.each([
    ['an object in place of a text', { name: 'ana' }],
    ['a text that is not JSON', '{"name":'],
    ['another shape', '{"names":"ana"}'],
    ['an extra key', '{"name":"ana","admin":true}'],
    ['a `__proto__` key', '{"name":"ana","__proto__":{"admin":true}}'],
    ['a value out of bounds', '{"name":"anastasia"}'],
    ['an array', '["ana"]'],
    ['null', 'null'],
  ])('refuses %s', async (_what, argument) => {
    const { surface, greet, calls } = setUp();
    expect(await greet(surface.mainFrame, argument)).toEqual({ ok: false, code: 'invalid-params' });
    expect(calls).toEqual([]);
  });

  it('refuses no argument, and more than one', async () => {
    const { surface, greet } = setUp();
    expect(await greet(surface.mainFrame)).toEqual({ ok: false, code: 'invalid-params' });
    expect(await greet(surface.mainFrame, '{"name":"ana"}', '{"name":"ana"}')).toEqual({ ok: false, code: 'invalid-params' });
  });

  it('names the place of a bad input in the log, and never its value', async () => {
    const { surface, greet, faults } = setUp();
    await greet(surface.mainFrame, '{"name":"secret-value"}');
    expect(faults).toEqual([{ channel: 'approval:greet', fault: 'bad-input', note: 'name: too_big' }]);
  });

  it('keeps the words of a thrown error from the page', async () => {
    const { surface, faults } = setUp();
    expect(await surface.invoke('approval:fail', surface.mainFrame, '{}')).toEqual({ ok: false, code: 'internal' });
    expect(faults[0]).toMatchObject({ channel: 'approval:fail', fault: 'handler-threw' });
  });

  it('sends nothing that the contract does not name', async () => {
    const { surface, faults } = setUp();
    expect(await surface.invoke('approval:leak', surface.mainFrame, '{}')).toEqual({ ok: false, code: 'internal' });
    expect(JSON.stringify(faults)).not.toContain('secret-token');
  });

  it('hands on a refusal with its numbers', async () => {
    const { surface } = setUp();
    expect(await surface.invoke('approval:deny', surface.mainFrame, '{}')).toEqual({ ok: false, code: 'wrong-code', detail: { attemptsLeft: 4 } });
  });

  it('sends events as JSON texts on the window\'s own channel, and none to a page that is gone', () => {
    const { surface, bound } = setUp();
    bound.send('changed', { handle: 'h1' });
    surface.state.destroyed = true;
    bound.send('changed', { handle: 'h2' });
    expect(surface.sent).toEqual([['approval:changed', '{"handle":"h1"}']]);
  });

  it('takes its handlers back', () => {
    const { surface, bound } = setUp();
    bound.unbind();
    expect([...surface.listeners.keys()]).toEqual([]);
  });
});
