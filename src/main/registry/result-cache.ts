import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { HttpRequest } from './http-request.ts';
import type { Revision } from './resource.ts';

const MOST = 500;

interface Kept {
  readonly value: JsonValue;
  readonly until: number;
  readonly flushOn: readonly string[];
}

/** One answer's place: of exactly this revision, this principal and this request. */
export interface Place {
  get(): { readonly value: JsonValue } | undefined;
  /** Keeps an answer, unless the cache was flushed of it after the place was taken: what was read before a write is not kept after it. */
  put(value: JsonValue): void;
}

/** Answers kept for a while in memory, apart for every revision, principal and request; whoever takes one asks the authority first. */
export interface ResultCache {
  /** undefined when the revision caches nothing. */
  place(revision: Revision, principal: string, request: HttpRequest): Place | undefined;
  /** Forgets what is to be forgotten when this tool was called (`cache.flushOn`). */
  flush(tool: string): void;
  /** Forgets every answer of a revision. */
  forget(digest: string): void;
}

export function createResultCache({ clock }: { readonly clock: Clock }): ResultCache {
  const kept = new Map<string, Kept>();
  const flushes = new Map<string, number>();
  const drop = (which: (key: string, entry: Kept) => boolean): void => {
    for (const [key, entry] of kept) if (which(key, entry)) kept.delete(key);
  };

  return {
    place({ digest, resource: { spec } }, principal, request) {
      const { enabled, ttlSeconds, flushOn } = spec.cache;
      if (!enabled || ttlSeconds === 0) return undefined;
      const key = JSON.stringify([digest, principal, request.hash]);
      const flushed = (): number => flushOn.reduce((sum, tool) => sum + (flushes.get(tool) ?? 0), 0);
      const before = flushed();
      return {
        get() {
          const entry = kept.get(key);
          return entry === undefined || entry.until <= clock.now().mono ? undefined : { value: structuredClone(entry.value) };
        },
        put(value) {
          if (flushed() !== before) return;
          kept.delete(key);
          kept.set(key, { value: structuredClone(value), until: clock.now().mono + ttlSeconds * 1_000, flushOn });
          const [oldest] = kept.keys();
          if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
        },
      };
    },
    flush(tool) {
      flushes.set(tool, (flushes.get(tool) ?? 0) + 1);
      drop((_key, { flushOn }) => flushOn.includes(tool));
    },
    forget: (digest) => drop((key) => key.startsWith(JSON.stringify([digest]).slice(0, -1))),
  };
}
