import type { TargetId } from '../../shared/vocabulary/ids.ts';
import type { AuditEvent } from '../audit/index.ts';

/** What is kept of one tool. */
export interface Pin {
  readonly tool: string;
  /** Lower-case hex SHA-256 of every definition that was admitted; the last is the one in use. */
  readonly digests: readonly string[];
  /** The text of the definition in use. */
  readonly definition: string;
}

/** A definition nobody admitted yet: of a tool that is new, or that was another before. */
export interface ToolChange {
  readonly tool: string;
  /** The text of the definition that was admitted last; null for a new tool. */
  readonly before: string | null;
  readonly after: string;
  /** SHA-256 of `after`. */
  readonly digest: string;
}

/** What is kept of one target's tools. */
export interface Pins {
  /** Names how the target was reached when its tools were first seen. One that is reached otherwise is another target, and is seen for the first time again. */
  readonly of: string;
  /** Under which declared capabilities a whole list was seen; a target may offer more to a client that can do more. */
  readonly views: readonly string[];
  readonly tools: readonly Pin[];
  readonly withheld: readonly ToolChange[];
}

/** Where pins are kept. What is written commits together with its audit row, or throws `StoreUnavailable`; so does reading what cannot be read. */
export interface PinStore {
  get(target: TargetId): Pins | undefined;
  keep(target: TargetId, pins: Pins, event: AuditEvent): void;
  remove(target: TargetId): void;
}
