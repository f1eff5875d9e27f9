import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../shared/vocabulary/time.ts';

/** The machine's clock. Whole milliseconds; each clock is a boot of its own, so a process makes one and hands it round. */
export function createClock(): Clock {
  const boot = randomUUID();
  return { now: () => ({ wall: Date.now(), mono: Math.floor(performance.now()), boot }) };
}

/**
 * A clock whose `mono` counts the time this process has computed, in milliseconds. What bounds the work of one inspection goes by it: on a busy
 * machine the time that others take must not make a harmless call look like a costly one.
 */
export function createWorkClock(clock: Clock): Clock {
  return {
    now() {
      const { user, system } = process.cpuUsage();
      return { ...clock.now(), mono: (user + system) / 1000 };
    },
  };
}
