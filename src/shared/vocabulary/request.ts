import type { RefusalCode } from '../refusals.ts';
import type { ClientId, PayloadHash, TargetId } from './ids.ts';
import type { JsonObject } from './json.ts';

/**
 * The exact request that would be sent to a target. `text` is its RFC 8785 text: what is hashed, shown, stored and sent are one and the same.
 * For an MCP call it is the text of `{"method","params","target"}`, for a declarative HTTP tool that of `{"body","headers","method","url"}` (contract,
 * section 1).
 */
export interface CompiledRequest {
  readonly target: TargetId;
  readonly method: string;
  /** The tool's, prompt's or resource's name, where the method has one. */
  readonly subject: string | null;
  readonly text: string;
  /** The part of `text` that is the value of `params`; this goes on the wire. */
  readonly paramsText: string;
  readonly hash: PayloadHash;
  /** The revision that made it, where a declarative tool did. No part of the text: the same request may be made by several. */
  readonly revision?: BoundRevision;
}

/** One admitted revision of a declarative tool (document 002); `digest` names its content. */
export interface BoundRevision {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
}

export const sameRevision = (one: BoundRevision | undefined, other: BoundRevision | undefined): boolean =>
  one?.name === other?.name && one?.version === other?.version && one?.digest === other?.digest;

/** How a human proves the decision: a click in the window, or a click and a six-digit code. */
export type Attestation = 'button' | 'totp';

/** Why a call was stopped: the operator's pattern, and where in the request it matched. */
export interface Trap {
  readonly pattern: string;
  readonly mode: Attestation;
  /** The rule's source, by name: `flag`, `FIBER_PREFLIGHT_PROD_DB` and so on. */
  readonly source: string;
  /** What matched: a leaf's path such as `arguments.sql`, `tool name`, `target name`, `guard overrun`, `guard fault`. */
  readonly where: string;
  /** UTF-16 offsets of the match inside that leaf's decoded string; absent when the match is in a derived view (decoded, joined, folded). */
  readonly span?: { readonly start: number; readonly end: number };
  /** Paths into the request's text whose values are never shown: the fixed places of a Fabric change. */
  readonly masked?: readonly string[];
}

/** A JSON-RPC error as the upstream gave it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What became of one request to a target. `sent` tells whether any byte of it may have left. */
export type Answer =
  | { readonly kind: 'result'; readonly result: Record<string, unknown> }
  | { readonly kind: 'error'; readonly error: RpcError }
  | { readonly kind: 'fault'; readonly code: RefusalCode; readonly sent: boolean; readonly note: string }
  /** Bytes left and no answer came: it may have executed. */
  | { readonly kind: 'lost'; readonly note: string };

/** One call as it comes through a door, read strictly and not yet judged. */
export interface IncomingCall {
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  readonly params: JsonObject;
}
