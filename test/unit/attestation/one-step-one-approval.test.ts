import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Way } from '../../../src/main/attestation/index.ts';
import { aWorld, awaiting, codeAt, SECOND, STEP, wrongCode } from '../../support/totp.ts';

const ways: readonly Way[] = ['window', 'in-band', 'command-line', 'intent'];

type Deed =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'restart' }
  /** Judges a code that is `age` steps old, or a wrong one, and holds what came of it. */
  | { readonly kind: 'judge'; readonly handle: number; readonly way: Way; readonly age: number | 'wrong' }
  /** Runs the approving transaction of something judged before. */
  | { readonly kind: 'commit'; readonly which: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.oneof(fc.integer({ min: 0, max: 2 * STEP }), fc.integer({ min: -100 * SECOND, max: 0 }), fc.constant(20 * 60 * SECOND)) }),
  fc.constant({ kind: 'restart' as const }),
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('judge' as const), handle: fc.integer({ min: 1, max: 3 }), way: fc.constantFrom(...ways), age: fc.constantFrom(-1, 0, 0, 0, 1, 1, 2, 'wrong' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('commit' as const), which: fc.nat(3) }) },
);

describe('whatever is typed, whenever, wherever, across restarts and clock steps', () => {
  it('each time step approves at most once, in rising order, and only with a code of its own or the next step', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 60 }), (deeds) => {
        const world = aWorld();
        const { secret } = world.enrol();
        let newest = world.store.state().lastStep;
        let held: { step: number; at: number; within: () => boolean }[] = [];
        for (const step of deeds) {
          const before = world.store.state();
          switch (step.kind) {
            case 'wait':
              world.wall += step.ms;
              break;
            case 'restart':
              world.restart();
              held = [];
              break;
            case 'judge': {
              const code = step.age === 'wrong' ? wrongCode(secret, world.wall) : codeAt(secret, world.wall - step.age * STEP);
              const judged = world.proving.check(awaiting('totp', step.handle), { kind: 'totp', code }, step.way, { wall: world.wall, mono: 0, boot: 'test' });
              if (!judged.ok) break;
              expect([0, 1]).toContain(step.age);
              held.push({ step: Math.floor(world.wall / STEP) - Number(step.age), at: world.wall, within: judged.value.within ?? (() => expect.unreachable('a code without a spender')) });
              break;
            }
            case 'commit': {
              const one = held[step.which];
              if (one === undefined) break;
              const approved = world.store.atomically(one.within);
              expect(approved).toBe(one.step > newest);
              if (approved) newest = one.step;
              break;
            }
          }
          const after = world.store.state();
          expect(after.lastStep).toBe(newest);
          expect(after.highWater).toBeGreaterThanOrEqual(before.highWater);
        }
      }),
      { numRuns: 150 },
    );
  });
});
