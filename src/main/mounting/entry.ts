import { environmentName, isTargetId } from '../../shared/vocabulary/ids.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { choiceField, secondsField, wrong } from './entry-fields.ts';
import { readReach } from './reach.ts';
import { isPackageRunner } from './runners.ts';
import type { TargetSpec } from './target-spec.ts';
import { createExpansion } from './variables.ts';
import type { Variables } from './variables.ts';

/** An entry that was read. */
export interface ReadEntry {
  readonly spec: TargetSpec;
  /** One sentence each: members that are not known or not used. */
  readonly warnings: readonly string[];
  /** The variables that were put into it, by name. */
  readonly reads: readonly string[];
}

const DAY_S = 86_400;
const EXPIRES = { least: 1, most: DAY_S, otherwise: 600 };
const LINGERS = { least: 0, most: DAY_S, otherwise: 60 };

const KNOWN: ReadonlySet<string> = new Set([
  'type', 'command', 'args', 'env', 'cwd', 'url', 'serverUrl', 'headers', 'mode', 'preflight_pattern', 'guard', 'admission', 'expires_after_s', 'elicitations', 'linger_s', 'disabled', 'enabled',
]);

/**
 * Reads one value of `mcpServers` (contract, 3.3) into a whole target: defaults filled in, variables put in, the guard's keys taken out of its
 * environment. Refused with `invalid-target-id`, or with `invalid-entry` and the member it is about. Whether the pattern can be used, and whether
 * the URL is our own, is for others to judge.
 */
export function specFromEntry(id: string, entry: unknown, variables: Variables): Result<ReadEntry> {
  if (!isTargetId(id)) return refused('invalid-target-id');
  if (!isJsonObject(entry)) return refused('invalid-entry', 'an entry must be an object');
  const expansion = createExpansion(variables);
  const reached = readReach(entry, expansion);
  if (!reached.ok) return reached;
  const { reach, guardEnv, warnings } = reached.value;

  const mode = readMode(entry['mode'], reach);
  if (!mode.ok) return mode;
  const pattern = entry['preflight_pattern'] ?? null;
  if (pattern !== null && typeof pattern !== 'string') return wrong('preflight_pattern', 'must be a string');
  const expiresAfterS = secondsField(entry['expires_after_s'], 'expires_after_s', EXPIRES);
  if (!expiresAfterS.ok) return expiresAfterS;
  const lingerS = secondsField(entry['linger_s'], 'linger_s', LINGERS);
  if (!lingerS.ok) return lingerS;
  const elicitations = choiceField(entry['elicitations'], 'elicitations', ['window', 'client'] as const);
  if (!elicitations.ok) return elicitations;
  const unruled = choiceField(entry['guard'], 'guard', ['none', 'not-read-only'] as const);
  if (!unruled.ok) return unruled;
  const admission = choiceField(entry['admission'], 'admission', ['first-seen', 'ask'] as const);
  if (!admission.ok) return admission;

  const spec: TargetSpec = {
    id,
    reach,
    mode: mode.value,
    guardEnv,
    // Empty counts as unset (contract, 3.3).
    pattern: pattern === '' ? null : pattern,
    ...(unruled.value !== undefined && { unruled: unruled.value }),
    ...(admission.value === 'ask' && { admission: admission.value }),
    expiresAfterS: expiresAfterS.value,
    lingerS: lingerS.value,
    elicitations: elicitations.value ?? 'window',
  };
  const unknown = Object.keys(entry).filter((key) => !KNOWN.has(key)).map((key) => `${key} is not known and was not used.`);
  return ok({ spec, warnings: [...warnings, ...unknown, ...idleGuards(id, guardEnv)], reads: expansion.reads() });
}

/** A guard that an entry brings for a target of another name guards nothing. Whoever wrote it thinks otherwise. */
function idleGuards(id: string, guardEnv: TargetSpec['guardEnv']): readonly string[] {
  const ours = ['PATTERN', 'MODE', environmentName(id), `MODE_${environmentName(id)}`].map((name) => `FIBER_PREFLIGHT_${name}`);
  const idle = Object.keys(guardEnv).filter((key) => key.startsWith('FIBER_PREFLIGHT_') && !ours.includes(key));
  return idle.map((key) => `env.${key} guards nothing: the name of this target's own is FIBER_PREFLIGHT_${environmentName(id)}.`);
}

/** Whether the file itself says that an entry is switched off. */
export const isSwitchedOff = (entry: unknown): boolean => isJsonObject(entry) && (entry['disabled'] === true || entry['enabled'] === false);

function readMode(value: unknown, reach: TargetSpec['reach']): Result<TargetSpec['mode']> {
  const mode = choiceField(value, 'mode', ['ephemeral', 'linear', 'multiplex'] as const);
  if (!mode.ok) return mode;
  if (reach.transport !== 'stdio') return mode.value === undefined || mode.value === 'multiplex' ? ok('multiplex') : wrong('mode', 'must be multiplex for a URL');
  if (mode.value === 'multiplex') return wrong('mode', 'must be ephemeral or linear for a command');
  return ok(mode.value ?? (isPackageRunner(reach.command, reach.args) ? 'ephemeral' : 'linear'));
}
