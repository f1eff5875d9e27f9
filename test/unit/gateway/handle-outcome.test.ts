import { expect, it } from 'vitest';
import { outcomeOf } from '../../../src/main/gateway/handle-outcome.ts';

it('a call whose result was kept for a day and is gone is told as executed and forgotten, never as one that did not run', () => {
  expect(outcomeOf({ state: { status: 'executed', settledAt: 1, answer: '{"result":{}}' } })).toEqual({ kind: 'result', stored: '{"result":{}}' });
  expect(outcomeOf({ state: { status: 'executed', settledAt: 1, answer: null } })).toEqual({ kind: 'refused', code: 'result-forgotten' });
  expect(outcomeOf({ state: { status: 'upstream-fault', settledAt: 1, code: 'upstream-fault', answer: null } })).toEqual({ kind: 'refused', code: 'upstream-fault' });
});
