import { describe, expect, it } from 'vitest';
import { createAfterwards } from '../../../src/main/windows/afterwards.ts';

/** A clock that rings when it is told to. */
function aClock() {
  const rings: (() => void)[] = [];
  return {
    after: (_ms: number, then: () => void) => {
      rings.push(then);
      return () => void rings.splice(rings.indexOf(then), 1);
    },
    waiting: () => rings.length,
    ring: () => rings.splice(0).forEach((then) => then()),
  };
}

describe('what may come after the window', () => {
  it('is done later, the last of each name, in the order the names came', () => {
    const clock = aClock();
    const afterwards = createAfterwards(clock.after);
    const done: string[] = [];
    afterwards.put('tray', () => done.push('tray 1'));
    afterwards.put('notice', () => done.push('notice'));
    afterwards.put('tray', () => done.push('tray 2'));
    expect(done).toEqual([]);
    clock.ring();
    expect(done).toEqual(['tray 2', 'notice']);
    clock.ring();
    expect(done).toHaveLength(2);
  });

  it('is not put off by what comes meanwhile', () => {
    const clock = aClock();
    const afterwards = createAfterwards(clock.after);
    for (let count = 0; count < 5; count += 1) afterwards.put('tray', () => undefined);
    expect(clock.waiting()).toBe(1);
  });

  it('can be taken back while it waits, and then never comes', () => {
    const clock = aClock();
    const afterwards = createAfterwards(clock.after);
    const done: string[] = [];
    afterwards.put('notice', () => done.push('notice'));
    expect([afterwards.drop('notice'), afterwards.drop('notice')]).toEqual([true, false]);
    clock.ring();
    expect(done).toEqual([]);
  });

  it('never comes once all is closed', () => {
    const clock = aClock();
    const afterwards = createAfterwards(clock.after);
    const done: string[] = [];
    afterwards.put('notice', () => done.push('notice'));
    afterwards.close();
    clock.ring();
    expect([done, clock.waiting()]).toEqual([[], 0]);
  });
});
