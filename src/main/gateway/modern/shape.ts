import type { Shape } from '../mcp/told.ts';

/** Results that say how long they may be kept (MCP 2026-07-28, caching). */
const CACHEABLE: ReadonlySet<string> = new Set(['server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']);

/**
 * Adds what every result of the stateless revision carries: its kind, and for some how long it may be kept. What the target said of that stays;
 * nothing is said to be fresh that the target did not say so of, and nothing to be public.
 */
export const statelessShape: Shape = (method, result) => {
  const kind = typeof result['resultType'] === 'string' ? result['resultType'] : 'complete';
  const cache = CACHEABLE.has(method) && kind === 'complete' ? { ttlMs: wholeMs(result['ttlMs']), cacheScope: 'private' } : {};
  return { ...result, resultType: kind, ...cache };
};

const wholeMs = (value: unknown): number => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0);

/** Errors that are told by the HTTP status too, as long as no stream was opened; every other answer is a 200. */
const STATUS: Readonly<Record<number, number>> = { [-32601]: 404, [-32020]: 400, [-32021]: 400, [-32022]: 400 };
const IS_ERROR = /^\{"jsonrpc":"2\.0","id":(?:"(?:[^"\\]|\\.)*"|[-\d.eE+]+|null),"error":/;

export function statelessStatus(text: string): number {
  if (!IS_ERROR.test(text)) return 200;
  const { error } = JSON.parse(text) as { readonly error: { readonly code: number } };
  return STATUS[error.code] ?? 200;
}
