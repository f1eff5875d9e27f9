/**
 * The preflight room: the guard. It promises that a call which matches its target's rule in any view is parked, that a guard which fails or takes
 * too long parks as well, and that nothing is done on behalf of a call before it has spoken.
 */
export { createGuard } from './guard.ts';
export type { Guard, Inspected, Verdict } from './guard.ts';
export { compilePattern, PATTERN_LIMITS } from './pattern.ts';
export type { CompiledPattern } from './pattern.ts';
export { judgeQuestion } from './question.ts';
export type { Question } from './question.ts';
export { isWebAddress } from './web-address.ts';
export { resolveGuard } from './resolve.ts';
export type { GuardSources } from './resolve.ts';
export type { Guarding } from './ports.ts';
