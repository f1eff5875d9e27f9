/** The connector: what speaks HTTP for declarative tools, and the target their calls come to. It sends what the registry room made, to where that room allowed, once; and it decides nothing. */
export { createCredentials } from './credentials.ts';
export { createHttpConnector } from './http-connector.ts';
export type { ConnectorOptions } from './http-connector.ts';
export { createToolTarget, REGISTRY } from './tool-target.ts';
export type { ToolTarget, ToolTargetDeps } from './tool-target.ts';
