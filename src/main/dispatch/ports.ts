import type { ClientId, HandleId, PayloadHash, TargetId } from '../../shared/vocabulary/ids.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { RefusalCode } from '../../shared/refusals.ts';
import type { Result } from '../../shared/result.ts';
import type { CardQuestion, ElicitAnswer } from '../../shared/vocabulary/question.ts';
import type { Answer, Attestation, BoundRevision, CompiledRequest, IncomingCall, Trap } from '../../shared/vocabulary/request.ts';
import type { AuditEvent } from '../audit/index.ts';

/** What a door can do for a call on its way: relay progress and notifications, answer the target's own questions. All optional. */
export interface Relay {
  readonly progressToken?: string | number;
  /** The client behind this call declared form elicitation, so that `ask` can put a form to its user. */
  readonly takesForms?: boolean;
  /** The same for the addresses of MCP's URL mode. */
  readonly takesAddresses?: boolean;
  /** A question that wants a code of the human's authenticator can be put: the code is typed into our own window, and no target ever gets it. */
  readonly attests?: boolean;
  /** A notification of the target that belongs to this call (progress carries the client's own token again). Not there when the door takes none. */
  notify?(method: string, params: Record<string, unknown> | undefined): void;
  /**
   * A request of the target to the client (sampling, roots, elicitation). Throws an RpcError-shaped refusal when the door cannot. `signal` is aborted when
   * nobody waits for the answer any more. `withinMs`: how long the client may take with an elicitation; then nobody has answered it.
   */
  ask(method: string, params: Record<string, unknown> | undefined, signal?: AbortSignal, withinMs?: number): Promise<Record<string, unknown>>;
  /**
   * As `ask`, for a question that outlives the call, as one of a task does; there only when a window can answer. Undefined when it is the client's to
   * answer; throws when no human can be shown it. Nobody is asked before what it gives is called, which throws at once when there is no room. The question
   * waits under a handle of its own, which nobody joins; running out of time is `cancel`.
   */
  askBeyond?(method: string, params: Record<string, unknown> | undefined): ((signal: AbortSignal) => Promise<Record<string, unknown>>) | undefined;
  /**
   * Puts a proposal before the human in the approval window, for targets inside this process; there only when a window can answer. Approve is
   * `accept` with `{"confirm":true}`. The call becomes a parked handle meanwhile. An aborted signal takes the question back; running out of time,
   * the end of the proposal's life included, is `cancel`. Throws an RpcError-shaped refusal when it cannot be put (`too-many-pending` and so on).
   */
  askWindow?(question: CardQuestion, signal: AbortSignal): Promise<ElicitAnswer>;
}

/** One request on its way to a target. */
export interface Outgoing {
  /** Whose call it is. */
  readonly client: ClientId;
  readonly target: TargetId;
  readonly method: string;
  /**
   * The RFC 8785 text that goes on the wire as `params`, to the byte; only a progress token is added. For an approved call it is the stored request's;
   * for a target that makes its own requests it is the whole of that request.
   */
  readonly paramsText: string;
  /** The revision that made the request, where a declarative tool did. */
  readonly revision?: BoundRevision;
  /** The downstream session it belongs to; an HTTP target keeps one upstream session for each. */
  readonly session: string;
  /** An approved call: an ephemeral target gives it a sandbox of its own, ended when it resolves. */
  readonly approved: boolean;
  readonly deadlineMs: number;
  readonly relay?: Relay;
  readonly signal?: AbortSignal;
  /** The turn that was waited for; without one, or with one of another target, the call waits for its own as long as `deadlineMs`. */
  readonly turn?: Turn;
}

/** Leave to be the next call of a target that takes one after the other. */
export interface Turn {
  /** Lets the next one in; to be called when the call has ended, or is not sent after all. */
  end(): void;
}

/** Speaks to targets. Never throws for what a target does: every failure is an `Answer`. */
export interface TargetCaller {
  call(outgoing: Outgoing): Promise<Answer>;
  /** Waits for a turn, however long what is before it takes; at once when nothing is. Undefined for a target that takes many calls at once. */
  turn?(target: TargetId): Turn | Promise<Turn> | undefined;
}

/** What a target said of itself when it was initialized. */
export interface TargetFace {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
  readonly instructions: string | null;
}

/** What a downstream client declared; a target is initialized with exactly this on behalf of a session of that client, never with a union. */
export interface Downstream {
  readonly session: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
  /** The client speaks MCP 2026-07-28 and takes answers that ask for input; a target that speaks it too is spoken to in it. */
  readonly stateless?: { readonly logLevel?: string };
}

