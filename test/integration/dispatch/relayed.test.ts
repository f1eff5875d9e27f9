/** Calls in whose middle their own client is asked something (contract, 3.2): repeats join them and never reach the target. */
import { describe, expect, it } from 'vitest';
import type { Relay } from '../../../src/main/dispatch/ports.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { aDesk } from '../../support/desk.ts';

const SAFE = { name: 'read_file', arguments: { path: 'notes.txt' } };
const FORM = { message: 'Which branch?', requestedSchema: { type: 'object', properties: { branch: { type: 'string' } } } };

/** A desk whose target asks with `method` in each call, and a door that answers when it is told to. */
function aStand(method: string, window: boolean) {
  const desk = aDesk({
    window,
    target: async ({ relay }) => ({ kind: 'result', result: await relay!.ask(method, FORM) }),
  });
  const open: { readonly withinMs: number | undefined; readonly answer: (given: Record<string, unknown>) => void }[] = [];
  const relay: Relay = { takesForms: true, ask: (_method, _params, _signal, withinMs) => new Promise((answer) => open.push({ withinMs, answer })) };
  const send = (client = 'claude', params: typeof SAFE = SAFE) => desk.dispatch.submit(desk.submission({ client, params, door: 'mcp', relay }));
  return { desk, open, send };
}

describe('a call whose client is asked', () => {
  it('is joined by every repeat of that client, and run anew once it has ended', async () => {
    const { desk, open, send } = aStand('elicitation/create', false);
    const first = send();
    const repeats = [send(), send()];
    const others = [send('other'), send('claude', { ...SAFE, arguments: { path: 'else.txt' } })];
    expect([desk.sent.length, open.length]).toEqual([3, 3]);
    for (const { answer } of open) answer({ action: 'decline' });
    const end = await first;
    expect(end).toEqual({ kind: 'answered', answer: { kind: 'result', result: { action: 'decline' } }, replay: false });
    for (const repeat of repeats) expect(await repeat).toEqual(end);
    await Promise.all(others);
    const later = send();
    expect(desk.sent).toHaveLength(4);
    open.at(-1)!.answer({ action: 'accept', content: { branch: 'main' } });
    expect(await later).toMatchObject({ answer: { result: { action: 'accept' } } });
  });

  it('is told the time a human would have, for a form and for nothing else', async () => {
    for (const [method, withinMs] of [['elicitation/create', 600_000], ['sampling/createMessage', undefined]] as const) {
      const { open, send } = aStand(method, false);
      const sent = send();
      expect(open).toMatchObject([{ withinMs }]);
      open[0]!.answer({});
      await sent;
    }
  });

  it('is not joined for what is no question to a human', async () => {
    const { desk, open, send } = aStand('roots/list', true);
    const both = [send(), send()];
    expect(desk.sent).toHaveLength(2);
    for (const { answer } of open) answer({ roots: [] });
    await Promise.all(both);
  });

  /** A target that asks once and then works until it is told to finish, and requests of one client that can leave. */
  function aLongStand(ask: NonNullable<Relay['ask']>) {
    let finish: () => void = () => undefined;
    const worked = new Promise<void>((resolve) => (finish = resolve));
    const desk = aDesk({
      target: async ({ relay, signal }) => {
        const cancelled = new Promise<Answer>((resolve) => signal!.addEventListener('abort', () => resolve({ kind: 'lost', note: String(signal!.reason) })));
        const result = await relay!.ask('elicitation/create', FORM).catch(() => ({ asked: 'nobody' }));
        return Promise.race([worked.then((): Answer => ({ kind: 'result', result })), cancelled]);
      },
    });
    const send = () => {
      const leaves = new AbortController();
      return { leave: () => leaves.abort('left'), end: desk.dispatch.submit(desk.submission({ params: SAFE, door: 'mcp', relay: { takesForms: true, ask }, signal: leaves.signal })) };
    };
    return { desk, send, finish };
  }

  it('goes on when the request that began it has left, as long as another holds it', async () => {
    const { desk, send, finish } = aLongStand(() => Promise.resolve({ action: 'accept' }));
    const [first, second] = [send(), send()];
    first.leave();
    expect(desk.sent.map(({ signal }) => signal!.aborted)).toEqual([false]);
    finish();
    expect(await second.end).toMatchObject({ answer: { result: { action: 'accept' } } });
  });

  it('is cancelled when the last that holds it has left, in whatever order', async () => {
    for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2]]) {
      const { desk, send } = aLongStand(() => Promise.resolve({ action: 'accept' }));
      const requests = [send(), send(), send()];
      const aborted: boolean[] = [];
      for (const nth of order) {
        requests[nth]!.leave();
        aborted.push(desk.sent[0]!.signal!.aborted);
      }
      expect([aborted, desk.sent.length]).toEqual([[false, false, true], 1]);
      for (const { end } of requests) expect(await end).toMatchObject({ answer: { kind: 'lost', note: 'left' } });
    }
  });

  it('waits for no answer of one that has left', async () => {
    const { send, finish } = aLongStand((_method, _params, signal) => new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(new Error('left')))));
    const [first, second] = [send(), send()];
    first.leave();
    finish();
    expect(await second.end).toMatchObject({ answer: { result: { asked: 'nobody' } } });
  });
});
