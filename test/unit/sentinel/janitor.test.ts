import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../../src/main/audit/index.ts';
import { createJanitor, type Chore } from '../../../src/main/sentinel/index.ts';
import { ok, refused } from '../../../src/shared/result.ts';

function aJanitor(...chores: Chore[]) {
  let due: { readonly ms: number; readonly run: () => void } | undefined;
  const reports: string[] = [];
  const janitor = createJanitor({
    chores,
    timers: {
      after(ms, run) {
        due = { ms, run };
        return () => (due = undefined);
      },
    },
    report: (_, { what, code }) => reports.push(`${what}: ${code}`),
  });
  return { janitor, reports, waits: () => due?.ms, pass: () => due?.run() };
}

describe('the janitor', () => {
  it('forgets half a minute after the start and then every hour, until it is stopped', () => {
    let rounds = 0;
    const { janitor, waits, pass } = aJanitor({ name: 'answers', forget: () => ok((rounds += 1)) });
    janitor.start();
    janitor.start();
    expect([waits(), rounds]).toEqual([30_000, 0]);
    pass();
    pass();
    expect([waits(), rounds]).toEqual([3_600_000, 2]);
    janitor.stop();
    expect(waits()).toBeUndefined();
  });

  it('goes on with the others when one cannot be forgotten, says so, and comes again', () => {
    let done = 0;
    const { janitor, reports, waits, pass } = aJanitor(
      { name: 'full', forget: () => refused('store-unavailable') },
      { name: 'broken', forget: () => { throw new StoreUnavailable('disk'); } },
      { name: 'good', forget: () => ok((done += 1)) },
    );
    janitor.start();
    pass();
    expect(reports).toEqual(['full: store-unavailable', 'broken: store-unavailable']);
    expect([done, waits()]).toEqual([1, 3_600_000]);
  });

  it('does not hide a bug', () => {
    const { janitor, pass } = aJanitor({ name: 'bug', forget: () => { throw new TypeError('x is not a function'); } });
    janitor.start();
    expect(pass).toThrow(TypeError);
  });
});
