import { refused, type Refused } from '../../shared/result.ts';
import type { HandleId, PayloadHash } from '../../shared/vocabulary/ids.ts';
import type { Answer, IncomingCall } from '../../shared/vocabulary/request.ts';
import type { Claim, ClaimStore } from './ports.ts';
import type { Submitted } from './dispatch.ts';

/** What a held key means for a call that comes with it again. */
export type Held =
  | { readonly kind: 'free' }
  | { readonly kind: 'parked'; readonly handle: HandleId }
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'running'; readonly shared: Promise<Submitted> }
  | Refused;

export interface Claims {
  /** Looks a key up without claiming it: the fast path for duplicates (document 003, 3.1). */
  look(call: IncomingCall, key: string, hash: PayloadHash): Held;
  /** The handle a key was parked with, whatever the payload. */
  handleOf(call: IncomingCall, key: string): HandleId | undefined;
  /** Claims the key for a call that passes, and shares its outcome with duplicates that come meanwhile. */
  run(call: IncomingCall, key: string, hash: PayloadHash, now: number, work: () => Promise<Submitted>): Promise<Submitted>;
  /** Binds the key of a running call to the handle it became; to be called within the transaction that parks it. */
  turn(call: IncomingCall, key: string, hash: PayloadHash, now: number, handle: HandleId): void;
  /** Binds the key to a handle; to be called within the transaction that parks it. */
  bind(call: IncomingCall, key: string, hash: PayloadHash, now: number, handle: HandleId): boolean;
}

const LOST: Answer = { kind: 'lost', note: 'interrupted' };

/** Idempotency keys, scoped to client and target and kept for 24 hours: one payload a key, one run a key (contract, 3.1). */
export function createClaims({ store }: { readonly store: ClaimStore }): Claims {
  const running = new Map<string, Promise<Submitted>>();
  const nameOf = (call: IncomingCall, key: string): string => JSON.stringify([call.client, call.target, key]);

  const meaning = (held: Claim, hash: PayloadHash, name: string): Held => {
    if (held.hash !== hash) return refused('idempotency-key-reused');
    switch (held.outcome.kind) {
      case 'parked':
        return { kind: 'parked', handle: held.outcome.handle };
      case 'answered':
        return { kind: 'answered', answer: JSON.parse(held.outcome.answer) as Answer };
      case 'running': {
        const shared = running.get(name);
        // A running claim nobody here runs was interrupted: its bytes may have left, so it is never run again.
        return shared === undefined ? { kind: 'answered', answer: LOST } : { kind: 'running', shared };
      }
    }
  };

  return {
    look(call, key, hash) {
      const held = store.find(call.client, call.target, key);
      return held === undefined ? { kind: 'free' } : meaning(held, hash, nameOf(call, key));
    },
    handleOf(call, key) {
      const held = store.find(call.client, call.target, key);
      return held?.outcome.kind === 'parked' ? held.outcome.handle : undefined;
    },
    async run(call, key, hash, now, work) {
      const name = nameOf(call, key);
      const claim: Claim = { client: call.client, target: call.target, key, hash, claimedAt: now, outcome: { kind: 'running' } };
      store.put(claim);
      const shared = work().then(
        (done) => {
          if (done.kind === 'answered' && !(done.answer.kind === 'fault' && !done.answer.sent)) {
            store.put({ ...claim, outcome: { kind: 'answered', answer: JSON.stringify(done.answer) } });
          } else if (done.kind !== 'handle') store.release(call.client, call.target, key); // nothing was sent, so the key may be used again
          return done;
        },
      );
      running.set(name, shared);
      try {
        return await shared;
      } finally {
        running.delete(name);
      }
    },
    turn(call, key, hash, now, handle) {
      store.put({ client: call.client, target: call.target, key, hash, claimedAt: now, outcome: { kind: 'parked', handle } });
    },
    bind(call, key, hash, now, handle) {
      return store.claim({ client: call.client, target: call.target, key, hash, claimedAt: now, outcome: { kind: 'parked', handle } });
    },
  };
}
