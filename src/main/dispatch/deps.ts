import type { ClientId } from '../../shared/vocabulary/ids.ts';
import type { Answer, CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import type { Claims } from './claims.ts';
import type { PassRecorder, TargetCaller, TargetRules } from './ports.ts';

export interface DispatchDeps {
  readonly approvals: Approvals;
  readonly claims: Claims;
  readonly targets: TargetRules;
  readonly caller: TargetCaller;
  readonly passes: PassRecorder;
  /** Carries out an approved change of Countersign's own settings. */
  readonly applyChange: (handle: Handle) => Promise<Answer>;
  /** Whether questions of targets can be put before a human in a window; else they go to the client that declared it takes them. */
  readonly window?: boolean;
  /** The id of the grant a trapped call may be made under without a click, its use recorded; undefined when there is none. */
  readonly granted?: (client: ClientId, request: CompiledRequest, trap: Trap) => string | undefined;
  readonly paused: () => boolean;
  readonly clock: Clock;
  /** How long a target may take, milliseconds. */
  readonly deadlineMs: number;
  readonly delay: (ms: number) => Promise<void>;
  /** Tells the log of something that must not happen; never values. */
  readonly report: (what: string, facts: Readonly<Record<string, string>>) => void;
}
