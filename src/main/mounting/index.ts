/**
 * The mounting room: what an entry of an `.mcp.json` file means. It promises that an entry becomes a whole target or a refusal that names its
 * place, that no `FIBER_*` key is ever left in an environment a child could get, and that a file which does not parse mounts nothing.
 */
export type { TargetSpec } from './target-spec.ts';
export { specFromEntry } from './entry.ts';
export type { ReadEntry } from './entry.ts';
export { namedVariables, readConfig, readSettings } from './config-file.ts';
export type { MountedEntry, ReadConfig, ReadConfigOptions } from './config-file.ts';
export { splitCommand } from './command-line.ts';
export { idFromName } from './target-name.ts';
export { isOwnEndpoint, leadsToUs } from './own-endpoint.ts';
export { isPackageRunner } from './runners.ts';
export { literal, machineNames } from './variables.ts';
export type { Variables } from './variables.ts';
