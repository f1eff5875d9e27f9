/** The connector: what speaks HTTP for declarative tools. It sends what the registry room made, to where that room allowed, once; and it decides nothing. */
export { createCredentials } from './credentials.ts';
export { createHttpConnector } from './http-connector.ts';
export type { ConnectorOptions } from './http-connector.ts';
