import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { PeerRequest } from '../rpc/peer.ts';

/** The long request through which a server of the stateless revision tells of changes (MCP 2026-07-28, subscriptions). */
export interface Tidings {
  /** Opens it unless it is open. Resolves when the server has acknowledged it, has refused it, or takes too long. */
  start(): Promise<void>;
  /** Adds a resource to what is told of, or takes it out. */
  about(uri: string | undefined, wanted: boolean): Promise<void>;
  /** Whether a notification was the acknowledgement, and nobody else's. */
  took(method: string): boolean;
  open(): boolean;
  stop(): void;
}

interface Needs {
  readonly ask: (request: PeerRequest) => Promise<Answer>;
  readonly lost: () => void;
  /** It is open again: something may have been missed. */
  readonly missed: () => void;
}

const LONGEST_MS = 2 ** 31 - 1;
const ACKNOWLEDGED_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export function createTidings({ ask, lost, missed }: Needs): Tidings {
  const uris = new Set<string>();
  let cut: AbortController | undefined;
  let acknowledged = false;
  let told: (() => void) | undefined;
  let waiting: Promise<void> | undefined;
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let again = false;

  const begin = (): Promise<void> => {
    const own = new AbortController();
    cut = own;
    acknowledged = false;
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, ...(uris.size > 0 && { resourceSubscriptions: [...uris] }) };
    waiting = new Promise((resolve) => {
      const late = setTimeout(resolve, ACKNOWLEDGED_MS);
      told = () => {
        clearTimeout(late);
        resolve();
      };
    });
    void ask({ method: 'subscriptions/listen', paramsText: JSON.stringify({ notifications }), deadlineMs: LONGEST_MS, signal: own.signal }).then((answer) => {
      told?.();
      if (cut !== own) return;
      cut = undefined;
      if (acknowledged) lost();
      acknowledged = false;
      // A server that refuses has nothing to tell; one whose stream broke is asked again after a while.
      if (answer.kind === 'error') return;
      again = true;
      timer = setTimeout(() => void begin(), pause).unref();
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
    return waiting;
  };

  const stop = (): void => {
    const open = cut;
    cut = undefined;
    acknowledged = false;
    clearTimeout(timer);
    open?.abort(new Error('no longer listened to'));
  };

  return {
    start: () => (cut === undefined ? begin() : (waiting ?? Promise.resolve())),
    async about(uri, wanted) {
      if (uri === undefined || uris.has(uri) === wanted) return;
      if (wanted) uris.add(uri);
      else uris.delete(uri);
      stop();
      await begin();
    },
    took(method) {
      if (method !== 'notifications/subscriptions/acknowledged') return false;
      acknowledged = true;
      pause = FIRST_PAUSE_MS;
      told?.();
      if (again) missed();
      again = false;
      return true;
    },
    open: () => acknowledged,
    stop,
  };
}
