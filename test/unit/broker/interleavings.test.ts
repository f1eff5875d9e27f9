import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TTL_MS } from '../../../src/main/broker/index.ts';
import type { Outcome } from '../../../src/main/broker/index.ts';
import type { ElicitAnswer } from '../../../src/main/broker/ports.ts';
import { aBench, accept, aHuman, codeOf, statusOf, told } from './bench.ts';

/**
 * Every order of propose, evict, expire, confirm, answer and cancel, by a model of document 000: a token counts once, for ten minutes, while it is
 * among the last twenty, for who proposed; a create is sent only for an acceptance in time that was not cancelled, once, with the bytes that were
 * validated. To anybody else the token is an unknown one, whatever became of it, and stays as it is.
 */
type Step =
  | { readonly do: 'propose'; readonly bandwidth: number; readonly owner: string }
  | { readonly do: 'crowd' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'turn'; readonly ms: number }
  | { readonly do: 'confirm'; readonly which: number; readonly cancelled: boolean; readonly by: string }
  | { readonly do: 'answer'; readonly which: number; readonly answer: ElicitAnswer }
  | { readonly do: 'cancel'; readonly which: number };

const owner = fc.constantFrom('claude', 'claude', 'claude', 'cursor');

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('propose' as const), bandwidth: fc.integer({ min: 1, max: 50_000 }), owner }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crowd' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 60_000, TTL_MS / 2, TTL_MS - 1, TTL_MS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('turn' as const), ms: fc.constantFrom(-3_600_000, -1_000, 1_000) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('confirm' as const), which: fc.nat(5), cancelled: fc.boolean(), by: owner }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(5), answer: fc.constantFrom<ElicitAnswer>(accept, accept, { action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { confirm: 'true' } }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(5) }) },
);

interface Known {
  readonly token: string;
  readonly bodyText: string;
  readonly owner: string;
  /** How old it is, by the elapsed hand. */
  readonly bornAt: number;
  used: boolean;
  evicted: boolean;
}

it('sends a create for an acceptance in time, once, with the validated bytes, and never else', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
    const bench = aBench({ elicitTimeoutMs: 10 * TTL_MS });
    const known: Known[] = [];
    const calls: { readonly of: Known; readonly human: ReturnType<typeof aHuman>; readonly call: AbortController; readonly outcome: Promise<Outcome>; settled: boolean }[] = [];
    let elapsed = 0;
    const mustSend: string[] = [];
    const old = (one: Known): boolean => elapsed - one.bornAt >= TTL_MS;

    const propose = async (bandwidth: number, by = 'claude'): Promise<void> => {
      const alive = known.filter((one) => !one.used && !one.evicted && !old(one));
      if (alive.length >= 20) alive[0]!.evicted = true;
      const proposed = await bench.broker.propose('connection_create', { type: 'EVPL_VC', name: 'n', bandwidth, aSide: { serviceToken: { uuid: 'a' } }, zSide: { serviceToken: { uuid: 'z' } }, notifications: [{ type: 'ALL', emails: ['a@b.c'] }] }, { owner: by });
      known.push({ token: told(proposed)['confirm_token'] as string, owner: by, bodyText: bench.tried.at(-1)!.bodyText, bornAt: elapsed, used: false, evicted: false });
    };

    for (const one of steps) {
      switch (one.do) {
        case 'propose': await propose(one.bandwidth, one.owner); break;
        case 'crowd': for (let count = 0; count < 21; count += 1) await propose(10); break;
        case 'pass': elapsed += one.ms; bench.clock.pass(one.ms); break;
        // Forward turns age a proposal early, which is allowed; the model keeps to turns that do not.
        case 'turn': if (one.ms < 0) bench.clock.turn(one.ms); break;
        case 'confirm': {
          const of = known.at(-1 - one.which);
          if (of === undefined) break;
          const [human, call] = [aHuman(), new AbortController()];
          if (one.cancelled) call.abort();
          const outcome = bench.broker.confirm(of.token, { elicit: human.elicit, signal: call.signal, owner: one.by });
          if (one.cancelled) {
            expect(told(await outcome)['token_state']).toBe('not_consumed');
          } else if (one.by !== of.owner) {
            expect(codeOf(await outcome)).toBe('proposal-unknown');
          } else if (of.used || of.evicted || old(of)) {
            expect(['proposal-replayed', 'proposal-evicted', 'proposal-expired', 'proposal-unknown']).toContain(codeOf(await outcome));
          } else {
            of.used = true;
            await human.asked();
            calls.push({ of, human, call, outcome, settled: false });
          }
          break;
        }
        case 'answer': {
          const waiting = calls.filter(({ settled }) => !settled);
          const target = waiting.at(one.which);
          if (target === undefined) break;
          target.settled = true;
          const sends = one.answer === accept && !old(target.of);
          if (sends) mustSend.push(target.of.bodyText);
          target.human.answer(one.answer);
          target.human.answer(accept);
          expect(told(await target.outcome)['executed']).toBe(sends);
          break;
        }
        case 'cancel': {
          const target = calls.filter(({ settled }) => !settled).at(one.which);
          if (target === undefined) break;
          target.settled = true;
          target.call.abort();
          expect(statusOf(await target.outcome)).toBe('call_cancelled');
          target.human.answer(accept);
          break;
        }
      }
      expect(bench.sent.map(({ bodyText }) => bodyText)).toEqual(mustSend);
    }
  }), { numRuns: 150 });
});
