/** The sentinel: sees to it that what has outlived its deadline ends, and that a start settles what an earlier run left open. Nothing's safety rests on it. */
export { createSentinel } from './sentinel.ts';
export type { Sentinel, SentinelDeps, Watched } from './sentinel.ts';
