import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { isoTime } from '../../shared/vocabulary/time.ts';
import { byKey } from './admission.ts';
import { exactName } from './exact-name.ts';
import { DIGEST_META } from './resolve.ts';
import type { Revision } from './resource.ts';

/**
 * The tools a client is told of: the serving revision of each tool under its plain name; with `aliases`, every active revision under its exact name as
 * well. Exact names are callable either way.
 */
export function listTools(revisions: readonly Revision[], { aliases }: { readonly aliases: boolean }): readonly JsonObject[] {
  const active = revisions.filter(({ isActive }) => isActive).sort(byKey);
  const plain = active.filter(({ isServing }) => isServing).map((revision) => face(revision.resource.metadata.name, revision));
  return aliases ? [...plain, ...active.map((revision) => face(exactName(revision.resource.metadata.name, revision.resource.metadata.version), revision))] : plain;
}

function face(name: string, { resource, digest, isServing }: Revision): JsonObject {
  const { inputSchema, outputSchema, annotations, security } = resource.spec;
  return structuredClone({
    name,
    description: resource.metadata.description,
    inputSchema,
    // MCP takes only object schemas for results; another one is checked here and not told.
    ...(outputSchema?.['type'] === 'object' ? { outputSchema } : {}),
    annotations,
    _meta: {
      [DIGEST_META]: digest,
      'toolplane.resourceVersion': resource.metadata.version,
      'toolplane.serving': isServing,
      ...(security.allowedRoles.length > 0 ? { 'io.erpbridge/allowedRoles': security.allowedRoles } : {}),
    },
  });
}

/** A revision as the control plane tells it: the resource with its two states, its digest and its admission record (document 002, admission binding). */
export function told({ resource, digest, admission, isActive, isServing }: Revision): JsonObject {
  const { approvedAt, ...record } = admission;
  const metadata = { ...resource.metadata, isActive, isServing, resourceDigest: digest, admission: { ...record, approvedAt: isoTime(approvedAt) } };
  return structuredClone({ ...resource, metadata } as unknown as JsonValue) as JsonObject;
}
