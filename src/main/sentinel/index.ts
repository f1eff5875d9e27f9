/** The sentinel: sees to it that what has outlived its deadline ends, that a start settles what an earlier run left open, and that what is kept for a time is forgotten after it. Nothing's safety rests on it. */
export { createJanitor } from './janitor.ts';
export type { Chore, JanitorDeps } from './janitor.ts';
export { createSentinel } from './sentinel.ts';
export type { Sentinel, SentinelDeps, Watched } from './sentinel.ts';
