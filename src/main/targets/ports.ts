import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { AuditEvent } from '../audit/index.ts';
import type { TargetStore } from '../mounting/ports.ts';
import type { Log } from '../platform/log.ts';

/** One child process that was started and whose end was not yet seen. */
export interface ChildRecord {
  /** Random, unique for each child; stands in its environment as `COUNTERSIGN_CHILD`, and so in the environment of all it starts. */
  readonly marker: string;
  readonly target: string;
}

/** Where running children are noted, so that those a killed app left behind can be ended at the next start. Writes are done when they return. */
export interface ChildRecords {
  list(): readonly ChildRecord[];
  add(record: ChildRecord): void;
  remove(marker: string): void;
}

/** Bounds on what a target may cost. Times are milliseconds, sizes bytes. */
export interface Limits {
  /** From spawning or connecting to the answer of `initialize`. */
  readonly startMs: number;
  /** The same for a listing spawn, which may download a package first. */
  readonly listingStartMs: number;
  /** One request of our own (a page of a list). */
  readonly ownRequestMs: number;
  /** One line on a child's stdout. */
  readonly lineBytes: number;
  /** One HTTP answer, decompressed; one SSE event. */
  readonly answerBytes: number;
  /** What is kept of a child's stderr. */
  readonly stderrBytes: number;
  /** How long a child is given after its stdin ended, and again after SIGTERM. */
  readonly graceMs: number;
  /** The longest wait before a crashed daemon is started again. */
  readonly restartMs: number;
  /** How long an upstream HTTP session nobody uses is kept. */
  readonly sessionIdleMs: number;
}

export const defaultLimits: Limits = {
  startMs: 60_000,
  listingStartMs: 120_000,
  ownRequestMs: 60_000,
  lineBytes: 10 * 1024 * 1024,
  answerBytes: 8 * 1024 * 1024,
  stderrBytes: 64 * 1024,
  graceMs: 2_000,
  restartMs: 30_000,
  sessionIdleMs: 30 * 60_000,
};

/** What targets need from outside. */
export interface TargetsPorts {
  readonly catalogues: Pick<TargetStore, 'catalogue' | 'keepCatalogue'>;
  /** The environment children are built from; only a fixed list of its keys is ever handed on (`child-environment.ts`). */
  readonly childEnv: () => Readonly<Record<string, string | undefined>>;
  /**
   * Who we are to targets: `clientInfo` and the capabilities of the gateway itself, for processes and for sessions no client stands behind. What the
   * gateway can do itself it declares for every client: `elicitation`, where a window answers.
   */
  readonly self: { readonly info: JsonObject; readonly capabilities: JsonObject };
  readonly clock: Clock;
  readonly log: Log;
  /** Records `sandbox.started`, `sandbox.ended` and `target.listed`. When it throws at a start, nothing is started. */
  readonly record: (event: AuditEvent) => void;
  readonly children: ChildRecords;
  readonly limits: Limits;
}
