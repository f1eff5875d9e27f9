import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { Catalogue } from './catalogue.ts';
import type { Exchange } from './exchange.ts';
import { wrapUri } from './names.ts';

interface Needs {
  readonly target: TargetId;
  readonly method: string;
  /** The client asked for a resource by a URI that says whose it is, so it is answered with such URIs. */
  readonly wrapped: boolean;
  readonly catalogue: Pick<Catalogue, 'knownOwners' | 'mentioned'>;
}

/** Answers that speak of resources: links and embedded resources, and what was read. */
const SPEAK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const HAS_URI = /"uri":"/;

/**
 * On the endpoint of all targets: what one of them says of its resources, under URIs by which the client can ask for them here (contract, 3). A URI
 * that no other target is known to have stays as it is and is noted as this target's; one that another has says whose it is. What the others have is not
 * asked for: an answer waits for no other target, and starts none.
 */
export function withUrisOfTarget(exchange: Exchange, { target, method, wrapped, catalogue }: Needs): Exchange {
  if (!SPEAK.has(method)) return exchange;

  function named(text: string): string {
    const message = JSON.parse(text) as JsonObject;
    const places = placesIn(message, method).flatMap((place) => (typeof place['uri'] === 'string' ? [{ place, uri: place['uri'] }] : []));
    const all = wrapped && method === 'resources/read';
    const others = all ? undefined : anothersToo(new Set(places.map(({ uri }) => uri)));
    const told = places.filter(({ uri }) => others?.has(uri) ?? true);
    for (const { place, uri } of told) place['uri'] = wrapUri(target, uri);
    return told.length > 0 ? JSON.stringify(message) : text;
  }

  /** Those of the URIs that another target is known to have; the rest are noted as this one's. */
  function anothersToo(uris: ReadonlySet<string>): ReadonlySet<string> {
    const others = new Set<string>();
    for (const [uri, owners] of catalogue.knownOwners(uris)) {
      if (owners.some((owner) => owner !== target)) others.add(uri);
      else catalogue.mentioned(uri, target);
    }
    return others;
  }

  return {
    ...exchange,
    answer: (text, sent) => exchange.answer(HAS_URI.test(text) ? named(text) : text, sent),
  };
}

type Place = Record<string, JsonValue>;

/** Where an answer names a resource (MCP, content blocks; `ReadResourceResult`; the error of a resource that is not there). */
function placesIn({ result, error }: JsonObject, method: string): readonly Place[] {
  if (isJsonObject(error)) return method === 'resources/read' ? objects([error['data'] ?? null]) : [];
  if (!isJsonObject(result)) return [];
  const messages = objects(result['messages']).flatMap(({ content = null }) => (Array.isArray(content) ? (content as readonly JsonValue[]) : [content]));
  const blocks = [...objects(result['content']), ...objects(messages)];
  return [...blocks.flatMap((block) => (block['type'] === 'resource_link' ? [block] : block['type'] === 'resource' ? objects([block['resource'] ?? null]) : [])), ...objects(result['contents'])];
}

const objects = (list: unknown): readonly Place[] => (Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : []);
