import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { TargetView } from '../../shared/contract/control.ts';
import { canonicalText, sha256Hex } from '../canonical/index.ts';
import type { TargetSpec } from '../mounting/index.ts';
import type { Guarding } from '../preflight/ports.ts';
import { guardView } from './views.ts';

/** A target with its guard as it comes out. */
export interface Guarded {
  readonly spec: TargetSpec;
  readonly guarding: Guarding;
}

/** Why a change of a target needs a click, in the words the window shows. */
export type Because = 'new target' | 'command' | 'environment' | 'URL' | 'headers' | 'mode' | 'guard' | 'elicitations' | 'admission of tools';

/** What a change of a target is: none, one that needs no click, or one that does (contract, section 2). */
export type Weight = { readonly kind: 'same' } | { readonly kind: 'free' } | { readonly kind: 'click'; readonly because: readonly Because[] };

/**
 * Weighs a change: a new target, another command, environment, URL or header, another way of running it, and a looser guard need a click. So does
 * handing a target's questions to the client instead of the window, and admitting its tools as first seen where a human was asked. What only tightens, and what changes waiting times, does not.
 */
export function weigh(before: Guarded | undefined, after: Guarded): Weight {
  if (before === undefined) return { kind: 'click', because: ['new target'] };
  const because: Because[] = [...reachChanges(before.spec, after.spec)];
  if (before.spec.mode !== after.spec.mode) because.push('mode');
  if (isLooser(before.guarding, after.guarding)) because.push('guard');
  if (before.spec.elicitations === 'window' && after.spec.elicitations === 'client') because.push('elicitations');
  if (before.spec.admission === 'ask' && after.spec.admission === undefined) because.push('admission of tools');
  if (because.length > 0) return { kind: 'click', because };
  return same(asJson(before.spec), asJson(after.spec)) ? { kind: 'same' } : { kind: 'free' };
}

function reachChanges({ reach: before }: TargetSpec, { reach: after }: TargetSpec): readonly Because[] {
  if (before.transport === 'stdio' && after.transport === 'stdio') {
    const command = same([before.command, before.args, before.cwd], [after.command, after.args, after.cwd]);
    return [...(command ? [] : ['command' as const]), ...(same(before.env, after.env) ? [] : ['environment' as const])];
  }
  if (before.transport !== 'stdio' && after.transport !== 'stdio') {
    const url = same([before.transport, before.url], [after.transport, after.url]);
    return [...(url ? [] : ['URL' as const]), ...(same(before.headers, after.headers) ? [] : ['headers' as const])];
  }
  return [after.transport === 'stdio' ? 'command' : 'URL'];
}

/** A guard is looser when a call it stopped could pass, or a click could do where a code was needed. Only the very same rule is known not to be. */
export function isLooser(before: Guarding, after: Guarding): boolean {
  if (before.kind === 'none' || after.kind === 'closed') return false;
  if (before.kind === 'closed' || after.kind === 'none') return true;
  return before.pattern !== after.pattern || before.everyCall !== after.everyCall || before.exceptReadOnly !== after.exceptReadOnly || (before.mode === 'totp' && after.mode === 'button');
}

/** The values of a target that are kept sealed while its change waits, and the salt of their digests. */
export interface ChangeValues {
  readonly salt: string;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A change of a target as it is hashed, shown, stored and carried out; environment and header values as salted SHA-256 only. */
export interface TargetChange {
  readonly because: readonly Because[];
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string | null;
  readonly environment?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly mode: TargetSpec['mode'];
  readonly preflight_pattern: string | null;
  /** What was chosen where no rule is set. */
  readonly without_rule?: 'none' | 'not-read-only';
  /** The entry's own keys for the guard. */
  readonly guard_environment: Readonly<Record<string, string>>;
  readonly guard: TargetView['guard'];
  readonly guard_before: TargetView['guard'] | null;
  readonly admission?: 'ask';
  readonly expires_after_s: number;
  readonly linger_s: number;
  readonly elicitations: TargetSpec['elicitations'];
  /** Variables of Countersign's own environment that the entry reads, by name. */
  readonly reads: readonly string[];
  /** Salted SHA-256 of the target it replaces, so that only the one the human was shown is replaced; null for a new one. */
  readonly replaces: string | null;
}

/** Takes a target apart into what is shown and what is sealed. */
export function partedChange(
  after: Guarded,
  { before, because, reads, salt }: { readonly before: Guarded | undefined; readonly because: readonly Because[]; readonly reads: readonly string[]; readonly salt: string },
): { readonly change: TargetChange; readonly values: ChangeValues } {
  const { spec, guarding } = after;
  const { reach } = spec;
  const digests = (values: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digestOf(salt, name, value)]));
  const change: TargetChange = {
    because,
    transport: reach.transport,
    ...(reach.transport === 'stdio'
      ? { command: reach.command, args: reach.args, cwd: reach.cwd, environment: digests(reach.env) }
      : { url: reach.url, headers: digests(reach.headers) }),
    mode: spec.mode,
    preflight_pattern: spec.pattern,
    ...(spec.unruled !== undefined && { without_rule: spec.unruled }),
    guard_environment: spec.guardEnv,
    guard: guardView(guarding),
    guard_before: before === undefined ? null : guardView(before.guarding),
    ...(spec.admission !== undefined && { admission: spec.admission }),
    expires_after_s: spec.expiresAfterS,
    linger_s: spec.lingerS,
    elicitations: spec.elicitations,
    reads,
    replaces: replacedBy(salt, before?.spec),
  };
  return { change, values: { salt, env: reach.transport === 'stdio' ? reach.env : {}, headers: reach.transport === 'stdio' ? {} : reach.headers } };
}

/** Puts the target together again; undefined when the values are not the ones whose digests were shown. */
export function specOf(id: TargetSpec['id'], change: TargetChange, values: ChangeValues): TargetSpec | undefined {
  const { salt, env, headers } = values;
  if (!fits(change.environment ?? {}, env, salt) || !fits(change.headers ?? {}, headers, salt)) return undefined;
  return {
    id,
    reach:
      change.transport === 'stdio'
        ? { transport: 'stdio', command: change.command ?? '', args: change.args ?? [], env, cwd: change.cwd ?? null }
        : { transport: change.transport, url: change.url ?? '', headers },
    mode: change.mode,
    guardEnv: change.guard_environment,
    pattern: change.preflight_pattern,
    ...(change.without_rule !== undefined && { unruled: change.without_rule }),
    ...(change.admission !== undefined && { admission: change.admission }),
    expiresAfterS: change.expires_after_s,
    lingerS: change.linger_s,
    elicitations: change.elicitations,
  };
}

/** Names a target's state, so that a change made meanwhile is noticed. */
export const replacedBy = (salt: string, spec: TargetSpec | undefined): string | null => (spec === undefined ? null : `sha256:${sha256Hex(`${salt}\n${canonicalText(asJson(spec))}`)}`);

const digestOf = (salt: string, name: string, value: string): string => `sha256:${sha256Hex(`${salt}\n${name}\n${value}`)}`;

function fits(digests: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>, salt: string): boolean {
  const names = Object.keys(digests);
  return names.length === Object.keys(values).length && names.every((name) => Object.hasOwn(values, name) && digests[name] === digestOf(salt, name, values[name] ?? ''));
}

const asJson = (spec: TargetSpec): JsonObject => spec as unknown as JsonObject;
const same = (one: JsonValue, other: JsonValue): boolean => canonicalText(one) === canonicalText(other);
