/**
 * The registry room: declarative HTTP tools under a name, a version and a digest (document 002). It promises that what is called is exactly what was
 * admitted, that one copy of a revision governs one call from its arguments to its result, that nothing is entered past a withdrawal, and that a call
 * leaves only for an approved origin.
 */
export { createRegistry } from './create-registry.ts';
export { createToolCalls } from './create-tool-calls.ts';
export type { Principal, ToolCalls, ToolCallsDeps } from './create-tool-calls.ts';
export { readHttpRequest } from './http-request.ts';
export type { HttpRequest } from './http-request.ts';
export type { FaultKind, ToolOutcome } from './tool-answer.ts';
export type { AdmitOutcome, Registry, RegistryDeps } from './create-registry.ts';
export type { Boundary } from './boundary.ts';
export { digestOf } from './digest.ts';
export { exactName, readVersionedName } from './exact-name.ts';
export { told } from './listing.ts';
export { latest, parseVersion } from './version.ts';
export { DEFAULT_ERP_BASE_URL, effectiveUrl, isBaseUrl, normaliseOrigin } from './origin.ts';
export { readResource } from './read-resource.ts';
export type { Fault, Reading, ReadResource } from './read-resource.ts';
export { RECONCILE_EVERY_MS } from './reconciliation.ts';
export type { ReconciliationStatus } from './reconciliation.ts';
export { DIGEST_META } from './resolve.ts';
export { CANONICALIZATION, keyOf } from './resource.ts';
export type { Admission, Revision, RevisionKey, ToolResource } from './resource.ts';
