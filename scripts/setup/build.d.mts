export const ENTRIES: { headless: string; cli: string };
export function ensureBuilt(): Promise<void>;
export const GATEWAY_NODE_FLAGS: readonly string[];
