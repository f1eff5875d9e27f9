import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import type { Grants } from '../grants/index.ts';

export interface ReviewDeps {
  readonly approvals: Approvals;
  readonly clock: Clock;
  /** A time of day for a human, such as `14:02`. */
  readonly localTime: (wall: number) => string;
  /** What a change of our own settings is, line by line; of a call, what it stands against beside its own fields. Empty for most calls. */
  readonly changeFacts: (handle: Handle) => readonly { readonly label: string; readonly value: string }[];
  /** Grants given with an approval. */
  readonly grants: Pick<Grants, 'mayBeGiven' | 'mayVary' | 'give'>;
  readonly totpEnrolled: () => boolean;
  /** Where wrong codes were typed in the window for this handle: what is left, and for how long codes are refused. */
  readonly codesLeft: (handle: HandleId) => { readonly attemptsLeft: number; readonly lockedMs: number } | undefined;
}
