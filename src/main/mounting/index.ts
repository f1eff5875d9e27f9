/**
 * The mounting room: what an entry of an `.mcp.json` file means. It promises that an entry becomes a whole target or a refusal that names its
 * place, that no `FIBER_*` key is ever left in an environment a child could get, and that a file which does not parse mounts nothing.
 */
export type { TargetSpec } from './target-spec.ts';
