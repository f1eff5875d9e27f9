import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFinal } from '../../../src/main/approvals/index.ts';
import type { Submitted } from '../../../src/main/dispatch/index.ts';
import type { Outgoing } from '../../../src/main/dispatch/ports.ts';
import { compileCall, sha256Hex } from '../../../src/main/canonical/index.ts';
import type { CardQuestion, ElicitAnswer } from '../../../src/shared/vocabulary/question.ts';
import { ok, refused } from '../../../src/shared/result.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { good } from '../../support/approvals-stand.ts';
import { aClient, START } from '../../support/builders.ts';
import { aDesk, RESULT } from '../../support/desk.ts';

const TTL_MS = 600_000;
const FORM = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };
/** A call no guard stops. */
const safe = { params: { name: 'deploy', arguments: { to: 'site' } } };

const happenings = ['accept', 'accept', 'decline', 'cancel', 'withdraw', 'expire', 'pause', 'resume', 'taken back', 'target ends', 'stop'] as const;
type Happening = (typeof happenings)[number];
const ends: readonly Answer[] = [RESULT, { kind: 'error', error: { code: -32000, message: 'no' } }, { kind: 'lost', note: 'torn' }];
const STATUS = { result: 'executed', error: 'upstream-fault', lost: 'unknown', fault: 'upstream-fault' } as const;

test('in whatever order people, agents, the clock and the target come, a question is answered once, its call is sent once, and everybody is told the same end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom<Happening>(...happenings), { minLength: 1, maxLength: 6 }), fc.constantFrom(...ends), fc.boolean(), async (scheduler, plan, answer, hasKey) => {
      const back = new AbortController();
      const quits: (() => void)[] = [];
      const heard: ElicitAnswer[] = [];
      let signal: AbortSignal | undefined;
      const desk = aDesk({
        window: true,
        target: (outgoing) => new Promise((resolve) => {
          signal = outgoing.signal;
          quits.push(() => resolve(answer));
          outgoing.signal?.addEventListener('abort', () => resolve({ kind: 'lost', note: 'cancelled by the caller' }));
          void outgoing.relay!.ask('elicitation/create', FORM, back.signal).then((given) => {
            heard.push(given as unknown as ElicitAnswer);
            void scheduler.schedule(Promise.resolve(), 'the target goes on').then(() => resolve(answer));
          });
        }),
      });
      const { approvals, clock, dispatch, store, sent, submission } = desk;
      const told: Submitted[] = [];
      const changes: string[] = [];
      const ask = async (): Promise<void> => void told.push(await dispatch.submit(submission({ ...safe, door: hasKey ? 'rest' : 'mcp', ...(hasKey && { key: 'k1' }) })));
      await ask();
      const [handle] = approvals.queue();
      const { id, request } = handle!;
      approvals.subscribe((changed, change) => {
        if (changed.id === id) changes.push(change);
      });
      const no = (action: 'decline' | 'cancel') => (): void => void approvals.answer({ id, action, hash: request.hash, actor: 'window' });
      const does: Readonly<Record<Happening, () => void>> = {
        accept: () => void approvals.answer({ id, action: 'accept', values: [], hash: request.hash, proof: { kind: 'button' }, way: 'window', actor: 'window' }),
        decline: no('decline'),
        cancel: no('cancel'),
        withdraw: () => void dispatch.withdraw(id, aClient()),
        expire() {
          clock.pass(TTL_MS + 1);
          approvals.expireDue();
        },
        pause: () => void approvals.pause('control:me'),
        resume: () => void approvals.resume('control:me'),
        'taken back': () => back.abort(),
        'target ends'() {
          back.abort(); // as the peer does when a call ends
          quits[0]!();
        },
        stop: () => void dispatch.drain(0),
      };
      for (const one of plan) void scheduler.schedule(Promise.resolve(), one).then(does[one]);
      for (let n = 0; n < 2; n += 1) void scheduler.schedule(Promise.resolve(), 'the agent asks again').then(async () => { if (!isFinal(approvals.get(id)!)) await ask(); });
      await scheduler.waitIdle();
      await new Promise((resolve) => setImmediate(resolve));
      await scheduler.waitIdle();
      await new Promise((resolve) => setImmediate(resolve));

      const end = approvals.get(id)!;
      expect(sent).toHaveLength(1);
      expect(heard.length).toBe(end.state.status === 'parked' ? 0 : 1);
      expect(changes.filter((change) => change === 'adopt' || change === 'dismiss').length).toBeLessThanOrEqual(1);
      if (changes.includes('adopt')) expect(heard).toEqual([{ action: 'accept', content: {} }]);
      else if (heard.length > 0) expect(['decline', 'cancel']).toContain(heard[0]!.action);
      if (end.state.status === 'expired' || end.state.status === 'withdrawn') expect(signal?.aborted).toBe(true);
      else if (end.state.status !== 'parked') expect([end.state.status, signal?.aborted]).toEqual([STATUS[answer.kind], false]);
      for (const one of told) expect(one).toMatchObject({ kind: 'handle', handle: { id } });
      expect(desk.doubts).toEqual([]);
      expect(store.audit.verify().map(({ firstBad }) => firstBad)).toEqual([undefined, undefined]);
      store.close();
    }),
    { numRuns: 120 },
  );
});

