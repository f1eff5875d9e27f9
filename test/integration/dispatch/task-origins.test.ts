/** What a task asks while its result is fetched (MCP 2025-11-25): the human sees the call the task came of, and repeats of the fetching join it. */
import { describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { handleText } from '../../../src/main/gateway/mcp/told.ts';
import { aDesk } from '../../support/desk.ts';

const FORM = { message: 'Which?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const BEGIN = { name: 'read_file', arguments: { path: 'notes.txt' }, task: { ttl: 1_000 } };
const FETCH = { method: 'tasks/result', params: { taskId: 't1' } };

/** A target that answers a call with a task, and asks when its result is fetched. */
function aStand() {
  const desk = aDesk({
    window: true,
    target: async ({ method, relay }) => ({ kind: 'result', result: method === 'tools/call' ? { task: { taskId: 't1', status: 'working' } } : { answer: await relay!.ask('elicitation/create', FORM) } }),
  });
  const send = (over: object, client = 'claude') => desk.dispatch.submit(desk.submission({ door: 'mcp', client, ...over }));
  const fetched = () => desk.sent.filter(({ method }) => method === 'tasks/result').length;
  return { desk, send, fetched };
}

describe('a question of a task', () => {
  it('shows the call the task came of and is joined by repeats of the request that waits, not by repeats of that call', async () => {
    const { desk, send, fetched } = aStand();
    await send({ params: BEGIN });
    const first = await send(FETCH);
    const [handle] = desk.approvals.queue();
    expect(handle).toMatchObject({ kind: 'question', request: { method: 'tools/call', text: expect.stringContaining('"path":"notes.txt"') as string } });
    expect(first).toMatchObject({ kind: 'handle', handle: { id: handle!.id } });
    expect(await send(FETCH)).toMatchObject({ kind: 'handle', joined: true, handle: { id: handle!.id } });
    expect(await send({ params: BEGIN })).toMatchObject({ kind: 'answered' });
    expect(fetched()).toBe(1);

    expect(desk.approvals.answer({ id: handle!.id, action: 'accept', values: ['Ada'], hash: handle!.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' })).toMatchObject({ ok: true });
    const ended = await desk.dispatch.settled(handle!.id, AbortSignal.timeout(20_000));
    expect(ended.state).toMatchObject({ status: 'executed', answer: expect.stringContaining('Ada') as string });
  });

  it.each<[string, (desk: ReturnType<typeof aDesk>) => unknown, string]>([
    ['nobody answered in time', ({ clock, approvals }) => (clock.pass(600_000), approvals.expireDue()), 'question-expired'],
    ['Countersign was started anew', ({ approvals }) => approvals.settleInterrupted(), 'question-withdrawn'],
  ])('does not have the fetching told as not executed where %s, for the task went on', async (_, happens, code) => {
    const { desk, send } = aStand();
    await send({ params: BEGIN });
    await send(FETCH);
    const [{ id }] = desk.approvals.queue() as [Handle];
    happens(desk);
    const told = JSON.parse(handleText({ id: 1, method: 'tasks/result' }, desk.approvals.get(id)!)) as object;
    expect(told).toMatchObject({ error: { message: expect.stringContaining('may have executed in part') as string, data: { code, handle: id } } });
  });

  it('shows the request that waits where the call is not known, and never the call of another client', async () => {
    const { desk, send } = aStand();
    await send({ params: BEGIN });
    await send(FETCH, 'other');
    await send({ ...FETCH, params: { taskId: 't2' } });
    expect(desk.approvals.queue().map(({ kind, request }) => [kind, request.method])).toEqual([['elicitation', 'tasks/result'], ['elicitation', 'tasks/result']]);
  });
});
