import { readFileSync } from 'node:fs';
import type { AuditEvent } from '../audit/index.ts';
import { StoreUnavailable } from '../audit/index.ts';
import { readEnvText } from '../cli/env-file.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../storage/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const WRONG_ENDPOINT = 'EQUINIX_API_ENDPOINT must be an https origin, or http on this machine, without a path; EQUINIX_SANDBOX must be true or false.';

const OURS = /^EQUINIX_/;

/**
 * The settings of the broker: the environment, and beneath it the file that `EQUINIX_ENV_FILE` names (dotenv rules; only its `EQUINIX_*` variables
 * count). A variable that is set and not empty wins over the file's. A file that cannot be read is a sentence: going on without it might mean the
 * production host where the sandbox was meant.
 */
export function withEnvFile(env: Environment): { readonly ok: true; readonly env: Environment } | { readonly ok: false; readonly sentence: string } {
  const file = env['EQUINIX_ENV_FILE'] ?? '';
  if (file === '') return { ok: true, env };
  try {
    return { ok: true, env: layered(env, onlyOurs(readEnvText(readFileSync(file, 'utf8')))) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    if (code === undefined) throw error;
    return { ok: false, sentence: `EQUINIX_ENV_FILE names ${file}, which cannot be read (${code}).` };
  }
}

/** The first layer in which a name is set and not empty wins. */
export function layered(...layers: readonly Environment[]): Environment {
  const merged: Record<string, string | undefined> = {};
  for (const layer of layers) for (const [name, value] of Object.entries(layer)) if ((merged[name] ?? '') === '') merged[name] = value;
  return merged;
}

const onlyOurs = (variables: Readonly<Record<string, string>>): Environment => Object.fromEntries(Object.entries(variables).filter(([name]) => OURS.test(name)));

export interface KeptSettings {
  /** What is kept, by name; undefined while what sealed it is not there. */
  read(): Readonly<Record<string, string>> | undefined;
  /** Commits, the event with it. Throws `StoreUnavailable`. */
  replace(values: Readonly<Record<string, string>>, event: AuditEvent): void;
}

const KEY = 'fabric';

/** The settings that the app itself keeps for the broker, sealed at rest. */
export function createKeptSettings(sealed: Store['sealed'], log: Log): KeptSettings {
  let known: Readonly<Record<string, string>> | undefined;
  let told = false;
  return {
    read() {
      if (known !== undefined) return known;
      try {
        known = JSON.parse(sealed.get(KEY) ?? '{}') as Record<string, string>;
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        if (!told) log.warn('broker.settings-sealed', {}, error);
        told = true;
      }
      return known;
    },
    replace(values, event) {
      if (Object.keys(values).length === 0) sealed.remove(KEY, event);
      else sealed.set(KEY, JSON.stringify(values), event);
      known = values;
    },
  };
}
