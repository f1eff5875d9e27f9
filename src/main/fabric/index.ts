/** Equinix Fabric v4 over HTTP: one fixed origin, each request once, no redirects, and for each an answer to whether anything was sent. */
export { createFabric } from './create-fabric.ts';
export type { FabricDeps } from './create-fabric.ts';
export { fabricOrigin, PRODUCTION, SANDBOX } from './endpoint.ts';
export type { Credentials } from './oauth.ts';
export { defaultFabricLimits } from './limits.ts';
export type { FabricLimits } from './limits.ts';
