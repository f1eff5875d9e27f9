import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import type { Compiled, CompiledChange } from './compile.ts';
import type { ChangeType } from './change-type.ts';
import type { Difference } from './dry-run.ts';
import type { BrokerEvent, FabricPort } from './ports.ts';
import type { PriceContext } from './prices.ts';

/** What a confirm token is bound to. */
export interface Bound {
  /** The canonical text of the specification as it was proposed; the confirm phase compiles this again. */
  readonly specText: string;
  readonly change: CompiledChange;
  readonly price: PriceContext;
  readonly differences: readonly Difference[];
  readonly owner: string | null;
}

export interface BrokerDeps {
  readonly fabric: FabricPort;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly randomHex: (bytes: number) => string;
  /** How long a human may take; five minutes when not given. */
  readonly elicitTimeoutMs?: number;
  /** The operator's opt-in for clients that cannot ask (`EQUINIX_MCP_ALLOW_UNCONFIRMED_MUTATIONS`). */
  readonly allowUnconfirmed?: boolean;
  /** Records what happens. When it throws for `create.sent`, nothing is sent; for anything else, `report` is told. */
  readonly tell?: (event: BrokerEvent) => void;
  /** A fault of our own that changes no outcome. */
  readonly report?: (error: unknown) => void;
  /** The compiler; another one only to see that a confirmation notices. */
  readonly compile?: (changeType: ChangeType, spec: JsonValue) => Compiled;
}
