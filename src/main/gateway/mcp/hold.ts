import type { HandleId } from '../../../shared/vocabulary/ids.ts';
import { isFinal, type Handle } from '../../approvals/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import type { Exchange } from './exchange.ts';

/** How the holding of a call came to its end. */
export type Held =
  /** It is decided, or the client's patience is over: the handle as it stands now. */
  | { readonly kind: 'tell'; readonly handle: Handle }
  /** The client cancelled the request. */
  | { readonly kind: 'cancelled' }
  /** The client is gone. What waits goes on waiting. */
  | { readonly kind: 'gone' };

interface Needs {
  readonly settled: Dispatch['settled'];
  /** The handle as it stands now. */
  readonly look: (id: HandleId) => Handle | undefined;
  readonly exchange: Exchange;
  /** Aborted when the client cancels. */
  readonly cancelled: AbortSignal;
  /** Aborted when the gateway stops: then every held call is told at once that it waits. */
  readonly stopping: AbortSignal;
  /** What is left of the client's patience, milliseconds. */
  readonly patienceMs: number;
  /** Called at once and then with every sign of life, while the call waits. */
  readonly beat: () => void;
}

/** The longest delay a Node timer takes; a longer one would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Holds a trapped call open until it is decided, its client's patience is over, its client cancels, or goes away (contract, 3.2). Whatever ends the
 * holding, the parked call is only ever changed by its own events.
 */
export async function hold(handle: Handle, { settled, look, exchange, cancelled, stopping, patienceMs, beat }: Needs): Promise<Held> {
  if (cancelled.aborted) return { kind: 'cancelled' };
  if (isFinal(handle)) return { kind: 'tell', handle };
  const end = new AbortController();
  let why: 'patience' | 'cancelled' | 'gone' | undefined;
  const stop = (cause: NonNullable<typeof why>) => (): void => {
    why ??= cause;
    end.abort(new Error(`no longer held: ${cause}`));
  };
  const [outOfPatience, cancel, gone] = [stop('patience'), stop('cancelled'), stop('gone')];
  const timer = setTimeout(outOfPatience, Math.min(Math.max(0, patienceMs), LONGEST_MS));
  cancelled.addEventListener('abort', cancel, { once: true });
  stopping.addEventListener('abort', outOfPatience, { once: true });
  exchange.onOver(gone);
  if (stopping.aborted) outOfPatience();
  else {
    exchange.hold(beat);
    beat();
  }
  try {
    return { kind: 'tell', handle: await settled(handle.id, end.signal) };
  } catch (fault) {
    if (why === undefined) throw fault;
    return why === 'patience' ? { kind: 'tell', handle: look(handle.id) ?? handle } : { kind: why };
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', cancel);
    stopping.removeEventListener('abort', outOfPatience);
  }
}
