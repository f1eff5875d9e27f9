import { ok, refused, refusedWith } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { Revision } from './resource.ts';

/**
 * How often and how many at once, per tool, by the policy of the revision that was resolved. What was used is counted per tool name, so that calling
 * another revision of it is no way round.
 */
export interface Limits {
  /** Takes one call from the tool's bucket. `tool-rate-limited` with `retry_after_s`. */
  spend(revision: Revision): Result<true>;
  /** Takes a place among the running calls, and gives what frees it. `tool-busy`. */
  enter(revision: Revision, principal: string): Result<() => void>;
  /** The same for a call that a human let out: it waits until there is a place. */
  await(revision: Revision, principal: string): Promise<() => void>;
}

export function createLimits({ clock }: { readonly clock: Clock }): Limits {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  const running = new Map<string, Map<string, number>>();
  /** Who waits for a place of a tool, first first. */
  const waiting = new Map<string, (() => void)[]>();

  function enter({ resource: { metadata, spec } }: Revision, principal: string): Result<() => void> {
    const callers = running.get(metadata.name) ?? new Map<string, number>();
    const own = callers.get(principal) ?? 0;
    const all = [...callers.values()].reduce((sum, count) => sum + count, 0);
    if (spec.concurrency !== null && (all >= spec.concurrency.limit || own >= spec.concurrency.perPrincipal)) return refused('tool-busy');
    running.set(metadata.name, callers.set(principal, own + 1));
    let left = false;
    return ok(() => {
      if (left) return;
      left = true;
      const count = (callers.get(principal) ?? 1) - 1;
      if (count > 0) callers.set(principal, count);
      else callers.delete(principal);
      const awake = waiting.get(metadata.name) ?? [];
      waiting.delete(metadata.name);
      for (const wake of awake) wake();
    });
  }

  return {
    spend({ resource: { metadata, spec } }) {
      if (spec.rateLimit === null) return ok(true);
      const { requestsPerSecond, burst } = spec.rateLimit;
      const now = clock.now().mono;
      const before = buckets.get(metadata.name) ?? { tokens: burst, at: now };
      const tokens = Math.min(burst, before.tokens + ((now - before.at) / 1_000) * requestsPerSecond);
      if (tokens < 1) {
        buckets.set(metadata.name, { tokens, at: now });
        return refusedWith('tool-rate-limited', { retry_after_s: Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond)) });
      }
      buckets.set(metadata.name, { tokens: tokens - 1, at: now });
      return ok(true);
    },
    enter,
    async await(revision, principal) {
      const { name } = revision.resource.metadata;
      for (;;) {
        const entered = enter(revision, principal);
        if (entered.ok) return entered.value;
        await new Promise<void>((resolve) => waiting.set(name, [...(waiting.get(name) ?? []), resolve]));
      }
    },
  };
}
