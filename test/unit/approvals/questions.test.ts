import { describe, expect, test } from 'vitest';
import type { Handle, Parking } from '../../../src/main/approvals/index.ts';
import type { ElicitAnswer, Question } from '../../../src/shared/vocabulary/question.ts';
import { readForm } from '../../../src/shared/form/read-form.ts';
import { anApprovalsRoom, good } from '../../support/approvals-stand.ts';
import { aParking, aTrap } from '../../support/builders.ts';

const FIELDS = readForm({ type: 'object', properties: { branch: { type: 'string', pattern: '^[a-z]+$' } }, required: ['branch'] })!;
const form: Question = { kind: 'form', message: 'Which?', fields: FIELDS };
const card: Question = { kind: 'card', message: 'Create?', card: { changeType: 'network_create', text: '{}', hash: '', masked: [], facts: [], proposedAt: 0, expiresAt: 0 } };

function aQuestion(over: Partial<Parking> = {}) {
  const room = anApprovalsRoom();
  const heard: (readonly [string, ElicitAnswer | undefined])[] = [];
  room.approvals.subscribe((_handle, change, given) => void heard.push([change, given]));
  const handle = good(room.approvals.park(aParking({ kind: 'elicitation', question: form, ...over })));
  return { ...room, heard, handle };
}
const yes = ({ id, request }: Handle, values?: readonly string[]) => ({ id, action: 'accept', hash: request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window', ...(values && { values }) }) as const;

describe('a question', () => {
  test('is told with its answer, goes on as executing, and keeps nothing of either', () => {
    const { approvals, store, heard, handle } = aQuestion();
    const answered = good(approvals.answer(yes(handle, ['main'])));
    expect(answered.state.status).toBe('executing');
    expect(heard.at(-1)).toEqual(['adopt', { action: 'accept', content: { branch: 'main' } }]);
    expect(store.events.map(({ type }) => type)).toEqual(['question.asked', 'question.answered']);
    expect(store.events[1]?.detail).toEqual({ action: 'accept', way: 'window', proof: 'button' });
    expect(JSON.stringify([store.events, [...store.handles.values()]])).not.toMatch(/main|Which/);
    good(approvals.settle(handle.id, { kind: 'result', result: { done: true } }));
    expect([approvals.get(handle.id)?.state.status, approvals.question(handle.id)]).toEqual(['executed', undefined]);
  });

  test.each(['decline', 'cancel'] as const)('answered with %s lets its call go on, without any proof', (action) => {
    const { approvals, heard, handle } = aQuestion({ trap: aTrap({ mode: 'totp' }) });
    expect(good(approvals.answer({ id: handle.id, action, hash: handle.request.hash, actor: 'window' })).state.status).toBe('executing');
    expect(heard.at(-1)).toEqual(['dismiss', { action }]);
  });

  test('is not accepted with values that do not fit the form, or its pattern', () => {
    const { approvals, handle } = aQuestion();
    for (const values of [[], [''], ['Main'], ['main', 'more']]) expect(approvals.answer(yes(handle, values))).toEqual({ ok: false, code: 'answer-misfit' });
    expect(approvals.get(handle.id)?.state.status).toBe('parked');
  });

  test('is accepted on the hash that was shown and by the right kind of proof only', () => {
    const { approvals, handle } = aQuestion();
    expect(approvals.answer({ ...yes(handle, ['main']), hash: 'f'.repeat(64) })).toEqual({ ok: false, code: 'hash-mismatch' });
    expect(approvals.answer({ ...yes(handle, ['main']), way: 'command-line' })).toEqual({ ok: false, code: 'window-only' });
    expect(approvals.answer({ id: handle.id, action: 'decline', hash: 'f'.repeat(64), actor: 'window' })).toEqual({ ok: false, code: 'hash-mismatch' });
  });

  test('is answered once', () => {
    const { approvals, heard, handle } = aQuestion();
    good(approvals.answer(yes(handle, ['main'])));
    expect(approvals.answer(yes(handle, ['other']))).toEqual({ ok: false, code: 'already-decided' });
    expect(approvals.answer({ id: handle.id, action: 'cancel', hash: null, actor: 'window' })).toEqual({ ok: false, code: 'already-decided' });
    expect(heard.filter(([, given]) => given !== undefined)).toHaveLength(1);
  });

  test('whose time is over is answered by nobody', () => {
    const { approvals, clock, handle } = aQuestion({ ttlMs: 1_000 });
    clock.pass(1_000);
    expect(approvals.answer(yes(handle, ['main']))).toEqual({ ok: false, code: 'expired' });
    expect(approvals.answer({ id: handle.id, action: 'decline', hash: null, actor: 'window' })).toEqual({ ok: false, code: 'expired' });
  });

  test('that nobody waits for any more goes on, however late', () => {
    const { approvals, clock, handle, heard } = aQuestion({ ttlMs: 1_000 });
    clock.pass(1_000);
    expect(good(approvals.lapse(handle.id)).state.status).toBe('executing');
    expect(heard.at(-1)).toEqual(['dismiss', { action: 'cancel' }]);
  });

  test('makes no call of its own: it is neither approved into a dispatch nor declined for good', () => {
    const { approvals, handle } = aQuestion();
    expect(approvals.beginDispatch(handle.id)).toMatchObject({ ok: false });
    expect(good(approvals.decline({ id: handle.id, hash: null, reason: 'no', actor: 'control:me' })).state.status).toBe('executing');
  });
});

test('a call with a question open is unknown after a restart, and what was asked beside a call is withdrawn', () => {
  const room = anApprovalsRoom();
  const [asked, beside, proposal, waiting] = (['elicitation', 'question', 'proposal', 'call'] as const).map((kind) => good(room.approvals.park(aParking({ kind, ...(kind !== 'call' && { question: form }) }))));
  room.clock.restart();
  good(room.approvals.settleInterrupted());
  expect([asked, beside, proposal, waiting].map((handle) => room.store.get(handle!.id)?.state.status)).toEqual(['unknown', 'withdrawn', 'withdrawn', 'parked']);
});

test.each([
  ['of a call', {}, false, 'executing'],
  ['of its own', { kind: 'question' }, true, 'withdrawn'],
] as const)('a question %s that the target took back while nothing could be written waits for nobody any more, and is done with as soon as something can', (_whose, over, apart, status) => {
  const { approvals, store, heard, handle } = aQuestion(over);
  store.fail = true;
  expect(approvals.lapse(handle.id, apart)).toEqual({ ok: false, code: 'store-unavailable' });
  expect([heard.at(-1), approvals.nextDeadlineMs()]).toEqual([['unsettled', undefined], 1_000]);
  expect(approvals.answer(yes(handle, ['main']))).toEqual({ ok: false, code: 'store-unavailable' });
  store.fail = false;
  expect(approvals.queue()).toEqual([]);
  expect(approvals.answer(yes(handle, ['main']))).toMatchObject({ ok: false });
  expect(approvals.get(handle.id)?.state.status).toBe(status);
  expect(heard.map(([change]) => change)).not.toContain('adopt');
});

test('a question that was taken back is answered by nobody, even when its end fails to be written and the answer would not', () => {
  const { approvals, store, heard, handle } = aQuestion();
  store.fail = true;
  expect(approvals.lapse(handle.id).ok).toBe(false);
  let failures = 1;
  Object.defineProperty(store, 'fail', { get: () => (failures -= 1) >= 0 });
  expect(approvals.answer(yes(handle, ['main']))).toEqual({ ok: false, code: 'store-unavailable' });
  expect(heard.map(([change]) => change)).not.toContain('adopt');
  expect(approvals.get(handle.id)?.state.status).toBe('executing');
});

test('the end of a call that the disk could not take, its question still open, is kept and tried again, and no deadline comes between', () => {
  const { approvals, store, clock, handle, heard } = aQuestion({ ttlMs: 5_000 });
  store.fail = true;
  expect(approvals.lapse(handle.id)).toEqual({ ok: false, code: 'store-unavailable' });
  expect(approvals.settle(handle.id, { kind: 'result', result: { done: true } })).toEqual({ ok: false, code: 'store-unavailable' });
  expect(heard.at(-1)).toEqual(['unsettled', undefined]);
  expect(approvals.nextDeadlineMs()).toBe(1_000);
  store.fail = false;
  clock.pass(5_000);
  good(approvals.expireDue());
  expect(approvals.get(handle.id)?.state).toMatchObject({ status: 'executed', answer: '{"result":{"done":true}}' });
});

test('the kill switch stops the time of a question, and never that of a proposal', () => {
  const { approvals, clock, handle } = aQuestion({ ttlMs: 10_000 });
  const proposal = good(approvals.park(aParking({ kind: 'proposal', question: card, ttlMs: 10_000 })));
  good(approvals.pause('control:me'));
  expect(approvals.nextDeadlineMs()).toBe(10_000);
  clock.pass(9_999);
  expect(good(approvals.expireDue())).toEqual([]);
  expect(approvals.answer(yes(proposal))).toEqual({ ok: false, code: 'paused' });
  clock.pass(1);
  expect(good(approvals.expireDue()).map(({ id }) => id)).toEqual([proposal.id]);
  good(approvals.resume('control:me'));
  expect(approvals.remainsMs(approvals.get(handle.id)!)).toBe(10_000);
  expect(approvals.get(proposal.id)?.state.status).toBe('expired');
});

test('a question of its own is joined by no repeated call', () => {
  const { approvals, handle } = aQuestion();
  const { client, request } = handle;
  const beside = good(approvals.park(aParking({ kind: 'question', question: form })));
  expect(beside.request.hash).toBe(request.hash);
  expect(approvals.joinable(client, request.target, request.hash)?.id).toBe(handle.id);
});
