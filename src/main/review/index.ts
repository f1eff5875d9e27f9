/**
 * The review room: what the windows are answered. It promises that what is shown of a call comes from the stored request alone, that a decision
 * carries the hash that was shown, that a secret of the authenticator is told once, and that what is
 * imported is what was looked at.
 */
export { createAuthenticator } from './create-authenticator.ts';
export type { AuthenticatorDeps } from './create-authenticator.ts';
export { createImporter } from './create-importer.ts';
export type { Importer, ImporterDeps } from './create-importer.ts';
export { createReview } from './create-review.ts';
export type { ReviewDeps } from './ports.ts';