/** The targets there are and what they offer. */
export interface TargetDirectory {
  ids(): readonly TargetId[];
  has(id: TargetId): boolean;
  /** Initializes the target for a session when it is not yet, and gives its face. Ephemeral targets answer from the stored catalogue and start nothing. */
  face(id: TargetId, downstream: Downstream): Promise<TargetFace | Extract<Answer, { kind: 'fault' | 'lost' | 'error' }>>;
  /** The whole list (all pages) of `tools/list`, `prompts/list`, `resources/list` or `resources/templates/list`. */
  list(id: TargetId, method: string, downstream: Downstream): Promise<Answer>;
  /** Whether a name is one of the tools of a target whose tools keep their own names; undefined when the target's lists must be asked. Asks nobody. */
  owns?(id: TargetId, name: string): boolean | undefined;
  /** What is known of a list without asking or starting anything: that of a stored catalogue. */
  stored?(id: TargetId, method: string): Answer | undefined;
  /** Called when a target's list changed (`tools`, `prompts`, `resources`), or a target came or went. */
  onChanged(listener: (id: TargetId, what: 'tools' | 'prompts' | 'resources' | 'targets') => void): () => void;
  /**
   * A downstream session began: what to declare for it when one of its calls opens an upstream session, and where to bring what a target says
   * outside of any call (`notifications/message`, `notifications/resources/updated` and the like). Opens nothing.
   */
  beginSession?(downstream: Downstream, notify: (id: TargetId, method: string, params: Record<string, unknown> | undefined) => void): void;
  /** Resolves when the target has been asked to tell of changes of its lists, where it can. May start or connect the target. */
  watch?(id: TargetId, downstream: Downstream): Promise<void>;
  /** A notification of the client (`notifications/roots/list_changed`, progress of a question) for the targets its session has opened. Opens nothing. */
  tell?(session: string, method: string, params: JsonObject): void;
  /** A downstream session ended: its upstream sessions are closed. */
  endSession(session: string): void;
}

/** What the guard says of one compiled call. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'park'; readonly trap: Trap }
  | { readonly kind: 'refuse'; readonly code: RefusalCode };

/** What dispatch must know of a target before it sends anything. */
export interface TargetRules {
  /** Undefined when no such target is connected. */
  rules(id: TargetId):
    | {
        readonly ttlMs: number;
        /** Who answers its questions where a window is there; the window when not given. */
        readonly elicitations?: 'window' | 'client';
        /** The proof its guard asks for; a click when not given. */
        readonly mode?: Attestation;
        /** It says itself what became of a call its client cancelled (document 000), so it is told of that however far the call has come. */
        readonly hearsCancel?: true;
      }
    | undefined;
  /**
   * The request of a call to a target that makes its own; undefined for every other target, whose request is the call itself. Does no I/O and takes
   * nothing from any limit. `bound`: the revision that made the request the call is compared with; no other may make it then.
   */
  compile?(call: IncomingCall, bound?: BoundRevision): Result<CompiledRequest> | undefined;
  /** The requests the same call may have come to before, when its name meant something else: what a key that was claimed then is compared with. */
  earlier?(call: IncomingCall): readonly CompiledRequest[];
  /** Takes a call that is about to pass or to be parked from the limits of what it calls; a repeat is not taken again. */
  spend?(request: CompiledRequest): Result<true>;
  /** Whether what made the request may still be called; asked in the transaction that dispatches. */
  stillServed?(request: CompiledRequest): 'served' | 'revision-withdrawn' | 'stale';
  /** The guard's word; a guard that fails parks, it never passes (document 003, 2). */
  judge(call: IncomingCall, request: CompiledRequest): Verdict;
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
  /** The claim that holds the key now; an outlived one counts as none. */
  find(client: ClientId, target: TargetId, key: string): Claim | undefined;
  /** Claims a free or outlived key at full durability. Called within the transaction that parks the handle; false when the key is held. */
  claim(claim: Claim): boolean;
  /** Writes a claim of a call that passes, or what became of it, on the connection of passing calls. */
  put(claim: Claim): void;
  /** Frees a key whose call was refused before anything was done. */
  release(client: ClientId, target: TargetId, key: string): void;
  /** Forgets every claim that is outlived. */
  forgetOutlived(): void;
  /** At start: running claims of an earlier run become answered with a lost answer. Tells how many. */
  settleInterrupted(now: number): number;
}

/** Records calls that merely passed, in the second chain. */
export interface PassRecorder {
  record(event: AuditEvent): void;
}

/** What a target inside this process has in common with every other; fits `Target` of the targets room, which adapters may not import from each other. */
export interface BuiltInTarget {
  call(outgoing: Outgoing): Promise<Answer>;
  face(): Promise<TargetFace>;
  list(method: string): Promise<Answer>;
  refresh(): Promise<undefined>;
  tell(): void;
  endSession(): void;
  status(): { readonly activeSandboxes: number; readonly state: 'idle' | 'running'; readonly tools: number; readonly note: null; readonly noise: number; readonly stderr: string };
  close(): Promise<void>;
}
