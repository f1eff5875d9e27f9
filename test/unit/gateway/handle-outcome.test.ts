import { expect, it } from 'vitest';
import { refusals } from '../../../src/shared/refusals.ts';
import { executedOf, outcomeOf } from '../../../src/main/gateway/handle-outcome.ts';

it('a call whose result was kept for a day and is gone is told as executed and forgotten, never as one that did not run', () => {
  expect(outcomeOf({ kind: 'call', state: { status: 'executed', settledAt: 1, answer: '{"result":{}}' } })).toEqual({ kind: 'result', stored: '{"result":{}}' });
  expect(outcomeOf({ kind: 'call', state: { status: 'executed', settledAt: 1, answer: null } })).toEqual({ kind: 'refused', code: 'result-forgotten' });
  expect(outcomeOf({ kind: 'call', state: { status: 'upstream-fault', settledAt: 1, code: 'upstream-fault', answer: null } })).toEqual({ kind: 'refused', code: 'upstream-fault' });
});

it.each(['expired', 'withdrawn'] as const)('a call that was %s in its middle is not said to have executed nothing', (status) => {
  // A question is that of a task where its result was being fetched.
  for (const kind of ['elicitation', 'question'] as const) expect(outcomeOf({ kind, state: { status, settledAt: 1 } })).toEqual({ kind: 'refused', code: `question-${status}` });
  expect(refusals[`question-${status}`].sentence).not.toContain('not executed');
  // A proposal of the broker sends nothing before its answer, and a parked call nothing at all.
  for (const kind of ['call', 'proposal'] as const) expect(outcomeOf({ kind, state: { status, settledAt: 1 } })).toEqual({ kind: 'refused', code: status });
});

it('whoever is told whether something was executed is told no more than is known', () => {
  const answered = (kind: 'call' | 'elicitation' | 'question' | 'proposal', executed?: boolean | null) => executedOf({ kind, state: { status: 'executed', settledAt: 1, answer: JSON.stringify({ result: { structuredContent: { executed } } }) } });
  expect([answered('call'), answered('elicitation'), answered('question')]).toEqual([true, true, null]);
  expect([answered('proposal', true), answered('proposal', false), answered('proposal', null), answered('proposal')]).toEqual([true, false, null, null]);
  expect(executedOf({ kind: 'proposal', state: { status: 'executed', settledAt: 1, answer: null } })).toBeNull();
  expect(executedOf({ kind: 'call', state: { status: 'unknown', settledAt: 1 } })).toBeNull();
  expect((['call', 'proposal', 'elicitation', 'question'] as const).map((kind) => executedOf({ kind, state: { status: 'expired', settledAt: 1 } }))).toEqual([false, false, null, null]);
  expect(executedOf({ kind: 'call', state: { status: 'declined', settledAt: 1, reason: null } })).toBe(false);
});

it('what was approved and not sent yet is told apart from what runs', () => {
  expect(outcomeOf({ kind: 'call', state: { status: 'approved', approvedAt: 1 } })).toEqual({ kind: 'approved' });
  expect(outcomeOf({ kind: 'call', state: { status: 'executing', approvedAt: 1, dispatchedAt: 2 } })).toEqual({ kind: 'running' });
});
