import { ok, refused, type Result } from '../../shared/result.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { leadsToUs, readConfig, specFromEntry, type ReadConfig, type ReadEntry, type TargetSpec, type Variables } from '../mounting/index.ts';

export interface EntriesDeps {
  /** The environment Countersign was started with; entries may read variables of it, and the window names those. */
  readonly environment: () => Variables;
  /** What stands beneath it for the names editors have for places of this machine; nothing the window would name. */
  readonly machine: Variables;
  /** The port we listen on, so that no entry points back at us. */
  readonly ownPort: () => number | undefined;
}

/** Reads what the control routes are given into targets. `reads` of an entry names only variables of our own environment. */
export interface Entries {
  read(id: TargetId, entry: unknown): Result<ReadEntry>;
  readFile(text: string, variables: Readonly<Record<string, string>>): Result<ReadConfig>;
}

export function createEntries({ environment, machine, ownPort }: EntriesDeps): Entries {
  /** What is read of one entry: the guard's keys of its environment, and of the variables those of ours, unless they were brought along. */
  function narrowed({ spec, reads, ...rest }: ReadEntry, brought: Variables): ReadEntry {
    const own = environment();
    return { ...rest, spec: withGuardKeysOnly(spec), reads: reads.filter((name) => Object.hasOwn(own, name) && !Object.hasOwn(brought, name)) };
  }

  return {
    read(id, entry) {
      const read = specFromEntry(id, entry, { ...machine, ...environment() });
      if (!read.ok) return read;
      const port = ownPort();
      const own = port === undefined ? undefined : leadsToUs(read.value.spec.reach, port);
      return own !== undefined ? refused('own-endpoint', own) : ok(narrowed(read.value, {}));
    },
    readFile(text, variables) {
      const port = ownPort();
      const file = readConfig(text, { variables: { ...machine, ...environment(), ...variables }, ...(port !== undefined && { port }) });
      if (!file.ok) return file;
      const entries = file.value.entries.map((entry) => (entry.read.ok ? { ...entry, read: ok(narrowed(entry.read.value, variables)) } : entry));
      return ok({ entries, warnings: file.value.warnings });
    },
  };
}

const GUARD_KEY = /^FIBER_(PREFLIGHT_|HITL_ON$)/;

/** What steers the guard is shown and kept in clear; any other key of that family has no use here and might hold a secret. */
function withGuardKeysOnly(spec: TargetSpec): TargetSpec {
  return { ...spec, guardEnv: Object.fromEntries(Object.entries(spec.guardEnv).filter(([name]) => GUARD_KEY.test(name))) };
}
