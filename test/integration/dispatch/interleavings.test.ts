import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFinal, type Handle } from '../../../src/main/approvals/index.ts';
import type { Submitted } from '../../../src/main/dispatch/index.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { aClick } from '../../support/approvals-stand.ts';
import { aClient } from '../../support/builders.ts';
import { aDesk, RESULT } from '../../support/desk.ts';

const TTL_MS = 600_000;

/** What may happen to a call at any moment, by whom it is done. */
const happenings = ['approve', 'approve', 'decline', 'withdraw', 'expire', 'outdate', 'pause', 'resume', 'late look'] as const;
type Happening = (typeof happenings)[number];
/** How a target may answer. */
const answers: readonly Answer[] = [RESULT, { kind: 'error', error: { code: -32000, message: 'no' } }, { kind: 'lost', note: 'torn' }, { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'not there' }];

/** The end that a handle must have, by what was committed first. */
const ENDS: Readonly<Record<Answer['kind'], Handle['state']['status']>> = { result: 'executed', error: 'upstream-fault', lost: 'unknown', fault: 'upstream-fault' };

test('in whatever order people, agents, the clock and the target come, a call is sent at most once, only after a yes that nothing overtook, and everybody is told the same end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom<Happening>(...happenings), { minLength: 2, maxLength: 7 }), fc.constantFrom(...answers), async (scheduler, plan, answer) => {
      const desk = aDesk({ target: () => scheduler.schedule(Promise.resolve(answer), 'the target answers') });
      const { approvals, clock, dispatch, store, sent, submission } = desk;
      const told: Submitted[] = [];
      const yes: HandleId[] = [];
      const history: { readonly id: HandleId; readonly change: string }[] = [];
      approvals.subscribe(({ id }, change) => void history.push({ id, change }));
      const ask = async (): Promise<void> => void told.push(await dispatch.submit(submission({ key: 'k1' })));
      await ask();
      const [handle] = approvals.queue();
      const { id, request } = handle!;

      const does: Readonly<Record<Happening, () => void>> = {
        approve() {
          if (approvals.approve(aClick(handle!)).ok) yes.push(id);
        },
        decline: () => void approvals.decline({ id, hash: request.hash, reason: 'no', actor: 'window' }),
        withdraw: () => void dispatch.withdraw(id, aClient()),
        expire() {
          clock.pass(TTL_MS + 1);
          approvals.expireDue();
        },
        outdate: () => void approvals.outdate(id),
        pause: () => void approvals.pause('control:me'),
        resume: () => void approvals.resume('control:me'),
        'late look': () => void approvals.expireDue(),
      };
      for (const one of plan) void scheduler.schedule(Promise.resolve(), one).then(does[one]);
      for (let n = 0; n < 3; n += 1) void scheduler.schedule(Promise.resolve(), 'the agent asks again').then(ask);
      await scheduler.waitIdle();
      await new Promise((resolve) => setImmediate(resolve));

      const end = approvals.get(id)!;
      const changes = history.filter((one) => one.id === id).map(({ change }) => change);
      expect(approvals.recent(10)).toHaveLength(1);
      expect(sent.map(({ paramsText }) => paramsText)).toEqual(changes.includes('dispatch') ? [request.paramsText] : []);
      expect(changes.filter((change) => change === 'dispatch').length).toBeLessThanOrEqual(1);
      expect(yes.length).toBe(changes.filter((change) => change === 'approve').length);
      // Nothing came between the last yes and the sending, and nothing after the sending but its outcome.
      if (sent.length > 0) {
        const at = changes.indexOf('dispatch');
        expect(changes[at - 1]).toBe('approve');
        expect(changes.slice(at + 1).filter((change) => !['succeed', 'fault', 'lose', 'move'].includes(change))).toEqual([]);
        expect(end.state.status).toBe(ENDS[answer.kind]);
      } else expect(['parked', 'declined', 'withdrawn', 'expired', 'stale']).toContain(end.state.status);
      for (const one of told) expect(one).toMatchObject({ kind: 'handle', handle: { id } });
      if (isFinal(end)) {
        await ask();
        expect(told.at(-1)).toMatchObject({ kind: 'handle', handle: { id, state: end.state } });
      }
      expect(store.audit.verify().map(({ firstBad }) => firstBad)).toEqual([undefined, undefined]);
      store.close();
    }),
    { numRuns: 80 },
  );
});
