import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deadlineAt, frozenBy, judge, remainsMs, type Dated } from '../../../src/main/approvals/deadline.ts';
import { aHandle, aMoment, START } from '../../support/builders.ts';

const dated: Dated = aHandle();
const at = (wallAfter: number, monoAfter = wallAfter, boot = 'boot-1') => aMoment({ wall: START + wallAfter, mono: 1_000 + monoAfter, boot });

describe('a deadline', () => {
  test('is over at the very millisecond, by either clock', () => {
    expect(judge(dated, at(599_999))).toBe('open');
    expect(judge(dated, at(600_000))).toBe('over');
    expect(judge(dated, at(600_000, 5))).toBe('over');
    expect(judge(dated, at(5, 600_000))).toBe('over');
  });

  test.each([
    ['an hour asleep, in which only the wall clock ran', at(3_600_000, 100), 'over'],
    ['the clock set forward an hour or a day', at(86_400_000, 100), 'over'],
    ['the clock set back by 59 seconds', at(-59_000, 100), 'open'],
    ['the clock set back by exactly a minute', at(-60_000, 100), 'open'],
    ['the clock set back by more than a minute', at(-60_001, 100), 'clock-moved'],
    ['the clock set back a day', at(-86_400_000, 100), 'clock-moved'],
    ['the clock set back a day, when the other clock says over', at(-86_400_000, 600_000), 'over'],
    ['a restart, after which only the wall clock counts', at(100, 600_000, 'boot-2'), 'open'],
    ['a restart after the end', at(600_000, -900, 'boot-2'), 'over'],
    ['a restart with the clock set back', at(-60_001, 0, 'boot-2'), 'clock-moved'],
  ] as const)('after %s', (_what, now, judgement) => {
    expect(judge(dated, now)).toBe(judgement);
  });

  test('remains open exactly as long as it says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 700_000 }), fc.integer({ min: 0, max: 700_000 }), (wall, mono) => {
        const left = remainsMs(dated, at(wall, mono));
        expect(judge(dated, at(wall, mono))).toBe(left <= 0 ? 'over' : 'open');
        expect(left).toBe(600_000 - Math.max(wall, mono));
      }),
    );
  });
});

describe('a pause', () => {
  test('stops the time: as much remains after it as before', () => {
    fc.assert(
      fc.property(fc.nat(500_000), fc.nat(5_000_000), fc.nat(90_000), (before, length, after) => {
        const since = at(before);
        const end = at(before + length);
        expect(remainsMs(dated, end, since)).toBe(600_000 - before);
        const moved = { ...dated, frozen: frozenBy(dated, end, since) };
        expect(remainsMs(moved, at(before + length + after))).toBe(600_000 - before - after);
        expect(deadlineAt(moved)).toBe(START + 600_000 + length);
      }),
    );
  });

  test('does not bring back what was over before it began', () => {
    const since = at(600_000);
    expect(judge(dated, at(5_000_000), since)).toBe('over');
    expect(judge({ ...dated, frozen: frozenBy(dated, at(5_000_000), since) }, at(5_000_001))).toBe('over');
  });

  test('counts from the parking for what was parked while it lasted', () => {
    const since = at(-1_000_000);
    expect(remainsMs(dated, at(50_000), since)).toBe(600_000);
    expect(frozenBy(dated, at(50_000), since)).toEqual({ wall: 50_000, mono: 50_000 });
  });

  test('over a restart is measured by the wall clock', () => {
    const since = at(100_000);
    const later = aMoment({ wall: START + 900_000, mono: 5, boot: 'boot-2' });
    expect(remainsMs(dated, later, since)).toBe(500_000);
    expect(frozenBy(dated, later, since)).toEqual({ wall: 800_000, mono: 0 });
  });

  test('is not made shorter than nothing by a clock set back, and does not unfreeze what an earlier one froze', () => {
    const earlier = { ...dated, frozen: { wall: 7_000, mono: 7_000 } };
    expect(frozenBy(earlier, at(90_000, 200_000), at(100_000))).toEqual({ wall: 7_000, mono: 107_000 });
  });

  test('that slept is judged by the wall clock too: the sleep belongs to the pause', () => {
    const since = at(100_000);
    const woken = at(30_000_000, 100_500);
    const moved = { ...dated, frozen: frozenBy(dated, woken, since) };
    expect(judge(moved, woken)).toBe('open');
    expect(remainsMs(moved, woken)).toBe(500_000);
  });
});
