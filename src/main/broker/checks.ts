import type { Consumed } from './proposal-store.ts';

/** The five redemption predicates of document 000, by their names. `not_evaluated` where an earlier one already settled it. */
export interface ConfirmChecks {
  readonly proposal_exists: Verdict;
  readonly not_evicted: Verdict;
  readonly not_expired: Verdict;
  readonly not_previously_used: Verdict;
  readonly request_matches_binding: Verdict;
}
export type Verdict = boolean | 'not_evaluated';

const unseen = 'not_evaluated' as const;
const NOTHING: ConfirmChecks = { proposal_exists: unseen, not_evicted: unseen, not_expired: unseen, not_previously_used: unseen, request_matches_binding: unseen };

/** Nothing was looked at: the call was cancelled, or refused, before the token was. */
export const noChecks = NOTHING;

const OUTCOMES: Readonly<Record<Consumed<unknown>['outcome'], ConfirmChecks>> = {
  unknown: { ...NOTHING, proposal_exists: false },
  evicted: { ...NOTHING, proposal_exists: true, not_evicted: false },
  expired: { ...NOTHING, proposal_exists: true, not_evicted: true, not_expired: false, not_previously_used: true },
  replayed: { ...NOTHING, proposal_exists: true, not_evicted: true, not_previously_used: false },
  ok: { ...NOTHING, proposal_exists: true, not_evicted: true, not_expired: true, not_previously_used: true },
};

/** What consuming a token has shown. */
export const checksOf = (outcome: Consumed<unknown>['outcome']): ConfirmChecks => OUTCOMES[outcome];

/** The predicates on one line, for the text of an error. */
export const checksLine = (checks: ConfirmChecks): string => `confirm_checks: ${Object.entries(checks).map(([name, verdict]) => `${name}=${String(verdict)}`).join(', ')}`;
