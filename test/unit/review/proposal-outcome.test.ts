import { describe, expect, it } from 'vitest';
import { proposalOutcome } from '../../../src/main/review/proposal-outcome.ts';

const answer = (told: object): string => JSON.stringify({ result: { content: [], structuredContent: told } });

describe('how a question about a proposal ended', () => {
  it.each<[string, object, string, RegExp]>([
    ['created', { executed: true, human_confirmation: { status: 'accepted' } }, 'executed', /^It was created/],
    ['declined', { executed: false, human_confirmation: { status: 'declined' } }, 'declined', /Nothing was created/],
    ['dismissed', { executed: false, human_confirmation: { status: 'cancelled' } }, 'declined', /Dismissed.*Nothing was created/],
    ['not answered', { executed: false, human_confirmation: { status: 'timed_out' } }, 'expired', /in time.*Nothing was created/],
    ['taken back', { executed: false, human_confirmation: { status: 'call_cancelled' } }, 'withdrawn', /Nothing was created/],
    ['accepted and refused by Fabric', { executed: false, human_confirmation: { status: 'accepted' } }, 'upstream-fault', /Nothing was created/],
    ['refused before anybody was asked', { executed: false, human_confirmation: { status: 'constructor' } }, 'upstream-fault', /Nothing was created/],
    ['sent, and the answer lost', { executed: null }, 'unknown', /no answer tells/],
  ])('is told as what it came to: %s', (_, told, status, sentence) => {
    expect(proposalOutcome(answer(told))).toEqual({ status, sentence: expect.stringMatching(sentence) as string });
  });

  it.each([['an error of the target', '{"error":{"code":1,"message":"x"}}'], ['another tool', answer({ rows: [] })], ['nothing', 'null']])('is not made up from %s', (_, text) => {
    expect(proposalOutcome(text)).toBeUndefined();
  });
});
