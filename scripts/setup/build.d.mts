export const ENTRIES: { headless: string; cli: string };
export function ensureBuilt(): Promise<void>;