describe('a proposal of a target inside the process', () => {
  const text = '{"body":{"name":"a","secret":"hidden"},"change_type":"network_create"}';
  const card: CardQuestion = { message: 'Create?', requestedSchema: {}, card: { changeType: 'network_create', text, hash: sha256Hex(text), masked: ['body.secret'], facts: [{ label: 'Price', value: 'EUR 1' }], proposedAt: START, expiresAt: START + 60_000 } };
  function aProposal(target?: (outgoing: Outgoing) => Promise<Answer>) {
    const heard: ElicitAnswer[] = [];
    const call = target ?? (async (outgoing: Outgoing): Promise<Answer> => {
      heard.push(await outgoing.relay!.askWindow!(card, new AbortController().signal));
      return RESULT;
    });
    return { ...aDesk({ window: true, target: call }), heard };
  }
  const yes = (id: string, hash: string) => ({ id, action: 'accept', hash, proof: { kind: 'button' }, way: 'window', actor: 'window' }) as Parameters<ReturnType<typeof aDesk>['approvals']['answer']>[0];

  test('waits under its own text and hash, no longer than it lives, and repeats of the call join it', async () => {
    const { approvals, dispatch, submission, sent, heard } = aProposal();
    const first = await dispatch.submit(submission({ ...safe, door: 'mcp' }));
    const [handle] = approvals.queue();
    expect(handle).toMatchObject({ kind: 'proposal', ttlMs: 60_000, trap: { mode: 'button', masked: ['body.secret'] }, request: { text, hash: card.card.hash, subject: 'network_create' } });
    expect(first).toMatchObject({ kind: 'handle', handle: { id: handle!.id }, joined: false });
    expect(await dispatch.submit(submission({ ...safe, door: 'mcp' }))).toMatchObject({ kind: 'handle', handle: { id: handle!.id }, joined: true });
    good(approvals.answer(yes(handle!.id, card.card.hash)));
    const end = await dispatch.settled(handle!.id, new AbortController().signal);
    expect([end.state.status, heard, sent.length]).toEqual(['executed', [{ action: 'accept', content: { confirm: true } }], 1]);
    expect(await dispatch.submit(submission({ ...safe, door: 'mcp' }))).toMatchObject({ kind: 'handle', handle: { id: handle!.id, state: { status: 'executed' } }, joined: true });
    approvals.markFetched(handle!.id);
    expect(await dispatch.submit(submission({ ...safe, door: 'mcp' }))).toMatchObject({ joined: false });
  });

  test('that wants a code takes it in-band with the very call that waits for it, and with no other', async () => {
    const { approvals, dispatch, submission } = aDesk({
      window: true, attestor: { check: (_handle, proof) => (proof.kind === 'totp' && proof.code === '482910' ? ok({}) : refused('wrong-code')) },
      target: async (outgoing) => ({ kind: 'result', result: { answer: await outgoing.relay!.askWindow!({ ...card, mode: 'totp' }, new AbortController().signal) } }),
    });
    await dispatch.submit(submission({ ...safe, key: 'k1' }));
    const [handle] = approvals.queue();
    const resume = (value: string, params: typeof safe.params = safe.params) => dispatch.resume({ submission: submission({ params, key: 'k1' }), promptId: `prompt_${handle!.id}`, value, signal: new AbortController().signal });
    expect(await resume('482910', { name: 'deploy', arguments: { to: 'elsewhere' } })).toMatchObject({ kind: 'refused', code: 'payload-mismatch' });
    expect(await resume('000000')).toMatchObject({ kind: 'refused', code: 'wrong-code' });
    const done = await resume('482910');
    expect(done).toMatchObject({ kind: 'handle', handle: { id: handle!.id, state: { status: 'executed' } } });
    expect(JSON.stringify(done)).toContain('\\"confirm\\":true');
  });

  test('that runs out is a cancel, and its call is cancelled', async () => {
    let signal: AbortSignal | undefined;
    const heard: ElicitAnswer[] = [];
    const { approvals, clock, dispatch, submission } = aProposal(async (outgoing) => {
      signal = outgoing.signal;
      heard.push(await outgoing.relay!.askWindow!(card, new AbortController().signal));
      return RESULT;
    });
    await dispatch.submit(submission(safe));
    clock.pass(60_000);
    good(approvals.expireDue());
    await new Promise((resolve) => setImmediate(resolve));
    expect([heard, signal?.aborted]).toEqual([[{ action: 'cancel' }], true]);
  });

  test('whose text does not fit its hash is a bug, and put before nobody', async () => {
    const { approvals, dispatch, submission } = aProposal(async (outgoing) => {
      await outgoing.relay!.askWindow!({ ...card, card: { ...card.card, text: '{}' } }, new AbortController().signal);
      return RESULT;
    });
    await expect(dispatch.submit(submission(safe))).rejects.toThrow('does not fit its hash');
    expect(approvals.queue()).toEqual([]);
  });
});

test('what the window cannot keep is not asked: the target is told why, and its call goes on', async () => {
  const refusals: unknown[] = [];
  const ask = async (outgoing: Outgoing): Promise<Answer> => {
    refusals.push(await outgoing.relay!.ask('elicitation/create', FORM).catch((fault: unknown) => fault));
    return RESULT;
  };
  const { approvals, dispatch, submission } = aDesk({ window: true, target: ask });
  for (let n = 0; n < 20; n += 1) good(approvals.park({ kind: 'call', client: aClient(), request: good(compileCall(submission({ params: { name: `write_file_${n}` } }).call)), trap: { pattern: 'x', mode: 'button', source: 'flag', where: 'tool name' }, door: 'rest', ttlMs: TTL_MS }));
  expect(await dispatch.submit(submission(safe))).toMatchObject({ kind: 'answered', answer: RESULT });
  expect(refusals).toMatchObject([{ code: 42901, data: { code: 'too-many-pending' } }]);
});
