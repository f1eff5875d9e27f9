import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { StoreUnavailable } from '../audit/index.ts';
import type { AuditEvent } from '../audit/index.ts';
import { canonicalText } from '../canonical/index.ts';
import { CANONICALIZATION, digestOf } from '../registry/index.ts';
import type { Revision, ToolResource } from '../registry/index.ts';
import type { RevisionStore } from '../registry/ports.ts';
import type { Connection } from './connection.ts';

interface Row {
  readonly resource: Uint8Array;
  readonly digest: string;
  readonly actor: string;
  readonly approvedAt: number;
  readonly canonicalization: string;
  readonly isActive: number;
  readonly isServing: number;
}

/** The table of `toolSchema`. A revision whose content no longer has its digest is a failed read: it is never served. */
export function createToolStore({ connection, record }: { readonly connection: Connection; readonly record: (event: AuditEvent) => void }): RevisionStore {
  const all = connection.prepare<Row>(
    'SELECT resource, digest, actor, approved_at AS approvedAt, canonicalization, is_active AS isActive, is_serving AS isServing FROM tool_revisions WHERE digest IS NOT NULL ORDER BY name, version',
  );
  const legacy = connection.prepare<{ readonly resource: Uint8Array }>('SELECT resource FROM tool_revisions WHERE digest IS NULL ORDER BY name, version');
  const put = connection.prepare(
    `INSERT INTO tool_revisions (name, version, resource, digest, actor, approved_at, canonicalization, is_active, is_serving) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name, version) DO UPDATE SET resource = excluded.resource, digest = excluded.digest, actor = excluded.actor, approved_at = excluded.approved_at,
       canonicalization = excluded.canonicalization, is_active = excluded.is_active, is_serving = excluded.is_serving`,
  );
  const remove = connection.prepare('DELETE FROM tool_revisions WHERE name = ? AND version = ?');

  return {
    all: () => all.all().map(revisionOf),
    // What is no JSON is a resource that cannot be read, like any other of that time: it may not stand in the way of what was admitted.
    legacy: () => legacy.all().map(({ resource }) => parsed(resource) ?? null),
    write({ put: revisions, remove: removed = [] }, event) {
      connection.transaction(() => {
        for (const { name, version } of removed) remove.run(name, version);
        // Who gives the pointer up goes first: never do two revisions serve, not even inside.
        for (const { resource, digest, admission, isActive, isServing } of [...revisions].sort((a, b) => Number(a.isServing) - Number(b.isServing))) {
          const { name, version } = resource.metadata;
          const text = Buffer.from(canonicalText(resource as unknown as JsonValue), 'utf8');
          put.run(name, version, text, digest, admission.actor, admission.approvedAt, admission.canonicalization, Number(isActive), Number(isServing));
        }
        record(event);
      });
    },
  };
}

function parsed(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

function revisionOf({ resource: bytes, digest, actor, approvedAt, canonicalization, isActive, isServing }: Row): Revision {
  const resource = parsed(bytes) as unknown as ToolResource | undefined;
  if (resource === undefined) throw new StoreUnavailable('a stored tool is no JSON');
  if (canonicalization !== CANONICALIZATION || digestOf(resource) !== digest) throw new StoreUnavailable('a stored tool does not have its digest');
  return { resource, digest, admission: { actor, approvedAt, decision: 'approved', canonicalization }, isActive: isActive === 1, isServing: isServing === 1 };
}
