import { expect, it } from 'vitest';
import { createLog } from '../../../src/main/platform/log.ts';
import { createTaskQuestions } from '../../../src/main/targets/http/task-questions.ts';
import type { PeerRequest } from '../../../src/main/targets/rpc/peer.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { aClock } from '../../support/builders.ts';

it('what a human answers to a task reaches the target under the key it gave, though that has no canonical text', async () => {
  const inputRequests = JSON.parse('{"\\ud800":{"method":"elicitation/create","params":{}}}') as Record<string, unknown>;
  const request: PeerRequest = {
    method: 'tasks/get', paramsText: '{"taskId":"t"}', deadlineMs: 60_000,
    relay: { ask: () => Promise.reject(new Error('only the window is asked')), askBeyond: () => () => Promise.resolve({ action: 'decline' }) },
  };
  const updated = await new Promise<string>((resolve, reject) => {
    const log = createLog({ write: (line) => reject(new Error(line)), clock: aClock() });
    const ask = ({ method, paramsText }: PeerRequest): Promise<Answer> => {
      if (method === 'tasks/update') resolve(paramsText);
      return Promise.resolve({ kind: 'result', result: method === 'tasks/get' ? { taskId: 't', status: 'input_required', inputRequests } : {} });
    };
    void createTaskQuestions(log).get(request, ask);
  });
  expect(updated).toBe('{"inputResponses":{"\\ud800":{"action":"decline"}},"taskId":"t"}');
});

/** A task at a target that answers each look at it as it is told, and a human who is asked of it. */
function aTask() {
  const world = { at: 0, reply: undefined as Answer | Promise<Answer> | undefined, update: { kind: 'result', result: {} } as Answer | Promise<Answer> };
  const asked: { readonly signal: AbortSignal; readonly answer: (given: Record<string, unknown>) => void }[] = [];
  const updates: unknown[] = [];
  const request: PeerRequest = {
    method: 'tasks/get', paramsText: '{"taskId":"t"}', deadlineMs: 60_000,
    relay: {
      ask: () => Promise.reject(new Error('only the window is asked')),
      askBeyond: () => (signal) => new Promise((answer) => {
        asked.push({ signal, answer });
        signal.addEventListener('abort', () => answer({ action: 'cancel' }));
      }),
    },
  };
  const log = createLog({ write: () => undefined, clock: aClock() });
  const questions = createTaskQuestions(log, () => world.at);
  const updated: (() => void)[] = [];
  const ask = ({ method, paramsText }: PeerRequest): Promise<Answer> => {
    if (method === 'tasks/get') return Promise.resolve(world.reply!);
    updates.push((JSON.parse(paramsText) as { readonly inputResponses: unknown }).inputResponses);
    // Once its answer was taken in.
    setImmediate(() => updated.splice(0).forEach((tell) => tell()));
    return Promise.resolve(world.update);
  };
  return {
    world, asked, updates,
    look(reply: Answer | Promise<Answer>) {
      world.reply = reply;
      return questions.get(request, ask);
    },
    async answer(action: string) {
      const taken = new Promise<void>((resolve) => updated.push(resolve));
      asked.at(-1)!.answer({ action });
      await taken;
    },
  };
}
const asks = (...keys: string[]): Answer => ({ kind: 'result', result: { taskId: 't', status: 'input_required', inputRequests: Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params: {} }])) } });
const is = (status: string): Answer => ({ kind: 'result', result: { taskId: 't', status } });
const error = (code: number): Answer => ({ kind: 'error', error: { code, message: 'no' } });

it('a question stays before the human while a look at its task fails, and is taken back once the task is unknown or goes on', async () => {
  for (const end of [error(-32602), is('working'), is('cancelled')]) {
    const { asked, look } = aTask();
    await look(asks('k'));
    for (const failure of [error(-32603), error(-32000), { kind: 'lost', note: '' } as const]) expect(await look(failure)).toEqual(failure);
    expect(await look(asks('k'))).toMatchObject({ result: { status: 'working' } });
    expect([asked.length, asked[0]!.signal.aborted]).toEqual([1, false]);
    expect(await look(end)).toEqual(end);
    expect([asked.length, asked[0]!.signal.aborted]).toEqual([1, true]);
    // Nobody answered it, so it is asked again.
    await look(asks('k'));
    expect(asked).toHaveLength(2);
  }
});

it('a look at a task that began before its question was answered does not put the question again, whatever came meanwhile', async () => {
  const { world, asked, updates, look, answer } = aTask();
  let arrive: (reply: Answer) => void = () => undefined;
  await look(asks('k'));
  const stale = look(new Promise((resolve) => (arrive = resolve)));
  await answer('accept');
  expect(await look(is('completed'))).toEqual(is('completed'));
  arrive(asks('k'));
  expect(await stale).toMatchObject({ result: { status: 'working' } });
  expect([asked.length, updates]).toEqual([1, [{ k: { action: 'accept' } }]]);
  // Another question of the task is one, and so is this one when it comes too late to have crossed the answer.
  await look(asks('other'));
  expect(asked).toHaveLength(2);
  await look(is('working'));
  world.at = 90_000;
  await look(asks('k'));
  expect(asked).toHaveLength(3);
});

it('an answer that did not reach the target is asked for again, also when the task went on meanwhile', async () => {
  const { world, asked, look, answer } = aTask();
  let refuse: (answer: Answer) => void = () => undefined;
  world.update = new Promise<Answer>((resolve) => (refuse = resolve));
  await look(asks('k'));
  await answer('accept');
  await look(is('working'));
  refuse(error(-32603));
  await new Promise(setImmediate);
  await look(asks('k'));
  expect(asked).toHaveLength(2);
});

it('an answer that waited for another question when the task went on is asked for again', async () => {
  const { asked, updates, look } = aTask();
  await look(asks('one', 'two'));
  asked[0]!.answer({ action: 'accept' });
  await new Promise(setImmediate);
  await look(is('working'));
  await look(asks('one', 'two'));
  expect([asked.length, updates]).toEqual([4, []]);
});
