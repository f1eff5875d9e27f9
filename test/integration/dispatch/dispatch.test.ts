import { describe, expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import type { Submitted } from '../../../src/main/dispatch/index.ts';
import type { Turn } from '../../../src/main/dispatch/ports.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { aFailingDisk } from '../../support/failing-database.ts';
import { aDesk, CODE, RESULT } from '../../support/desk.ts';

const SAFE = { name: 'read_file', arguments: { path: 'notes.txt' } };

function handleIn(submitted: Submitted): Handle {
  if (submitted.kind !== 'handle') throw new Error(`no handle but ${JSON.stringify(submitted)}`);
  return submitted.handle;
}
const never = new AbortController().signal;
const approve = (desk: ReturnType<typeof aDesk>, handle: Handle) => desk.approvals.approve({ id: handle.id, hash: handle.request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' });

describe('a call that passes the guard', () => {
  it('is sent at once with the client\'s own params and leaves one row in the chain of passes', async () => {
    const desk = aDesk();
    const done = await desk.dispatch.submit(desk.submission({ params: { ...SAFE, _meta: { trace: 'x' } } }));
    expect(done).toEqual({ kind: 'answered', answer: RESULT, replay: false });
    expect(desk.sent.map(({ paramsText, approved }) => ({ paramsText, approved }))).toEqual([
      { paramsText: '{"_meta":{"trace":"x"},"arguments":{"path":"notes.txt"},"name":"read_file"}', approved: false },
    ]);
    expect(desk.store.audit.list({ chain: 'passes', limit: 10 }).map(({ type }) => type)).toEqual(['call.passed']);
  });

  it('is not sent when its record cannot be committed', async () => {
    const desk = aDesk();
    desk.store.close();
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE }))).toEqual({ kind: 'refused', code: 'store-unavailable' });
    expect(desk.sent).toEqual([]);
  });

  it('leaves a second row when nothing left after all, with the code, and when no answer came', async () => {
    const ends: Answer[] = [{ kind: 'fault', code: 'revision-withdrawn', sent: false, note: '' }, { kind: 'fault', code: 'upstream-fault', sent: true, note: '' }, { kind: 'lost', note: '' }];
    const rows = await Promise.all(ends.map(async (end) => {
      const desk = aDesk({ target: () => Promise.resolve(end) });
      expect(await desk.dispatch.submit(desk.submission({ params: SAFE }))).toEqual({ kind: 'answered', answer: end, replay: false });
      return desk.store.audit.list({ chain: 'passes', limit: 10 }).map(({ type, detail }) => [type, (JSON.parse(detail) as { readonly code?: string }).code]).reverse();
    }));
    expect(rows).toEqual([[['call.passed', undefined], ['call.refused', 'revision-withdrawn']], [['call.passed', undefined]], [['call.passed', undefined], ['call.lost', undefined]]]);
  });

  it('is told as it ended when that cannot be recorded any more', async () => {
    const desk = aDesk({
      target() {
        desk.store.close();
        return Promise.resolve({ kind: 'lost', note: '' });
      },
    });
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE }))).toEqual({ kind: 'answered', answer: { kind: 'lost', note: '' }, replay: false });
    expect(desk.doubts).toEqual(['how a call ended could not be recorded']);
  });

  it('is refused while paused, and sent again after', async () => {
    const desk = aDesk();
    desk.approvals.pause('control:ana');
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE }))).toEqual({ kind: 'refused', code: 'paused' });
    desk.approvals.resume('control:ana');
    expect((await desk.dispatch.submit(desk.submission({ params: SAFE }))).kind).toBe('answered');
    expect(desk.sent).toHaveLength(1);
  });
});

