import { describe, expect, it } from 'vitest';
import { cover, isCovered, passed, TURN_MS } from '../../../src/renderer/approval/coverage.ts';

describe('what was seen of a row', () => {
  it('is all of it when it fits and was wholly in view', () => {
    expect(isCovered(cover(undefined, 34, 0, 34))).toBe(true);
    expect(isCovered(cover(undefined, 34, 0.4, 33.7))).toBe(true);
  });

  it('is not all of it while a part was out of view', () => {
    expect(isCovered(cover(undefined, 34, 10, 34))).toBe(false);
    expect(isCovered(cover(undefined, 34, 0, 20))).toBe(false);
    expect(isCovered(cover(undefined, 34, -100, -66))).toBe(false);
    expect(isCovered(cover(undefined, 0, 0, 0))).toBe(false);
  });

  it('adds up the parts of a tall row from the top downwards', () => {
    const top = cover(undefined, 1_000, 0, 400);
    const middle = cover(top, 1_000, 300, 700);
    expect(isCovered(middle)).toBe(false);
    expect(isCovered(cover(middle, 1_000, 690, 1_000))).toBe(true);
  });

  it('adds up the parts of a tall row from the bottom upwards', () => {
    const bottom = cover(undefined, 1_000, 600, 1_000);
    expect(isCovered(cover(bottom, 1_000, 200, 610))).toBe(false);
    expect(isCovered(cover(cover(bottom, 1_000, 200, 610), 1_000, 0, 300))).toBe(true);
  });

  it('does not count what was jumped over', () => {
    const top = cover(undefined, 1_000, 0, 300);
    expect(isCovered(cover(top, 1_000, 700, 1_000))).toBe(false);
  });

  it('begins anew when the row changes its height', () => {
    const top = cover(undefined, 1_000, 0, 600);
    expect(cover(top, 2_000, 1_400, 2_000)).toEqual({ height: 2_000, fromTop: 0, fromBottom: 600 });
  });
});

describe('what the wheel moved past', () => {
  const view = 200;

  it('counts back to the last look, downwards and upwards', () => {
    expect(passed({ moved: 350, sinceTurnMs: 10, view })).toEqual([-350, 0]);
    expect(passed({ moved: -350, sinceTurnMs: 10, view })).toEqual([0, 350]);
  });

  it('does not count what was jumped over, or moved without the wheel', () => {
    expect(passed({ moved: 401, sinceTurnMs: 10, view })).toEqual([0, 0]);
    expect(passed({ moved: 100, sinceTurnMs: TURN_MS + 1, view })).toEqual([0, 0]);
    expect(passed({ moved: 100, sinceTurnMs: Number.POSITIVE_INFINITY, view })).toEqual([0, 0]);
  });
});
