import { expect, it } from 'vitest';
import { createClock, createWorkClock } from '../../../src/main/platform/clock.ts';

it('a work clock moves while the process computes and stands still while it waits', async () => {
  const clock = createWorkClock(createClock());
  const before = clock.now().mono;
  let sum = 0;
  for (const until = process.cpuUsage().user + 30_000; process.cpuUsage().user < until;) sum += Math.sqrt(sum + 1);
  const worked = clock.now().mono - before;
  expect(worked).toBeGreaterThanOrEqual(25);
  const waited = performance.now();
  const start = clock.now().mono;
  await new Promise((resolve) => setTimeout(resolve, 300)); // the very thing under test: time that passes without work
  expect(clock.now().mono - start).toBeLessThan((performance.now() - waited) / 2);
});