describe('a call the guard traps', () => {
  it('reaches no target until a human approves, and then the stored request does, once', async () => {
    const desk = aDesk();
    const handle = handleIn(await desk.dispatch.submit(desk.submission({ params: { name: 'write_file', arguments: { path: 'a' }, _meta: { trace: 'x' } } })));
    expect(handle.state.status).toBe('parked');
    expect(desk.sent).toEqual([]);
    expect(approve(desk, handle).ok).toBe(true);
    const settled = await desk.dispatch.settled(handle.id, never);
    expect(settled.state).toMatchObject({ status: 'executed', answer: JSON.stringify({ result: (RESULT as Extract<Answer, { kind: 'result' }>).result }) });
    expect(desk.sent.map(({ paramsText, approved }) => ({ paramsText, approved }))).toEqual([{ paramsText: '{"arguments":{"path":"a"},"name":"write_file"}', approved: true }]);
    expect(approve(desk, handle)).toMatchObject({ ok: false });
    expect(desk.sent).toHaveLength(1);
  });

  it('is sent once, or waits for a human again, at whatever statement the disk fails after their yes', async () => {
    const ends = new Set<string>();
    for (let nth = 1; !ends.has('executed at once'); nth += 1) {
      const disk = aFailingDisk();
      const desk = aDesk({ open: disk.open });
      const { id } = handleIn(await desk.dispatch.submit(desk.submission()));
      const handle = desk.approvals.get(id)!;
      disk.failAt(nth, { code: 'SQLITE_FULL', onwards: true });
      const approved = approve(desk, handle);
      await desk.dispatch.drain(0);
      const atOnce = disk.heal() < nth;
      desk.approvals.expireDue();
      const status = desk.approvals.get(id)?.state.status;
      ends.add(`${status}${atOnce ? ' at once' : ''}`);
      if (status === 'executed') expect(desk.sent).toHaveLength(1);
      else {
        expect(desk.sent).toEqual([]);
        expect(desk.approvals.queue()).toMatchObject([{ id, state: { status: 'parked', returned: approved.ok } }]);
      }
    }
    expect([...ends].sort()).toEqual(['executed', 'executed at once', 'parked']);
  });

  it('is never sent when the human declines', async () => {
    const desk = aDesk();
    const handle = handleIn(await desk.dispatch.submit(desk.submission()));
    desk.approvals.decline({ id: handle.id, hash: handle.request.hash, reason: 'no', actor: 'window' });
    expect((await desk.dispatch.settled(handle.id, never)).state).toMatchObject({ status: 'declined', reason: 'no' });
    expect(desk.sent).toEqual([]);
  });

  it.each([[true, true], [true, false], [false, true], [false, false]])('once it was sent is told to its target when its client cancels it, where that hears of it (%s; with a window: %s)', async (hearsCancel, window) => {
    let answer: (value: Answer) => void = () => undefined;
    const desk = aDesk({ hearsCancel, window, target: () => new Promise((resolve) => (answer = resolve)) });
    const handle = handleIn(await desk.dispatch.submit(desk.submission()));
    approve(desk, handle);
    expect(desk.dispatch.withdraw(handle.id, handle.client)).toMatchObject({ ok: false });
    expect(desk.sent.map(({ signal }) => signal?.aborted ?? false)).toEqual([hearsCancel]);
    answer(RESULT);
    await expect.poll(() => desk.approvals.get(handle.id)?.state.status).toBe('executed');
  });

  it('can be withdrawn by its owner only', async () => {
    const desk = aDesk();
    const handle = handleIn(await desk.dispatch.submit(desk.submission()));
    expect(desk.dispatch.withdraw(handle.id, 'cursor' as Handle['client'])).toEqual({ ok: false, code: 'handle-not-found' });
    expect(desk.dispatch.withdraw(handle.id, handle.client)).toMatchObject({ ok: true, value: { state: { status: 'withdrawn' } } });
    expect(approve(desk, handle)).toEqual({ ok: false, code: 'withdrawn' });
    expect(desk.sent).toEqual([]);
  });

  it('ends as unknown, and is not sent again, when its answer is lost', async () => {
    const desk = aDesk({ target: () => Promise.resolve({ kind: 'lost', note: 'reset' }) });
    const handle = handleIn(await desk.dispatch.submit(desk.submission({ key: 'k' })));
    approve(desk, handle);
    expect((await desk.dispatch.settled(handle.id, never)).state.status).toBe('unknown');
    expect(handleIn(await desk.dispatch.submit(desk.submission({ key: 'k' }))).state.status).toBe('unknown');
    expect(desk.sent).toHaveLength(1);
  });

  it('ends as unknown when the adapter that sends it throws', async () => {
    const desk = aDesk({ target: () => Promise.reject(new Error('a bug')) });
    const handle = handleIn(await desk.dispatch.submit(desk.submission()));
    approve(desk, handle);
    expect((await desk.dispatch.settled(handle.id, never)).state.status).toBe('unknown');
    expect(desk.doubts).toEqual(['sending an approved call failed']);
  });
});

