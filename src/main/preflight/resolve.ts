import { environmentName } from '../../shared/vocabulary/ids.ts';
import type { Attestation } from '../../shared/vocabulary/request.ts';
import { compilePattern } from './pattern.ts';
import type { Guarding } from './ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a target's guard may come from (contract, 3.3). A source that is absent, null or empty is not set. */
export interface GuardSources {
  readonly target: string;
  /** The target's own `-p`, `preflight_pattern` or rule made in the editor. */
  readonly own: string | null | undefined;
  /** The gateway's `-p`. */
  readonly gateway: string | null | undefined;
  /** The `FIBER_*` keys of the entry's own environment. */
  readonly entryEnv: Environment;
  /** The environment the process was started with. */
  readonly processEnv: Environment;
  /** The rule proposed to a target that has none holds: a click for every tool not marked read-only. */
  readonly proposed?: boolean;
}

/**
 * The one rule that guards a target: that of the first source that is set, in the order of the contract, 3.3; later ones are ignored even where it
 * never matches. A rule whose pattern cannot be used closes its target. Within rank 2 the order is: the entry's `FIBER_PREFLIGHT_<TARGET>`, the
 * process's, the entry's `FIBER_PREFLIGHT_PATTERN`; an entry's own `FIBER_HITL_ON` counts just before the process's.
 */
export function resolveGuard(sources: GuardSources): Guarding {
  for (const { source, value, switched } of candidates(sources)) {
    if (value === undefined || value === '') continue;
    const { pattern, mode: asked } = splitPrefix(value);
    const mode = asked ?? modeOf(sources);
    if (switched) {
      const word = pattern.trim().toLowerCase();
      if (OFF.has(word)) continue;
      if (ON.has(word)) return { kind: 'rule', pattern: '.*', mode, source, everyCall: true };
    }
    const compiled = compilePattern(pattern);
    if (!compiled.ok) return { kind: 'closed', source, fault: compiled.at ?? 'it is not a pattern' };
    return { kind: 'rule', pattern, mode, source };
  }
  return sources.proposed === true ? { kind: 'rule', pattern: NOT_READ_ONLY, mode: 'button', source: 'proposed', everyCall: true, exceptReadOnly: true } : { kind: 'none' };
}

/** Stands in the place of a pattern, in words a client and a human are told. */
const NOT_READ_ONLY = 'not marked read-only';

const ON: ReadonlySet<string> = new Set(['1', 'true', 'on']);
const OFF: ReadonlySet<string> = new Set(['0', 'false', 'off']);

interface Candidate {
  readonly source: string;
  readonly value: string | null | undefined;
  /** May be a switch instead of a pattern. */
  readonly switched?: true;
}

function candidates({ target, own, gateway, entryEnv, processEnv }: GuardSources): readonly (Candidate & { readonly value: string | undefined })[] {
  const scoped = `FIBER_PREFLIGHT_${environmentName(target)}`;
  const list: readonly Candidate[] = [
    { source: 'preflight_pattern', value: own },
    { source: 'flag', value: gateway },
    { source: scoped, value: entryEnv[scoped] },
    { source: scoped, value: processEnv[scoped] },
    { source: 'FIBER_PREFLIGHT_PATTERN', value: entryEnv['FIBER_PREFLIGHT_PATTERN'] },
    { source: 'FIBER_PREFLIGHT_PATTERN', value: processEnv['FIBER_PREFLIGHT_PATTERN'] },
    { source: 'FIBER_HITL_ON', value: entryEnv['FIBER_HITL_ON'], switched: true },
    { source: 'FIBER_HITL_ON', value: processEnv['FIBER_HITL_ON'], switched: true },
  ];
  return list.map((candidate) => ({ ...candidate, value: candidate.value ?? undefined }));
}

const PREFIX = /^\s*(button|simple|nototp|1click|totp)\s*:\s*/i;

/**
 * Takes the mode's prefix off a rule. Case and blanks around it do not count: a rule written `Button: DROP` would otherwise never match anything.
 * `totp:` is understood too, for the same reason.
 */
function splitPrefix(rule: string): { readonly pattern: string; readonly mode: Attestation | undefined } {
  const prefix = PREFIX.exec(rule);
  if (prefix === null) return { pattern: rule, mode: undefined };
  return { pattern: rule.slice(prefix[0].length), mode: attestationOf(prefix[1] ?? '') };
}

/** The mode where the rule names none: the first of these that is set, and TOTP when that is no mode we know, or none is set. */
function modeOf({ target, entryEnv, processEnv }: GuardSources): Attestation {
  const scoped = `FIBER_PREFLIGHT_MODE_${environmentName(target)}`;
  const general = 'FIBER_PREFLIGHT_MODE';
  const set = [entryEnv[scoped], processEnv[scoped], entryEnv[general], processEnv[general]].find((value) => value !== undefined && value !== '');
  return attestationOf(set ?? '');
}

const CLICKS: ReadonlySet<string> = new Set(['button', 'simple', 'nototp', '1click']);
const attestationOf = (word: string): Attestation => (CLICKS.has(word.trim().toLowerCase()) ? 'button' : 'totp');
