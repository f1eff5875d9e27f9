import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../shared/vocabulary/time.ts';

/** The machine's clock. Whole milliseconds; each clock is a boot of its own, so a process makes one and hands it round. */
export function createClock(): Clock {
  const boot = randomUUID();
  return { now: () => ({ wall: Date.now(), mono: Math.floor(performance.now()), boot }) };
}
