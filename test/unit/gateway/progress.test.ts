import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createProgress } from '../../../src/main/gateway/mcp/progress.ts';

function told() {
  const seen: { progress: number; message?: string; token: unknown }[] = [];
  const others: string[] = [];
  const progress = createProgress(
    {
      progressToken: 'p',
      notify(method, { progress, progressToken, message } = {}) {
        if (method !== 'notifications/progress') others.push(method);
        else seen.push({ progress: progress as number, token: progressToken, ...(message !== undefined && { message: message as string }) });
      },
      ask: () => Promise.reject(new Error('nobody asks')),
    },
    'p',
  );
  const target = (value: number): void => progress.relay.notify?.('notifications/progress', { progressToken: 'p', progress: value });
  return { progress, target, seen, others };
}

it('goes up whatever a held call and then its target tell, the target beginning at nought', () => {
  const { progress, target, seen } = told();
  progress.beat('waits');
  progress.beat('waits');
  for (const value of [0, 50, 100]) target(value);
  expect(seen.map((one) => one.progress)).toEqual([0.001, 0.002, 50, 100]);
});

it('goes up in every order of our signs of life and a target that counts up', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom('waits' as const, 'approved' as const, 'runs' as const), fc.double({ min: 0, max: 5, noNaN: true }))), (steps) => {
      const { progress, target, seen } = told();
      let counted = 0;
      for (const step of steps) {
        if (typeof step === 'string') progress.beat(step);
        else target((counted += step + 0.0001) - 0.0001);
      }
      const values = seen.map((one) => one.progress);
      expect(values.every((value, index) => index === 0 || value > values[index - 1]!)).toBe(true);
      expect(seen.every(({ token }) => token === 'p')).toBe(true);
    }),
  );
});

it('says that a call waits only while it waits, and nothing of its own once the target of a running call has spoken', () => {
  const { progress, target, seen } = told();
  progress.beat('waits');
  progress.beat('approved');
  progress.beat('runs');
  target(1);
  progress.beat('runs');
  expect(seen.map(({ message }) => message)).toEqual([expect.stringContaining('Waiting for a human'), expect.stringContaining('not sent yet'), expect.stringContaining('running'), undefined]);
});

it('leaves what a target of a passing call tells as it is, and everything else too', () => {
  const { progress, target, seen, others } = told();
  for (const value of [3, 3, 1]) target(value);
  progress.relay.notify?.('notifications/message', { level: 'info' });
  expect(seen.map((one) => one.progress)).toEqual([3, 3, 1]);
  expect(others).toEqual(['notifications/message']);
});
