import { ok, refused, type Result } from '../../shared/result.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { leadsToUs, readConfig, specFromEntry, type ReadConfig, type ReadEntry, type Variables } from '../mounting/index.ts';

export interface EntriesDeps {
  /** The environment Countersign was started with; entries may read variables of it, and the window names those. */
  readonly environment: () => Variables;
  /** The port we listen on, so that no entry points back at us. */
  readonly ownPort: () => number | undefined;
}

/** Reads what the control routes are given into targets. `reads` of an entry names only variables of our own environment. */
export interface Entries {
  read(id: TargetId, entry: unknown): Result<ReadEntry>;
  readFile(text: string, variables: Readonly<Record<string, string>>): Result<ReadConfig>;
}

export function createEntries({ environment, ownPort }: EntriesDeps): Entries {
  return {
    read(id, entry) {
      const read = specFromEntry(id, entry, environment());
      if (!read.ok) return read;
      const port = ownPort();
      const own = port === undefined ? undefined : leadsToUs(read.value.spec.reach, port);
      return own !== undefined ? refused('own-endpoint', own) : ok(withGuardKeysOnly(read.value));
    },
    readFile(text, variables) {
      const port = ownPort();
      const file = readConfig(text, { variables: { ...environment(), ...variables }, ...(port !== undefined && { port }) });
      if (!file.ok) return file;
      const entries = file.value.entries.map((entry) => {
        if (!entry.read.ok) return entry;
        const { reads, ...rest } = entry.read.value;
        return { ...entry, read: ok(withGuardKeysOnly({ ...rest, reads: reads.filter((name) => !Object.hasOwn(variables, name)) })) };
      });
      return ok({ entries, warnings: file.value.warnings });
    },
  };
}

const GUARD_KEY = /^FIBER_(PREFLIGHT_|HITL_ON$)/;

/** What steers the guard is shown and kept in clear; any other key of that family has no use here and might hold a secret. */
function withGuardKeysOnly(read: ReadEntry): ReadEntry {
  const guardEnv = Object.fromEntries(Object.entries(read.spec.guardEnv).filter(([name]) => GUARD_KEY.test(name)));
  return { ...read, spec: { ...read.spec, guardEnv } };
}
