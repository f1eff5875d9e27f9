import { compileCall } from '../../../src/main/canonical/index.ts';
import { createGuard } from '../../../src/main/preflight/index.ts';
import type { Guarding, Verdict } from '../../../src/main/preflight/index.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/vocabulary/json.ts';
import type { Clock } from '../../../src/shared/vocabulary/time.ts';

/** A clock that stands still, so that no test depends on the speed of the machine. */
export const still: Clock = { now: () => ({ wall: 0, mono: 0, boot: 'test' }) };

export const rule = (pattern: string): Guarding => ({ kind: 'rule', pattern, mode: 'totp', source: 'flag' });

export interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly readOnly?: boolean;
}

/** What the guard says of a call with these `params`. */
export function inspect(guarding: Guarding, params: JsonObject, { method = 'tools/call', target = 'prod-db', headers, clock = still, readOnly = false }: Asked = {}): Verdict {
  const compiled = compileCall({ target: target as TargetId, method, params });
  if (!compiled.ok) throw new Error(`${compiled.code} at ${compiled.at ?? ''}`);
  const guard = clock === still ? standing : createGuard({ clock, report });
  return guard.inspect(guarding, { request: compiled.value, params, readOnly, ...(headers && { headers }) });
}

/** A fault in the guard fails the test. */
const report = (fault: unknown): never => {
  throw fault;
};
const standing = createGuard({ clock: still, report });

/** Where a call of a tool with these arguments is trapped by a pattern, or undefined when it passes. What is no object is the one argument. */
export function trappedAt(pattern: string, args: JsonValue): string | undefined {
  const verdict = inspect(rule(pattern), { name: 'run', arguments: isJsonObject(args) ? args : { only: args } });
  if (verdict.kind === 'refuse') throw new Error(verdict.code);
  return verdict.kind === 'park' ? verdict.trap.where : undefined;
}
