import type { Clock, Moment } from '../../shared/vocabulary/time.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { frozenBy } from './deadline.ts';
import type { Handle } from './handle.ts';
import type { HandleStore } from './ports.ts';

/** The kill switch's state, read once from the store and kept: only this room changes it. */
export function createPausing({ store, clock }: { readonly store: HandleStore; readonly clock: Clock }) {
  let known: { readonly since: Moment | null } | undefined;

  const since = (): Moment | null => (known ??= { since: store.pausedSince() }).since;

  return {
    since,

    begin(actor: string): void {
      const now = clock.now();
      store.pause(now, { type: 'gateway.paused', at: now.wall, actor });
      known = { since: now };
    },

    /** Ends the pause and moves the deadlines of what waits by its length; gives the moved handles. */
    end(actor: string): readonly Handle[] {
      const now = clock.now();
      const moved = store
        .open()
        .filter((handle) => handle.state.status !== 'executing' && handle.kind !== 'proposal')
        .map((handle) => ({ ...handle, version: handle.version + 1, frozen: frozenBy(handle, now, since()) }));
      if (!store.resume(moved, { type: 'gateway.resumed', at: now.wall, actor, detail: { moved: moved.length } })) throw new StoreUnavailable('another step came between');
      known = { since: null };
      return moved;
    },
  };
}