describe('an idempotency key', () => {
  it('makes one run of fifty equal calls that pass at once', async () => {
    let finish: (answer: Answer) => void = () => undefined;
    const desk = aDesk({ target: () => new Promise((resolve) => (finish = resolve)) });
    const all = Array.from({ length: 50 }, () => desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' })));
    finish(RESULT);
    const done = await Promise.all(all);
    expect(desk.sent).toHaveLength(1);
    expect(done.filter((one) => one.kind === 'answered' && one.answer === RESULT)).toHaveLength(50);
    expect(done.filter((one) => one.kind === 'answered' && one.replay)).toHaveLength(49);
  });

  it('makes one handle of fifty equal calls that are trapped at once', async () => {
    const desk = aDesk();
    const done = await Promise.all(Array.from({ length: 50 }, () => desk.dispatch.submit(desk.submission({ key: 'k' }))));
    expect(new Set(done.map((one) => handleIn(one).id)).size).toBe(1);
    expect(desk.approvals.queue()).toHaveLength(1);
  });

  it('gives the stored answer to a later equal call', async () => {
    const desk = aDesk();
    await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }));
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }))).toEqual({ kind: 'answered', answer: RESULT, replay: true });
    expect(desk.sent).toHaveLength(1);
  });

  it('is refused with another payload, whether the first passed or was parked', async () => {
    const desk = aDesk();
    await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'passed' }));
    await desk.dispatch.submit(desk.submission({ key: 'parked' }));
    for (const key of ['passed', 'parked']) {
      expect(await desk.dispatch.submit(desk.submission({ params: { name: 'read_file', arguments: { path: 'other' } }, key }))).toEqual({ kind: 'refused', code: 'idempotency-key-reused' });
    }
    expect(desk.sent).toHaveLength(1);
  });

  it('belongs to one client: another may use the same one', async () => {
    const desk = aDesk();
    await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }));
    expect(await desk.dispatch.submit(desk.submission({ params: { name: 'read_file' }, key: 'k', client: 'cursor' }))).toMatchObject({ kind: 'answered', replay: false });
  });

  it('is free again when nothing could be sent', async () => {
    const answers: Answer[] = [{ kind: 'fault', code: 'upstream-unreachable', sent: false, note: '' }, RESULT];
    const desk = aDesk({ target: () => Promise.resolve(answers.shift() ?? RESULT) });
    await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }));
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }))).toEqual({ kind: 'answered', answer: RESULT, replay: false });
  });

  it('left running by an earlier run answers that the outcome is unknown, and runs nothing', async () => {
    const desk = aDesk();
    const { call } = desk.submission({ params: SAFE });
    const first = await desk.dispatch.submit(desk.submission({ params: SAFE }));
    expect(first.kind).toBe('answered');
    const hash = desk.store.audit.list({ chain: 'passes', limit: 1 })[0]?.payloadHash as Handle['request']['hash'];
    desk.store.claims.put({ client: call.client, target: call.target, key: 'k', hash, claimedAt: desk.clock.now().wall, outcome: { kind: 'running' } });
    expect(await desk.dispatch.submit(desk.submission({ params: SAFE, key: 'k' }))).toMatchObject({ kind: 'answered', answer: { kind: 'lost' } });
    expect(desk.sent).toHaveLength(1);
  });
});

describe('an equal call on the MCP door', () => {
  it('joins the waiting handle, gets its result once, and is a new request after', async () => {
    const desk = aDesk();
    const first = handleIn(await desk.dispatch.submit(desk.submission({ door: 'mcp' })));
    expect(await desk.dispatch.submit(desk.submission({ door: 'mcp', params: { name: 'write_file', arguments: { path: 'notes.txt' }, _meta: { progressToken: 7 } } }))).toMatchObject({ kind: 'handle', joined: true, handle: { id: first.id } });
    approve(desk, first);
    await desk.dispatch.settled(first.id, never);
    expect(handleIn(await desk.dispatch.submit(desk.submission({ door: 'mcp' })))).toMatchObject({ id: first.id, state: { status: 'executed' } });
    desk.approvals.markFetched(first.id);
    const next = handleIn(await desk.dispatch.submit(desk.submission({ door: 'mcp' })));
    expect(next.id).not.toBe(first.id);
    expect(next.state.status).toBe('parked');
    expect(desk.sent).toHaveLength(1);
  });
});

