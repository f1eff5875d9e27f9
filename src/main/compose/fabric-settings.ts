import { readFileSync } from 'node:fs';
import { readEnvText } from '../cli/env-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

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
