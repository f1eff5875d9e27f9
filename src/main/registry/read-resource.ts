import { schemaFaults } from '../../shared/schema-faults.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, cappedPathText, NotCanonical } from '../canonical/index.ts';
import { exactName } from './exact-name.ts';
import { compileSchema } from './json-schema.ts';
import { effectiveUrl, normaliseOrigin } from './origin.ts';
import { fillEndpoint, planFaults } from './request-plan.ts';
import { writtenResource } from './resource-schema.ts';
import type { WrittenResource } from './resource-schema.ts';
import type { ToolResource } from './resource.ts';

/** What is wrong with a resource, and where. Sentences are ours; they hold no values of the resource. */
export interface Fault {
  /** A path such as `spec.execution.endpoint`. */
  readonly at: string;
  /** What follows the path in a sentence. */
  readonly says: string;
}

/** A resource read: what is hashed, and the two states its sender asked for. */
export interface ReadResource {
  readonly resource: ToolResource;
  readonly asksActive: boolean | undefined;
  readonly asksServing: boolean;
}

export type Reading = ({ readonly ok: true } & ReadResource) | { readonly ok: false; readonly faults: readonly Fault[] };

/**
 * Reads a resource as written (contract 5; document 002, admission binding): refuses unknown fields with their path, fills every default, normalises
 * origins and roles, and binds the origin when none is named, so that equal meaning gives equal digests. `value` comes from the strict JSON reader.
 */
export function readResource(value: JsonValue, erpBaseUrl: string | undefined): Reading {
  const parsed = writtenResource.safeParse(value);
  if (!parsed.success) return { ok: false, faults: schemaFaults(parsed.error.issues, value, { unknownField: () => 'is no field of a tool resource' }).map(({ path, says }) => ({ at: cappedPathText(path), says })) };
  const written = parsed.data;
  const faults = faultsBeyondShape(written, erpBaseUrl);
  if (faults.length > 0) return { ok: false, faults };
  const resource = filled(written, erpBaseUrl);
  try {
    canonicalText(resource as unknown as JsonValue);
  } catch (fault) {
    if (!(fault instanceof NotCanonical)) throw fault;
    return { ok: false, faults: [{ at: cappedPathText(fault.path), says: 'is no Unicode text' }] };
  }
  return { ok: true, resource, asksActive: written.metadata.isActive, asksServing: written.metadata.isServing === true };
}

/** Texts that look like the secret itself, in a place that is shown, hashed and logged. */
const INLINE_SECRET = /(?:token|bearer|basic)(?:\s|\+|%20)|[?&](?:pwd|sig|[^=&]*(?:key(?!word)|token|secret|passw|auth(?!or(?!i))|signature|credential)[^=&]*)=[^&]/i;

function faultsBeyondShape({ metadata, spec }: WrittenResource, erpBaseUrl: string | undefined): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (at: string, says: string): void => void faults.push({ at, says });
  const { execution, security = {} } = spec;
  if (exactName(metadata.name, metadata.version).length > 128) fault('metadata.version', 'makes an exact name of more than 128 characters');

  const inputSchema: JsonObject = spec.inputSchema;
  if (inputSchema['type'] !== 'object') fault('spec.inputSchema.type', 'must be object');
  if (compileSchema(inputSchema) === undefined) fault('spec.inputSchema', 'is no usable JSON Schema 2020-12');
  if (spec.outputSchema !== undefined && compileSchema(spec.outputSchema) === undefined) fault('spec.outputSchema', 'is no usable JSON Schema 2020-12');

  if (INLINE_SECRET.test(execution.endpoint)) fault('spec.execution.endpoint', 'holds what looks like a secret: name it by credentialRef');
  const [path = '', query = ''] = execution.endpoint.split(/\?(.*)/s);
  if (/[{}]/.test(fillEndpoint(path, () => 'x')) || /[{}]/.test(query)) fault('spec.execution.endpoint', 'takes {placeholders} in its path only');
  else if (effectiveUrl(fillEndpoint(execution.endpoint, () => 'x'), erpBaseUrl) === undefined) fault('spec.execution.endpoint', 'must be a path or a plain http(s) URL: no user name, blanks, backslashes, fragments or dot segments');
  else if (execution.endpoint !== fillEndpoint(execution.endpoint, (name) => `{${name}}`) || /^[^/]*\/\/[^/]*\{/.test(execution.endpoint)) fault('spec.execution.endpoint', 'takes {placeholders} in its path only');
  for (const [at, says] of planFaults({ ...planOf(spec), authHeader: security.authHeader }, inputSchema)) fault(`spec.execution.${at}`, says);

  const named = [security.authType, security.credentialRef, security.credentialSource].filter((part) => part !== undefined).length;
  if (named !== 0 && named !== 3) fault('spec.security', 'needs authType, credentialRef and credentialSource together');
  if (named === 0 && security.authHeader !== undefined) fault('spec.security.authHeader', 'is nothing without authType');
  const roles = security.allowedRoles ?? [];
  if ((security.dataClass === 'pii' || security.dataClass === 'restricted') && roles.length === 0) fault('spec.security.allowedRoles', 'is required for data of this class');
  if (new Set(roles).size !== roles.length) fault('spec.security.allowedRoles', 'names a role twice');
  if (roles.length > 0 && isJsonObject(inputSchema['properties']) && Object.hasOwn(inputSchema['properties'], 'role')) fault('spec.inputSchema.properties.role', 'is reserved in a tool with roles');
  if (spec.cache?.enabled === true && execution.method !== 'GET') fault('spec.cache.enabled', 'can be true for a GET only');
  return faults;
}

const planOf = ({ execution }: WrittenResource['spec']) => ({
  method: execution.method,
  endpoint: execution.endpoint,
  parameterLocations: execution.parameterLocations ?? {},
  mapping: execution.mapping ?? {},
  bodyArgument: execution.bodyArgument ?? null,
});

function filled({ apiVersion, kind, metadata, spec }: WrittenResource, erpBaseUrl: string | undefined): ToolResource {
  const { execution, security = {}, cache, routing, lifecycle } = spec;
  const origins = execution.approvedOrigins?.map((origin) => normaliseOrigin(origin) ?? '') ?? [effectiveUrl(fillEndpoint(execution.endpoint, () => 'x'), erpBaseUrl)?.origin ?? ''];
  // The text form drops members that are undefined, and makes the result the registry's own, down to the last schema.
  return JSON.parse(JSON.stringify({
    apiVersion,
    kind,
    metadata: { name: metadata.name, version: metadata.version, module: metadata.module ?? '', description: metadata.description },
    spec: {
      inputSchema: spec.inputSchema,
      outputSchema: spec.outputSchema,
      annotations: spec.annotations ?? {},
      execution: { type: execution.type, ...planOf(spec), approvedOrigins: [...new Set(origins)].sort(), responsePath: execution.responsePath ?? null },
      security: {
        ...security,
        authHeader: security.authType === undefined ? undefined : (security.authHeader ?? 'Authorization'),
        dataClass: security.dataClass ?? 'internal',
        allowedRoles: [...(security.allowedRoles ?? [])].sort(),
      },
      cache: { enabled: cache?.enabled ?? false, ttlSeconds: cache?.ttlSeconds ?? 0, flushOn: cache?.flushOn ?? [] },
      rateLimit: spec.rateLimit ?? null,
      concurrency: spec.concurrency ?? null,
      routing: { priority: routing?.priority ?? 0, signals: routing?.signals ?? [], antiSignals: routing?.antiSignals ?? [] },
      lifecycle: { ...lifecycle, status: lifecycle?.status ?? 'active' },
    },
  })) as ToolResource;
}
