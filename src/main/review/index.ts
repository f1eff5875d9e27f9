/**
 * The review room: what the windows are answered. It promises that what is shown of a call comes from the stored request alone, that a decision
 * carries the hash that was shown, and that a secret of the authenticator is told once.
 */
export { createAuthenticator } from './create-authenticator.ts';
export type { AuthenticatorDeps } from './create-authenticator.ts';
export { createReview } from './create-review.ts';
export type { ReviewDeps } from './ports.ts';