describe('an in-band resume', () => {
  const codes = { check: (_handle: unknown, proof: { readonly kind: string; readonly code?: string }) => (proof.code === '482910' ? { ok: true as const, value: {} } : { ok: false as const, code: 'wrong-code' as const, details: { attempts_left: 4 } }) };
  const parked = async (guarding = CODE) => {
    const desk = aDesk({ guarding, attestor: codes });
    return { desk, handle: handleIn(await desk.dispatch.submit(desk.submission({ key: 'k' }))) };
  };
  const resume = (desk: ReturnType<typeof aDesk>, over: { readonly promptId: string; readonly value?: string; readonly params?: { readonly name: string }; readonly key?: string; readonly client?: string }) =>
    desk.dispatch.resume({ submission: desk.submission({ key: over.key ?? 'k', ...(over.params && { params: over.params }), ...(over.client && { client: over.client }) }), promptId: over.promptId, value: over.value ?? '482910', signal: never });
  const prompt = (id: HandleId): string => `prompt_${id}`;

  it('with the right code runs the stored request and gives its result', async () => {
    const { desk, handle } = await parked();
    expect(handleIn(await resume(desk, { promptId: prompt(handle.id) })).state.status).toBe('executed');
    expect(desk.sent).toHaveLength(1);
  });

  it('that still waits for its turn when Countersign ends is told so, and is not sent', async () => {
    let next: (turn: Turn) => void = () => undefined;
    const desk = aDesk({ guarding: CODE, attestor: codes, turn: () => new Promise((resolve) => (next = resolve)) });
    const { id } = handleIn(await desk.dispatch.submit(desk.submission({ key: 'k' })));
    const told = resume(desk, { promptId: prompt(id) });
    await expect.poll(() => desk.approvals.get(id)?.state.status, { timeout: 20_000 }).toBe('approved');
    const drained = desk.dispatch.drain(0);
    expect(handleIn(await told).state.status).toBe('approved');
    next({ end: () => undefined });
    await drained;
    expect([desk.approvals.get(id)?.state.status, desk.sent]).toEqual(['approved', []]);
  });

  it('of a click-only call is refused as window-only before anything else is looked at', async () => {
    const { desk, handle } = await parked({ ...CODE, mode: 'button' } as typeof CODE);
    expect(await resume(desk, { promptId: 'prompt_of_another', params: { name: 'other' } })).toEqual({ kind: 'refused', code: 'window-only', handle: handle.id });
  });

  it('checks the prompt before the payload, the payload before the code', async () => {
    const { desk, handle } = await parked();
    expect(await resume(desk, { promptId: 'prompt_of_another', params: { name: 'other' }, value: '000000' })).toMatchObject({ code: 'prompt-mismatch' });
    expect(await resume(desk, { promptId: prompt(handle.id), params: { name: 'other' }, value: '000000' })).toMatchObject({ code: 'payload-mismatch' });
    expect(await resume(desk, { promptId: prompt(handle.id), value: '000000' })).toMatchObject({ code: 'wrong-code', details: { attempts_left: 4 } });
    expect(desk.sent).toEqual([]);
  });

  it.each(['prompt_txn_1792523154_ad45a9be4329', 'prompt_', ''])('of a prompt that nobody was given (%j) is answered as of none, and parks nothing', async (promptId) => {
    const { desk } = await parked();
    expect(await resume(desk, { promptId, key: 'another' })).toEqual({ kind: 'refused', code: 'handle-not-found' });
    expect(desk.approvals.queue()).toHaveLength(1);
    expect(desk.sent).toEqual([]);
  });

  it('of a prompt that nobody was given sends no call that would pass', async () => {
    const desk = aDesk({ attestor: codes });
    expect(await resume(desk, { promptId: 'prompt_txn_1792523154_ad45a9be4329', params: SAFE })).toEqual({ kind: 'refused', code: 'handle-not-found' });
    expect(desk.sent).toEqual([]);
  });

  it('under the key of a call that passed is told what came of that', async () => {
    const desk = aDesk({ attestor: codes });
    await desk.dispatch.submit(desk.submission({ key: 'k', params: SAFE }));
    expect(await resume(desk, { promptId: 'prompt_txn_1792523154_ad45a9be4329', params: SAFE })).toEqual({ kind: 'answered', answer: RESULT, replay: true });
    expect(await resume(desk, { promptId: 'prompt_txn_1792523154_ad45a9be4329', params: { name: 'other' } })).toMatchObject({ code: 'idempotency-key-reused' });
    expect(desk.sent).toHaveLength(1);
  });

  it('under another key is refused, and parks nothing', async () => {
    const { desk, handle } = await parked();
    expect(await resume(desk, { promptId: prompt(handle.id), key: 'another' })).toEqual({ kind: 'refused', code: 'prompt-mismatch', handle: handle.id });
    expect(desk.approvals.queue()).toHaveLength(1);
  });

  it('of another client is answered as of none, whatever key it brings, and parks nothing', async () => {
    const { desk, handle } = await parked();
    for (const key of ['k', 'another']) expect(await resume(desk, { promptId: prompt(handle.id), client: 'cursor', key })).toEqual({ kind: 'refused', code: 'handle-not-found' });
    expect(desk.approvals.queue()).toHaveLength(1);
    expect(desk.sent).toEqual([]);
  });

  it('of a call that claims no key is found by its prompt', async () => {
    const desk = aDesk({ guarding: { ...CODE, pattern: 'secret' } as typeof CODE, attestor: codes });
    const reading = { method: 'resources/read', params: { uri: 'file:///secret' } };
    const handle = handleIn(await desk.dispatch.submit(desk.submission(reading)));
    const done = await desk.dispatch.resume({ submission: desk.submission(reading), promptId: prompt(handle.id), value: '482910', signal: never });
    expect(handleIn(done)).toMatchObject({ id: handle.id, state: { status: 'executed' } });
  });
});
