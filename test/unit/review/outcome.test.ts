import { expect, it } from 'vitest';
import type { Handle } from '../../../src/main/approvals/index.ts';
import { outcomeOf } from '../../../src/main/review/item.ts';
import { aHandle, statesOf } from '../../support/builders.ts';

it.each<[string, Partial<Handle>, RegExp]>([
  ['approved and waiting for its turn', { state: statesOf.approved }, /not sent yet/],
  ['sent', { state: statesOf.executing }, /^Approved and sent/],
  ['taken back before anything was sent', { state: statesOf.withdrawn }, /not executed/],
  ['taken back in its middle', { kind: 'elicitation', state: statesOf.withdrawn }, /may have executed in part/],
  ['a question that was taken back', { kind: 'question', state: statesOf.withdrawn }, /^The question was taken back\.$/],
])('the human is told no more than is known of what is %s', (_, over, sentence) => {
  const handle = aHandle(over);
  expect(outcomeOf({ get: () => handle }, handle.id).sentence).toMatch(sentence);
});
