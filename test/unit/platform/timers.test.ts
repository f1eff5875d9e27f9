import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTimers } from '../../../src/main/platform/timers.ts';

describe('timers', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('wait also longer than one Node timer can', () => {
    const runs: number[] = [];
    const ms = 3 * (2 ** 31 - 1) + 5;
    createTimers().after(ms, () => runs.push(1));
    vi.advanceTimersByTime(ms - 1);
    expect(runs).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(runs).toEqual([1]);
    vi.advanceTimersByTime(ms);
    expect(runs).toEqual([1]);
  });

  it('can be called off in any leg', () => {
    const runs: number[] = [];
    const off = createTimers().after(2 ** 32, () => runs.push(1));
    vi.advanceTimersByTime(2 ** 31);
    off();
    vi.advanceTimersByTime(2 ** 33);
    expect(runs).toEqual([]);
  });

  it('run at once when their time is already over', () => {
    const runs: number[] = [];
    createTimers().after(-5, () => runs.push(1));
    vi.advanceTimersByTime(1);
    expect(runs).toEqual([1]);
  });
});
