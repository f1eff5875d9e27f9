import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { digestOf } from './digest.ts';
import { readResource } from './read-resource.ts';
import type { Fault } from './read-resource.ts';
import { CANONICALIZATION, isKey } from './resource.ts';
import type { Revision } from './resource.ts';
import { latest, parseVersion } from './version.ts';

export const LEGACY_ACTOR = 'legacy-migration';

export interface Migration {
  readonly put: readonly Revision[];
  /** Resources that could not be read, by their place in the list: they stay as they are and are not served. */
  readonly unreadable: readonly { readonly index: number; readonly faults: readonly Fault[] }[];
}

/**
 * Admits resources of a time before admission (document 002, migration behaviour): binds their origins, computes their digests and names
 * `legacy-migration` as the actor. A tool of which nothing was admitted yet and no version is flagged as serving serves its latest stable active
 * version, else its latest prerelease. A tool that has admitted revisions gets no such fallback: its pointer is what its people left. What was
 * admitted under the same name and version is never replaced.
 */
export function migrationStep(legacy: readonly JsonValue[], existing: readonly Revision[], options: { readonly erpBaseUrl: string | undefined; readonly at: number }): Migration {
  const put: Revision[] = [];
  const unreadable: { index: number; faults: readonly Fault[] }[] = [];
  const admission = { actor: LEGACY_ACTOR, approvedAt: options.at, decision: 'approved', canonicalization: CANONICALIZATION } as const;
  for (const [index, value] of legacy.entries()) {
    const read = readResource(value, options.erpBaseUrl);
    if (!read.ok) unreadable.push({ index, faults: read.faults });
    else if (![...existing, ...put].some((one) => isKey(one, read.resource.metadata))) {
      const isActive = read.asksActive !== false;
      put.push({ resource: read.resource, digest: digestOf(read.resource), admission, isActive, isServing: isActive && read.asksServing });
    }
  }
  return { put: withPointers(put, existing), unreadable };
}

function withPointers(migrated: readonly Revision[], existing: readonly Revision[]): readonly Revision[] {
  const serving = new Map<string, string | undefined>();
  for (const name of new Set(migrated.map(({ resource }) => resource.metadata.name))) {
    const versions = migrated.filter(({ resource }) => resource.metadata.name === name);
    const flagged = versions.filter(({ isServing }) => isServing);
    const candidates = existing.some(({ resource }) => resource.metadata.name === name) ? [] : flagged.length > 0 ? flagged : versions.filter(({ isActive }) => isActive);
    serving.set(name, latest(candidates.flatMap(({ resource }) => parseVersion(resource.metadata.version) ?? []))?.text);
  }
  return migrated.map((one) => ({ ...one, isServing: serving.get(one.resource.metadata.name) === one.resource.metadata.version }));
}
