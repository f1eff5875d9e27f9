import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../shared/vocabulary/time.ts';

/** The machine's clock. Whole milliseconds; each clock is a boot of its own, so a process makes one and hands it round. */
export function createClock(): Clock {
  const boot = randomUUID();
  return { now: () => ({ wall: Date.now(), mono: Math.floor(performance.now()), boot }) };
}

/**
 * A clock whose `mono` goes on while this process computes, in milliseconds, from one look at it to the next. What bounds the work of one inspection goes
 * by it: on a busy machine the time that others take must not make a harmless call look like a costly one, nor may what the collector does at
 * the same time on another core. So of the time that went by and the time all threads computed, the lesser counts.
 */
export function createWorkClock(clock: Clock): Clock {
  let worked = 0;
  let seenAt = performance.now();
  let seenWork = process.cpuUsage();
  return {
    now() {
      const at = performance.now();
      const work = process.cpuUsage();
      worked += Math.min(at - seenAt, (work.user - seenWork.user + work.system - seenWork.system) / 1000);
      seenAt = at;
      seenWork = work;
      return { ...clock.now(), mono: worked };
    },
  };
}
