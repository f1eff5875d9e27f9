import type { IncomingMessage } from 'node:http';

/**
 * The headers the doors judge by, each given at most once. One that came twice is named in `twice`: two readers might each take another of them,
 * so it is never used.
 */
export interface Head {
  readonly method: string;
  /** The request target up to `?`, as it came: nothing is decoded or normalised before the route is known. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Partial<Record<GuardedHeader, string>>>;
  readonly twice: readonly GuardedHeader[];
}

const GUARDED = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-type', 'content-encoding', 'content-length', 'transfer-encoding', 'accept', 'x-idempotency-key', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
export type GuardedHeader = (typeof GUARDED)[number];

/** By length first, because most headers of a request are none of these. */
const BY_LENGTH = new Map<number, readonly GuardedHeader[]>();
for (const name of GUARDED) BY_LENGTH.set(name.length, [...(BY_LENGTH.get(name.length) ?? []), name]);

/** `accept` may be sent in several lines, which mean one list (RFC 9110, 12.5.1). */
const LISTS: ReadonlySet<GuardedHeader> = new Set(['accept']);

/** Reads the head of a request from its raw header lines: Node's own view joins or drops repeated ones. */
export function readHead({ method = '', url = '', rawHeaders }: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>): Head {
  const headers: Partial<Record<GuardedHeader, string>> = {};
  const twice: GuardedHeader[] = [];
  for (let line = 0; line + 1 < rawHeaders.length; line += 2) {
    const name = guarded(rawHeaders[line] ?? '');
    if (name === undefined) continue;
    const value = (rawHeaders[line + 1] ?? '').trim();
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (LISTS.has(name)) headers[name] = `${before}, ${value}`;
    else twice.push(name);
  }
  const mark = url.indexOf('?');
  return { method, path: mark === -1 ? url : url.slice(0, mark), query: mark === -1 ? '' : url.slice(mark + 1), headers, twice };
}

function guarded(name: string): GuardedHeader | undefined {
  const candidates = BY_LENGTH.get(name.length);
  if (candidates === undefined) return undefined;
  const lower = name.toLowerCase();
  return candidates.find((candidate) => candidate === lower);
}
