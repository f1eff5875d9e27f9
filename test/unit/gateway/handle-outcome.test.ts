import { expect, it } from 'vitest';
import { refusals } from '../../../src/shared/refusals.ts';
import { outcomeOf } from '../../../src/main/gateway/handle-outcome.ts';

it('a call whose result was kept for a day and is gone is told as executed and forgotten, never as one that did not run', () => {
  expect(outcomeOf({ kind: 'call', state: { status: 'executed', settledAt: 1, answer: '{"result":{}}' } })).toEqual({ kind: 'result', stored: '{"result":{}}' });
  expect(outcomeOf({ kind: 'call', state: { status: 'executed', settledAt: 1, answer: null } })).toEqual({ kind: 'refused', code: 'result-forgotten' });
  expect(outcomeOf({ kind: 'call', state: { status: 'upstream-fault', settledAt: 1, code: 'upstream-fault', answer: null } })).toEqual({ kind: 'refused', code: 'upstream-fault' });
});

it.each(['expired', 'withdrawn'] as const)('a call that was %s in its middle is not said to have executed nothing', (status) => {
  const told = outcomeOf({ kind: 'elicitation', state: { status, settledAt: 1 } });
  expect(told).toEqual({ kind: 'refused', code: `question-${status}` });
  expect(refusals[`question-${status}`].sentence).not.toContain('not executed');
  // A proposal of the broker sends nothing before its answer, and a parked call nothing at all.
  for (const kind of ['call', 'proposal'] as const) expect(outcomeOf({ kind, state: { status, settledAt: 1 } })).toEqual({ kind: 'refused', code: status });
});
