import type { RefusalCode } from '../../shared/refusals.ts';
import type { ClientId, HandleId } from '../../shared/vocabulary/ids.ts';
import type { CompiledRequest, Trap } from '../../shared/vocabulary/request.ts';
import type { Moment } from '../../shared/vocabulary/time.ts';

/**
 * What a handle is for. A `call` goes to a target; a `change` is applied to Countersign's own settings. The others ask in the middle of a call whose
 * bytes have left: an `elicitation` is that call itself, waiting for the answer to its target's question; a `question` is one more of a call that
 * has its handle already; a `proposal` is the broker's.
 */
export type HandleKind = 'call' | 'change' | AskedKind;
export type AskedKind = 'elicitation' | 'question' | 'proposal';

const ASKED: ReadonlySet<HandleKind> = new Set<AskedKind>(['elicitation', 'question', 'proposal']);

/** Whether a handle waits for an answer, rather than for the leave to be sent. */
export const isAsked = ({ kind }: Pick<HandleFacts, 'kind'>): boolean => ASKED.has(kind);

/** Whether the call it belongs to had left when it was parked, so that nobody can say that nothing of it was executed. A proposal sends nothing before its answer. */
export const isMidCall = ({ kind }: Pick<HandleFacts, 'kind'>): boolean => kind === 'elicitation' || kind === 'question';

/** What is fixed when a handle is parked and never changes after. */
export interface HandleFacts {
  readonly id: HandleId;
  readonly kind: HandleKind;
  readonly client: ClientId;
  /** The stored request. What executes is always this, whatever a client sends later. */
  readonly request: CompiledRequest;
  readonly trap: Trap;
  /** The door it came through; decides who is told how. */
  readonly door: 'rest' | 'mcp' | 'control';
  readonly parkedAt: Moment;
  /** The time it may wait, in milliseconds from `parkedAt`, pauses not counted. */
  readonly ttlMs: number;
}

/** How long a handle's deadline stood still while the product was paused, in milliseconds by either clock. */
export interface Frozen {
  readonly wall: number;
  readonly mono: number;
}

/** What moves. The status names are those of the contract's table of reasons (3.1), with `parked` for a waiting one. */
export type HandleState =
  /** Waits for a human. `returned`: it was approved before and nothing had been sent when the app stopped or was paused. */
  | { readonly status: 'parked'; readonly returned: boolean }
  /** A human said yes; nothing was sent yet. */
  | { readonly status: 'approved'; readonly approvedAt: number }
  /** The intent to send is committed; bytes may have left. */
  | { readonly status: 'executing'; readonly approvedAt: number; readonly dispatchedAt: number }
  /** The target answered. Final. `answer` is the JSON text of `{"result":…}`; null once it was kept for a day. */
  | { readonly status: 'executed'; readonly settledAt: number; readonly answer: string | null }
  /** A human said no. Final. */
  | { readonly status: 'declined'; readonly settledAt: number; readonly reason: string | null }
  /** Its time ran out. Final. */
  | { readonly status: 'expired'; readonly settledAt: number }
  /** The agent took it back. Final. */
  | { readonly status: 'withdrawn'; readonly settledAt: number }
  /** The tool revision it was parked on was withdrawn. Final. */
  | { readonly status: 'revision-withdrawn'; readonly settledAt: number }
  /** The tool's definition changed while it waited. Final. */
  | { readonly status: 'stale'; readonly settledAt: number }
  /** The target answered with an error, or could not be reached. Final. `answer` is the JSON text of `{"error":…}` when it gave one. */
  | { readonly status: 'upstream-fault'; readonly settledAt: number; readonly code: string; readonly answer: string | null }
  /** Bytes may have left and no answer came. Final, and never repeated. */
  | { readonly status: 'unknown'; readonly settledAt: number };

export type Status = HandleState['status'];

/**
 * A parked call. `version` counts its steps; every write is a compare-and-set on it. `fetched`: a client was told how it ended, so an identical
 * call is a new one.
 */
export type Handle = HandleFacts & {
  readonly version: number;
  readonly frozen: Frozen;
  readonly fetched: boolean;
  readonly state: HandleState;
  /** The text of its request was kept long enough and is empty now; the hash is still that of what it was. Of final handles only. */
  readonly forgotten?: boolean;
};

/** What a client is told about where its call stands. */
export type WireState = 'PENDING' | 'RESOLVED' | 'FAULTED';

const told: Readonly<Record<Status, { readonly wire: WireState; readonly refusal: RefusalCode }>> = {
  parked: { wire: 'PENDING', refusal: 'pending-approval' },
  approved: { wire: 'PENDING', refusal: 'already-decided' },
  executing: { wire: 'PENDING', refusal: 'already-decided' },
  executed: { wire: 'RESOLVED', refusal: 'already-decided' },
  declined: { wire: 'FAULTED', refusal: 'declined' },
  expired: { wire: 'FAULTED', refusal: 'expired' },
  withdrawn: { wire: 'FAULTED', refusal: 'withdrawn' },
  'revision-withdrawn': { wire: 'FAULTED', refusal: 'revision-withdrawn' },
  stale: { wire: 'FAULTED', refusal: 'stale' },
  'upstream-fault': { wire: 'FAULTED', refusal: 'upstream-fault' },
  unknown: { wire: 'FAULTED', refusal: 'unknown' },
};

/** The state a client is told (contract, table of 3.1). */
export const wireState = (handle: Pick<Handle, 'state'>): WireState => told[handle.state.status].wire;

/** Why a step that a handle's status does not allow is refused; for a final handle it names how that one ended. */
export const refusalOf = (handle: Pick<Handle, 'state'>): RefusalCode => told[handle.state.status].refusal;

/**
 * Where a handle stands, by the contract's table of reasons. A revision that was withdrawn when the intent to send was committed and nothing had left
 * ended its call as one withdrawn before did.
 */
export const reasonOf = ({ state }: Pick<Handle, 'state'>): Status => (state.status === 'upstream-fault' && state.code === 'revision-withdrawn' ? state.code : state.status);

/** A final handle never changes again. */
export const isFinal = (handle: Pick<Handle, 'state'>): boolean => wireState(handle) !== 'PENDING';
