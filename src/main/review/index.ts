/**
 * The review room: what the approval window is answered. It promises that what is shown comes from the stored request alone, and that a decision
 * carries the hash that was shown.
 */
export { createReview } from './create-review.ts';
export type { ReviewDeps } from './ports.ts';
