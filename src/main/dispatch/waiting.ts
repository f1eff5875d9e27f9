import type { HandleId } from '../../shared/vocabulary/ids.ts';
import { isFinal, type Approvals, type Handle } from '../approvals/index.ts';

/** Lets callers wait for a handle to become final. Waiting keeps nothing alive in the handle itself: after a restart, callers simply ask again. */
export function createWaiting(approvals: Pick<Approvals, 'get' | 'subscribe'>) {
  const waiters = new Map<HandleId, Set<(handle: Handle) => void>>();
  approvals.subscribe((handle) => {
    if (!isFinal(handle)) return;
    const told = waiters.get(handle.id);
    waiters.delete(handle.id);
    for (const tell of told ?? []) tell(handle);
  });

  return {
    settled(id: HandleId, signal: AbortSignal): Promise<Handle> {
      return new Promise((resolve, reject) => {
        const handle = approvals.get(id);
        if (handle !== undefined && isFinal(handle)) {
          resolve(handle);
          return;
        }
        if (signal.aborted) {
          reject(reason(signal));
          return;
        }
        const set = waiters.get(id) ?? new Set();
        waiters.set(id, set);
        const done = (settled: Handle): void => {
          signal.removeEventListener('abort', gone);
          resolve(settled);
        };
        const gone = (): void => {
          set.delete(done);
          if (set.size === 0 && waiters.get(id) === set) waiters.delete(id);
          reject(reason(signal));
        };
        set.add(done);
        signal.addEventListener('abort', gone, { once: true });
      });
    },
  };
}

const reason = (signal: AbortSignal): Error => (signal.reason instanceof Error ? signal.reason : new Error('no longer waited for'));
