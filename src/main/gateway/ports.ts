import type { ClientId, HandleId, TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Result } from '../../shared/result.ts';
import type { Handle } from '../approvals/index.ts';
import type { ClientRecord } from '../clients/ports.ts';
import type { Control, RegistryControl } from '../control/index.ts';
import type { Dispatch } from '../dispatch/index.ts';
import type { TargetDirectory } from '../dispatch/ports.ts';
import type { Log } from '../platform/log.ts';

/** The parked calls as the doors see them: each client its own, and nobody another's. */
export interface OwnHandles {
  /** The handle when it is this client's; any other, existing or not, is refused alike with `handle-not-found`. */
  own(id: HandleId, client: ClientId): Result<Handle>;
  /** The client's calls that are not final, first parked first. */
  pending(client: ClientId): readonly Handle[];
  /** Notes that the client has been given the result, so that a later identical call is a new one. */
  markFetched(id: HandleId): void;
}

/** Takes signed intents of bridges; see the intents room. */
export interface IntentTaker {
  take(handle: string, intent: string): Result<Handle>;
}

/** What the routes of the registry need. */
export interface ToolDoor {
  readonly registry: RegistryControl;
  /** The target whose tools are the registry's. */
  readonly target: TargetId;
  /** What `GET /api/info` tells. */
  readonly info: () => Readonly<Record<string, unknown>>;
}

/** Bounds of the gateway. Times are milliseconds, sizes bytes. */
export interface GatewayLimits {
  /** The largest request body (contract, section 3). */
  readonly bodyBytes: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly connections: number;
  /** Between two signs of life on an open stream. */
  readonly heartbeatMs: number;
  /** How long a held call is held when its client's record does not say. */
  readonly patienceMs: number;
  /** How long a target may take to give one of its lists before the merged list goes out without it. */
  readonly listMs: number;
  /** How long the client may take to answer a question of a target. */
  readonly askMs: number;
  readonly sessionIdleMs: number;
  readonly sessionsPerClient: number;
  /** What may wait unsent on one stream before notifications on it are dropped. */
  readonly streamBytes: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  bodyBytes: 8 * 1024 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  connections: 1024,
  heartbeatMs: 15_000,
  patienceMs: 50_000,
  listMs: 15_000,
  askMs: 600_000,
  sessionIdleMs: 30 * 60_000,
  sessionsPerClient: 256,
  streamBytes: 1024 * 1024,
};

/** What the gateway needs from the rest of the product. */
export interface GatewayPorts {
  readonly dispatch: Pick<Dispatch, 'wouldPass' | 'submit' | 'resume' | 'settled' | 'withdraw'>;
  readonly handles: OwnHandles;
  readonly targets: TargetDirectory;
  /** A tool as it was admitted, by its target's own name for it; undefined when none is known. Asks no target. */
  readonly definitionOf?: (target: TargetId, tool: string) => JsonObject | undefined;
  /** The client of a bearer token, unless there is none or it was revoked. Looked up by the token's hash, so that its time tells nothing. */
  readonly findClient: (token: string) => ClientRecord | undefined;
  readonly control: Control;
  readonly intents: IntentTaker;
  /** The registry's own routes, where there is one. */
  readonly tools?: ToolDoor | undefined;
  readonly controlToken: string;
  /** The key of `endpoint.json`, hex. */
  readonly endpointKey: string;
  /** What the gateway calls itself to MCP clients. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<GatewayLimits>;
}
