import type { Clock, Moment } from '../../shared/vocabulary/time.ts';

/** How long a proposal can be confirmed, and how many may wait (document 000). */
export const TTL_MS = 10 * 60 * 1_000;
export const MAX_PENDING = 20;
/** Remembered tokens beyond so many are forgotten, oldest first, and become unknown. */
const MAX_REMEMBERED = 1_000;

export const TOKEN = /^chg-[0-9]+-[0-9a-f]{24}$/;

/** One proposal that waits. `facts` is what its maker binds to the token. */
export interface Proposal<Facts> {
  readonly token: string;
  readonly mintedAt: Moment;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly facts: Facts;
}

/** How an attempt to consume a token resolved. Only `ok` hands the proposal over, and only once. */
export type Consumed<Facts> =
  | { readonly outcome: 'ok'; readonly proposal: Proposal<Facts> }
  | { readonly outcome: 'unknown' | 'evicted' | 'expired' | 'replayed' };

/**
 * The pending proposals of this process (document 000): in memory, single use, ten minutes, at most twenty. What was consumed, evicted or has
 * expired is remembered for another ten minutes, so that an agent is told which of them it was.
 */
export interface ProposalStore<Facts> {
  /** Takes a proposal and gives its token. Beyond twenty the oldest are evicted, and handed back to be told of. */
  mint(facts: Facts): { readonly proposal: Proposal<Facts>; readonly evicted: readonly Proposal<Facts>[] };
  /** Takes the proposal out before anything else happens: a second attempt finds it used, whatever became of the first. */
  consume(token: string): Consumed<Facts>;
  /** Whether a consumed proposal has run out in the meantime. */
  hasExpired(proposal: Proposal<Facts>): boolean;
  /** Whole milliseconds since it was minted. */
  ageMs(proposal: Proposal<Facts>): number;
  /** Those that could be confirmed now, oldest first. */
  pending(): readonly Proposal<Facts>[];
  /** Whose token this is, or was while it is remembered; undefined when nobody knows it. */
  ownerOf(token: string): string | null | undefined;
  /** Forgets every token of an owner: they become unknown. */
  forget(owner: string): void;
}

export interface ProposalStoreDeps<Facts> {
  readonly clock: Clock;
  /** Random lower-case hex digits, `bytes` times two. */
  readonly randomHex: (bytes: number) => string;
  /** Whose proposal it is; null, and that when not given, where all callers are one. */
  readonly ownerOf?: (facts: Facts) => string | null;
}

export function createProposalStore<Facts>({ clock, randomHex, ownerOf = () => null }: ProposalStoreDeps<Facts>): ProposalStore<Facts> {
  const waiting = new Map<string, Proposal<Facts>>();
  const remembered = new Map<string, { readonly outcome: 'evicted' | 'expired' | 'replayed'; readonly since: Moment; readonly owner: string | null }>();
  let minted = 0;

  const remember = (token: string, outcome: 'evicted' | 'expired' | 'replayed', since: Moment): void => {
    const proposal = waiting.get(token);
    waiting.delete(token);
    remembered.set(token, { outcome, since, owner: proposal === undefined ? null : ownerOf(proposal.facts) });
    for (const [oldest] of remembered) {
      if (remembered.size <= MAX_REMEMBERED) break;
      remembered.delete(oldest);
    }
  };
  /** Both clocks count, and whichever has gone further: a wall clock set back gives no proposal a longer life, and a suspension counts too. */
  const age = (since: Moment, now: Moment): number => Math.max(now.wall - since.wall, now.boot === since.boot ? now.mono - since.mono : 0, 0);
  const sweep = (now: Moment): void => {
    for (const { token, mintedAt } of [...waiting.values()]) {
      const over = age(mintedAt, now);
      if (over < TTL_MS) continue;
      // Remembered from when it ran out, not from when somebody looked.
      remember(token, 'expired', { ...mintedAt, wall: mintedAt.wall + TTL_MS, mono: mintedAt.mono + TTL_MS });
    }
    for (const [token, { since }] of [...remembered]) if (age(since, now) >= TTL_MS) remembered.delete(token);
  };

  return {
    mint(facts) {
      const now = clock.now();
      sweep(now);
      const evicted: Proposal<Facts>[] = [];
      for (const oldest of [...waiting.values()]) {
        if (waiting.size < MAX_PENDING) break;
        remember(oldest.token, 'evicted', now);
        evicted.push(oldest);
      }
      minted += 1;
      const proposal: Proposal<Facts> = { token: `chg-${minted}-${randomHex(12)}`, mintedAt: now, expiresAt: now.wall + TTL_MS, facts };
      waiting.set(proposal.token, proposal);
      return { proposal, evicted };
    },
    consume(token) {
      const now = clock.now();
      sweep(now);
      const proposal = waiting.get(token);
      if (proposal === undefined) return { outcome: remembered.get(token)?.outcome ?? 'unknown' };
      remember(token, 'replayed', now);
      return { outcome: 'ok', proposal };
    },
    hasExpired: ({ mintedAt }) => age(mintedAt, clock.now()) >= TTL_MS,
    ageMs: ({ mintedAt }) => age(mintedAt, clock.now()),
    pending() {
      sweep(clock.now());
      return [...waiting.values()];
    },
    ownerOf(token) {
      const proposal = waiting.get(token);
      return proposal === undefined ? remembered.get(token)?.owner : ownerOf(proposal.facts);
    },
    forget(owner) {
      for (const { token, facts } of [...waiting.values()]) if (ownerOf(facts) === owner) waiting.delete(token);
      for (const [token, old] of [...remembered]) if (old.owner === owner) remembered.delete(token);
    },
  };
}
