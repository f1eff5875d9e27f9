import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonValue } from '../../../shared/vocabulary/json.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Answered } from './answer.ts';
import type { Head } from './head.ts';

/** A request that came through every door. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Head;
  /** What stood in the braces of the route's path, decoded. */
  readonly captured: string;
  /** The strictly read body; undefined where the route takes none. */
  readonly body: JsonValue | undefined;
}

/** A visit of a client, known by its token. */
export interface ClientVisit extends Visit {
  readonly client: ClientRecord;
}

/** One method of an address. `body` says whether it must, may or may not bring JSON. */
interface Use<V extends Visit> {
  readonly body: 'json' | 'none';
  readonly serve: (visit: V) => Answered | Promise<Answered>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
export type Uses<V extends Visit> = Readonly<Partial<Record<Method, Use<V>>>>;

/** An address, the token it wants, and what it takes. A path holds at most one `{name}`, which stands for one whole segment. */
export type Route =
  | { readonly path: string; readonly door: 'open'; readonly uses: Uses<Visit> }
  | { readonly path: string; readonly door: 'client'; readonly uses: Uses<ClientVisit> }
  | { readonly path: string; readonly door: 'control'; readonly uses: Uses<Visit> };

export interface Routed {
  readonly route: Route;
  readonly captured: string;
}

/** Finds the route of a path. Default-deny: what is not in the list does not exist. Earlier routes win, and one without braces wins over all. */
export function createRouter(routes: readonly Route[]): (path: string) => Routed | undefined {
  const fixed = new Map<string, Routed>();
  const open: { readonly before: string; readonly after: string; readonly route: Route }[] = [];
  for (const route of routes) {
    const braces = /\{[a-z]+\}/.exec(route.path);
    if (braces === null) fixed.set(route.path, { route, captured: '' });
    else open.push({ before: route.path.slice(0, braces.index), after: route.path.slice(braces.index + braces[0].length), route });
  }
  return (path) => {
    const exact = fixed.get(path);
    if (exact !== undefined) return exact;
    for (const { before, after, route } of open) {
      if (path.length <= before.length + after.length || !path.startsWith(before) || !path.endsWith(after)) continue;
      const captured = decoded(path.slice(before.length, path.length - after.length));
      if (captured !== undefined) return { route, captured };
    }
    return undefined;
  };
}

/** One path segment, decoded; undefined when it is more than one or cannot be decoded. */
function decoded(segment: string): string | undefined {
  if (segment.includes('/')) return undefined;
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (fault) {
    if (fault instanceof URIError) return undefined;
    throw fault;
  }
}
