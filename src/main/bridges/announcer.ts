import type { Clock, Timers } from '../../shared/vocabulary/time.ts';
import type { HandleId } from '../../shared/vocabulary/ids.ts';
import type { Approvals, Handle } from '../approvals/index.ts';
import { announcementOf, signedHeaders, type Announcement, type BridgeRecord, type BridgeStore } from '../intents/index.ts';
import type { Log } from '../platform/log.ts';
import { post as postOverNetwork, type Posted, type Posting } from './post.ts';

export interface AnnouncerDeps {
  readonly approvals: Pick<Approvals, 'subscribe' | 'get' | 'queue'>;
  readonly store: Pick<BridgeStore, 'list' | 'secret'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly post?: (posting: Posting) => Promise<Posted>;
}

/** How the last try to tell a bridge ended. */
export interface LastDelivery {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly ok: boolean;
  /** The status, or the system's code of the failure. */
  readonly note: string;
}

/** Tells registered bridges of parked calls. */
export interface Announcer {
  /** From now on calls are announced when they are parked, after the commit; those that wait already are announced (again) at once. */
  start(): void;
  lastDelivery(bridge: string): LastDelivery | undefined;
  /** Gives up what is under way. */
  stop(): void;
}

/** The waits before each further try, milliseconds. After the last the bridge is not told of this call any more. */
const AGAIN_AFTER_MS = [1_000, 5_000, 30_000, 120_000, 300_000] as const;
const TIMEOUT_MS = 10_000;
/** How many posts to one bridge are under way at once; the others wait their turn. */
const AT_ONCE = 4;
/** The Standard Webhooks specification: the receiver wants no more of it. */
const GONE = 410;

interface Task {
  readonly handle: HandleId;
  readonly announcement: Announcement;
  readonly tries: number;
}

interface Line {
  readonly waiting: Task[];
  running: number;
}

/**
 * Posts a signed webhook for every parked call to every bridge with a URL (contract, 3.1; Standard Webhooks). At least once, while the call waits and
 * the tries last; a bridge tells repetitions by `webhook-id`. Whether a bridge can be reached never holds up or changes the call itself.
 */
export function createAnnouncer({ approvals, store, clock, timers, log, post = postOverNetwork }: AnnouncerDeps): Announcer {
  const lines = new Map<string, Line>();
  const last = new Map<string, LastDelivery>();
  const stopping = new AbortController();
  let unsubscribe: (() => void) | undefined;

  const waits = (handle: HandleId): boolean => approvals.get(handle)?.state.status === 'parked';

  function announce(handle: Handle): void {
    if (handle.kind !== 'call') return;
    const announcement = announcementOf(handle);
    for (const { name, url } of store.list()) if (url !== null) enqueue(name, { handle: handle.id, announcement, tries: 0 });
  }

  function enqueue(name: string, task: Task): void {
    const line = lines.get(name) ?? { waiting: [], running: 0 };
    lines.set(name, line);
    line.waiting.push(task);
    next(name, line);
  }

  function next(name: string, line: Line): void {
    while (line.running < AT_ONCE && !stopping.signal.aborted) {
      const task = line.waiting.shift();
      if (task === undefined) return;
      line.running += 1;
      void attempt(name, task).finally(() => {
        line.running -= 1;
        next(name, line);
      });
    }
  }

  async function attempt(name: string, task: Task): Promise<void> {
    try {
      const bridge = store.list().find((one) => one.name === name);
      if (bridge === undefined || !waits(task.handle)) return;
      const posted = await send(bridge, task.announcement);
      if (stopping.signal.aborted) return;
      const done = posted.kind === 'answered' && posted.status >= 200 && posted.status < 300;
      last.set(name, { at: clock.now().wall, ok: done, note: posted.kind === 'answered' ? String(posted.status) : posted.note });
      if (done || (posted.kind === 'answered' && posted.status === GONE)) return;
      again(name, task);
    } catch (error) {
      // A secret that cannot be opened, or a store that cannot be read: it may be there again later.
      log.warn('bridge.not-told', { bridge: name, handle: task.handle }, error);
      last.set(name, { at: clock.now().wall, ok: false, note: 'it could not be read or signed' });
      again(name, task);
    }
  }

  function send({ name, url }: BridgeRecord, announcement: Announcement): Promise<Posted> {
    const secret = store.secret(name);
    if (url === null || secret === undefined) return Promise.resolve({ kind: 'failed', note: 'no URL or secret' });
    return post({ url, headers: signedHeaders(announcement, secret, clock.now().wall), body: announcement.body, timeoutMs: TIMEOUT_MS, signal: stopping.signal });
  }

  function again(name: string, task: Task): void {
    const delay = AGAIN_AFTER_MS[task.tries];
    if (delay === undefined) log.warn('bridge.given-up', { bridge: name, handle: task.handle, tries: task.tries + 1 });
    else timers.after(delay, () => enqueue(name, { ...task, tries: task.tries + 1 }));
  }

  return {
    start() {
      unsubscribe = approvals.subscribe((handle, change) => {
        if (change === 'park') announce(handle);
      });
      approvals.queue().forEach(announce);
    },
    lastDelivery: (bridge) => last.get(bridge),
    stop() {
      stopping.abort();
      unsubscribe?.();
    },
  };
}
