import { isFinal, type Handle } from '../../src/main/approvals/index.ts';
import type { HandleStore } from '../../src/main/approvals/ports.ts';
import { StoreUnavailable, type AuditEvent } from '../../src/main/audit/index.ts';
import type { ClientRecord, ClientStore } from '../../src/main/clients/ports.ts';
import type { HandleId } from '../../src/shared/vocabulary/ids.ts';
import { sameRevision } from '../../src/shared/vocabulary/request.ts';
import type { Moment } from '../../src/shared/vocabulary/time.ts';

/** The store's port kept in memory, for tests of pure rooms. `fail` makes everything fail as a broken disk does. */
export interface MemoryHandleStore extends HandleStore {
  readonly events: AuditEvent[];
  readonly handles: Map<HandleId, Handle>;
  fail: boolean;
}

export function memoryHandleStore(): MemoryHandleStore {
  const handles = new Map<HandleId, Handle>();
  const events: AuditEvent[] = [];
  let paused: Moment | null = null;
  const sound = (): void => {
    if (store.fail) throw new StoreUnavailable('the disk is full');
  };
  const all = (): Handle[] => {
    sound();
    return [...handles.values()];
  };
  const isOpen = (handle: Handle): boolean => !isFinal(handle);
  const settledAt = ({ state }: Handle): number => ('settledAt' in state ? state.settledAt : -Infinity);
  /** One change of a transaction: undone when `within` denies it. */
  const write = (next: readonly Handle[], event: AuditEvent, within: () => boolean): boolean => {
    sound();
    const before = next.map((handle) => handles.get(handle.id));
    for (const handle of next) handles.set(handle.id, handle);
    let kept = false;
    try {
      kept = within();
      return kept;
    } finally {
      if (kept) events.push(event);
      else next.forEach((handle, index) => (before[index] === undefined ? handles.delete(handle.id) : handles.set(handle.id, before[index])));
    }
  };
  const fits = (next: Handle): boolean => handles.get(next.id)?.version === next.version - 1;

  const store: MemoryHandleStore = {
    events,
    handles,
    fail: false,
    insert: (handle, event, within = () => true) => write([handle], event, within),
    advance: (next, event, within = () => true) => {
      sound();
      return fits(next) && write([next], event, within);
    },
    get: (id) => all().find((handle) => handle.id === id),
    open: () => all().filter(isOpen),
    openCount: (client) => all().filter((handle) => isOpen(handle) && (client === undefined || handle.client === client)).length,
    waiting: () => all().filter((handle) => isOpen(handle) && handle.state.status !== 'executing'),
    joinable: (client, target, hash, settledAfter, revision) =>
      all()
        .filter(({ kind, client: owner, request }) => kind !== 'question' && owner === client && request.target === target && request.hash === hash && sameRevision(request.revision, revision))
        .filter((handle) => isOpen(handle) || (['executed', 'declined', 'upstream-fault', 'unknown'].includes(handle.state.status) && !handle.fetched && settledAt(handle) > settledAfter))
        .at(-1),
    recent: (limit) => all().reverse().slice(0, limit),
    lastExecutedAt: (target, hash) =>
      all()
        .filter(({ request, state }) => request.target === target && request.hash === hash && ['executed', 'unknown'].includes(state.status))
        .map(settledAt)
        .at(-1),
    markFetched: (id) => {
      const handle = all().find((one) => one.id === id);
      if (handle === undefined || handle.fetched || !isFinal(handle)) return false;
      handles.set(id, { ...handle, fetched: true });
      return true;
    },
    forgetAnswers(settledBefore, event) {
      const old = all().flatMap((handle) => {
        const { state } = handle;
        return (state.status === 'executed' || state.status === 'upstream-fault') && state.answer !== null && state.settledAt < settledBefore ? [{ ...handle, state: { ...state, answer: null } }] : [];
      });
      if (old.length > 0) write(old, event(old.length), () => true);
      return old.length;
    },
    forgetRequests({ settledBefore }, event) {
      const old = all().filter((handle) => handle.forgotten !== true && settledAt(handle) > 0 && settledAt(handle) < settledBefore).map((handle): Handle => ({ ...handle, forgotten: true, request: { ...handle.request, text: '', paramsText: '' } }));
      if (old.length > 0) write(old, event(old.length), () => true);
      return old.length;
    },
    record: (event) => void write([], event, () => true),
    pausedSince: () => {
      sound();
      return paused;
    },
    pause: (since, event) => void write([], event, () => ((paused = since), true)),
    resume: (moved, event) => moved.every(fits) && write(moved, event, () => ((paused = null), true)),
  };
  return store;
}

export function memoryClientStore(): ClientStore & { readonly events: AuditEvent[] } {
  const records: ClientRecord[] = [];
  const events: AuditEvent[] = [];
  return {
    events,
    list: () => [...records],
    add: (record, event) => {
      records.push(record);
      events.push(event);
    },
    revoke: (id, at, event) => {
      const index = records.findIndex((record) => record.id === id && record.revokedAt === null);
      const record = records[index];
      if (record === undefined) return false;
      records[index] = { ...record, revokedAt: at };
      events.push(event);
      return true;
    },
  };
}
