import type { HandleId } from '../../../shared/vocabulary/ids.ts';
import { isFinal, type Handle } from '../../approvals/index.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Dispatch, Submitted } from '../../dispatch/index.ts';
import type { Downstream, Relay } from '../../dispatch/ports.ts';
import { ANSWERED, type Answered } from '../http/answer.ts';
import type { OwnHandles } from '../ports.ts';
import type { Addressed } from './address.ts';
import type { Exchange } from './exchange.ts';
import { hold } from './hold.ts';
import { createProgress, type Stands } from './progress.ts';
import { answerText, handleText, refusedText, type Asked } from './told.ts';

/** A request under way: its POST, and what ends it early. */
export interface Flight {
  readonly exchange: Exchange;
  readonly cancel: AbortController;
}

/** Why a request was cancelled: its client closed it, while another of its requests may hold the same call. */
export const LEFT = new Error('the client closed the request');

export interface Calls {
  /** Sends one addressed request through dispatch and answers it: with what the target said, or, when it is trapped, with what a human decided. */
  serve(request: Asked, addressed: Addressed, flight: Flight, relay: Relay): Promise<Answered>;
}

interface Needs {
  readonly dispatch: Pick<Dispatch, 'submit' | 'settled' | 'withdraw'>;
  readonly handles: Pick<OwnHandles, 'own' | 'markFetched'>;
  readonly client: ClientRecord;
  readonly downstream: Downstream;
  readonly stopping: AbortSignal;
  readonly patienceMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** How many requests hold each parked call now; shared by all legs, since a client may come on either. */
  readonly holders: Holders;
  /** Answers a trapped call at once in another way than by holding it, where the client takes that; undefined holds it. */
  readonly insteadOfHolding?: (asked: Asked, handle: Handle) => string | undefined;
}

export type Holders = Map<HandleId, number>;

export function createCalls({ dispatch, handles, client, downstream, stopping, patienceMs, now, holders, insteadOfHolding }: Needs): Calls {
  const look = (id: HandleId): Handle | undefined => {
    const found = handles.own(id, client.id);
    return found.ok ? found.value : undefined;
  };

  return {
    async serve(asked, { target, params }, { exchange, cancel }, relay) {
      const began = now();
      const progress = relay.progressToken === undefined ? undefined : createProgress(relay, relay.progressToken);
      const submitted = await dispatch.submit({
        call: { client: client.id, target, method: asked.method, params },
        door: 'mcp',
        session: downstream.session,
        relay: progress?.relay ?? relay,
        signal: cancel.signal,
      });
      if (submitted.kind !== 'handle') return exchange.answer(plainText(asked, submitted));
      const other = insteadOfHolding?.(asked, submitted.handle);
      if (other !== undefined) return exchange.answer(other);
      const { id } = submitted.handle;
      holders.set(id, (holders.get(id) ?? 0) + 1);
      const held = await hold(submitted.handle, {
        settled: dispatch.settled,
        look,
        exchange,
        cancelled: cancel.signal,
        stopping,
        patienceMs: (client.patienceMs ?? patienceMs) - (now() - began),
        beat: () => progress?.beat(standsOf(look(id))),
      }).finally(() => {
        const left = (holders.get(id) ?? 1) - 1;
        if (left > 0) holders.set(id, left);
        else holders.delete(id);
      });
      switch (held.kind) {
        case 'tell': {
          const { handle } = held;
          return exchange.answer(handleText(asked, handle), isFinal(handle) ? () => handles.markFetched(handle.id) : undefined);
        }
        case 'cancelled':
          // A call that was decided meanwhile stays what it is; the client asked not to be told either way.
          if (cancel.signal.reason !== LEFT || !holders.has(id)) dispatch.withdraw(id, client.id);
          return exchange.drop();
        case 'gone':
          return ANSWERED;
      }
    },
  };
}

function standsOf(handle: Handle | undefined): Stands {
  switch (handle?.state.status) {
    case 'parked':
      return 'waits';
    case 'approved':
      return 'approved';
    default:
      return 'runs';
  }
}

function plainText(asked: Asked, submitted: Exclude<Submitted, { kind: 'handle' }>): string {
  if (submitted.kind === 'answered') return answerText(asked, submitted.answer);
  return refusedText(asked, submitted.code, submitted);
}
