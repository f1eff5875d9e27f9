import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { ChangeCard } from '../../shared/vocabulary/question.ts';
import type { CompiledChange } from './compile.ts';

/** One error of Fabric's own, as far as it could be read. Its words are data of the outside world. */
export interface FabricError {
  readonly code: string | null;
  readonly message: string;
  readonly property: string | null;
}

/** Why nothing was sent to Fabric. */
export type Unsent = 'no-credentials' | 'credentials-refused' | 'unreachable' | 'held-back';

/**
 * What became of one request to Fabric v4. `answered`: any 2xx, with its JSON body, or undefined when that could not be read. `refused`: a definite
 * no, nothing was done. `lost`: bytes left and no answer that settles it came (silence, a reset, a redirect, a 5xx).
 */
export type FabricReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: JsonValue | undefined }
  | { readonly kind: 'refused'; readonly status: number; readonly errors: readonly FabricError[] }
  | { readonly kind: 'unsent'; readonly why: Unsent; readonly note: string }
  | { readonly kind: 'lost'; readonly note: string };

/** A whole price list, or why there is none. */
export type PriceReply = { readonly kind: 'rows'; readonly rows: readonly JsonValue[] } | { readonly kind: 'none'; readonly note: string };

/** Fabric v4 as the broker needs it. Every failure is a reply; no POST is ever repeated; no redirect is followed. */
export interface FabricPort {
  /** Where requests go: `https://api.equinix.com`. */
  readonly origin: string;
  /** Sends the change's `bodyText` with `dryRun=true`. */
  dryRun(change: CompiledChange, signal?: AbortSignal): Promise<FabricReply>;
  /**
   * Sends the change's `bodyText` without `dryRun`, once. `maySend` is asked immediately before the first byte of it leaves, after all that had to
   * be made ready; when it says no, nothing leaves and the reply is `unsent`, `held-back`. After that nothing calls it off.
   */
  create(change: CompiledChange, maySend: () => boolean): Promise<FabricReply>;
  /** All pages of `POST /fabric/v4/prices/search` for a filter. */
  prices(filter: JsonObject, signal?: AbortSignal): Promise<PriceReply>;
}

/** One reading of Fabric: a path below `/fabric/v4/`, made of segments that were checked. A search is a POST with a body and changes nothing. */
export interface FabricRead {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly search?: JsonObject;
}

/** Fabric v4 as the read-only tools need it. */
export interface FabricReadPort {
  read(request: FabricRead, signal?: AbortSignal): Promise<FabricReply>;
}

/** The question to a human, as MCP's form elicitation asks it, and what a window of ours shows beside it. */
export interface Question {
  readonly message: string;
  readonly requestedSchema: JsonObject;
  readonly card: ChangeCard;
}

/** As MCP has it; `lapse` says that whoever asks has waited until the proposal ran out. */
export type ElicitAnswer = { readonly action: 'accept'; readonly content: unknown } | { readonly action: 'decline' } | { readonly action: 'cancel' } | { readonly action: 'lapse' };

/** Asks the human through one client that declared form elicitation. Throws when the round trip failed. An aborted signal says that nobody waits any more. */
export type Elicit = (question: Question, signal: AbortSignal) => Promise<ElicitAnswer>;

/** What happened, for a log or an audit: names, hashes, codes and counts, never a value of a request. */
export interface BrokerEvent {
  readonly type: 'proposal.minted' | 'proposal.evicted' | 'proposal.refused' | 'dry-run.alarmed' | 'confirm.refused' | 'confirm.answered' | 'create.sent' | 'create.executed' | 'create.refused' | 'create.unknown';
  /** Whose call it was; null where all callers are one. */
  readonly owner: string | null;
  readonly changeType: string | null;
  readonly payloadHash: string | null;
  /** A code: the refusal's, the human's answer, or null. */
  readonly code: string | null;
}
