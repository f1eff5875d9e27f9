import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { Answer, CompiledRequest } from '../../shared/vocabulary/request.ts';
import type { AuditEvent } from '../audit/index.ts';

/** What a door can do for a call on its way: relay progress and notifications, answer the target's own questions. All optional. */
export interface Relay {
  readonly progressToken?: string | number;
  /** A notification of the target that belongs to this call (progress carries the client's own token again). */
  notify(method: string, params: Record<string, unknown> | undefined): void;
  /** A request of the target to the client (sampling, roots, elicitation). Throws an RpcError-shaped refusal when the door cannot. */
  ask(method: string, params: Record<string, unknown> | undefined): Promise<Record<string, unknown>>;
}

/** One request on its way to a target. `params` on the wire are `request.paramsText`, to the byte, with only a progress token added. */
export interface Outgoing {
  readonly request: CompiledRequest;
  /** The downstream session it belongs to; an HTTP target keeps one upstream session for each. */
  readonly session: string;
  /** An approved call: an ephemeral target gives it a sandbox of its own, ended when it resolves. */
  readonly approved: boolean;
  readonly deadlineMs: number;
  readonly relay?: Relay;
  readonly signal?: AbortSignal;
}

/** Speaks to targets. Never throws for what a target does: every failure is an `Answer`. */
export interface TargetCaller {
  call(outgoing: Outgoing): Promise<Answer>;
}

/** A claimed idempotency key (scope: client and target), kept for 24 hours. */
export interface Claim {
  readonly client: ClientId;
  readonly target: TargetId;
  readonly key: string;
  readonly hash: PayloadHash;
  readonly claimedAt: number;
  readonly outcome:
    | { readonly kind: 'running' }
    | { readonly kind: 'parked'; readonly handle: HandleId }
    /** `answer` is the JSON text of an `Answer`. */
    | { readonly kind: 'answered'; readonly answer: string };
}

export interface ClaimStore {
  /** Claims a free or outlived key, atomically; or gives the claim that holds it. */
  claim(claim: Claim): { readonly claimed: true } | { readonly claimed: false; readonly held: Claim };
  settle(claim: Claim): void;
  /** Frees a key whose call was refused before anything was done. */
  release(client: ClientId, target: TargetId, key: string): void;
  /** At start: running claims of an earlier run become answered with a lost answer. */
  settleInterrupted(now: number): number;
}

/** Records calls that merely passed, in the second chain. */
export interface PassRecorder {
  record(event: AuditEvent): void;
}
