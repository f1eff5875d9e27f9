import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { ANSWERED } from '../http/answer.ts';
import { inTime, type Catalogue } from './catalogue.ts';
import type { Exchange } from './exchange.ts';
import { wrapUri } from './names.ts';

interface Needs {
  readonly target: TargetId;
  readonly method: string;
  /** The client asked for a resource by a URI that says whose it is, so it is answered with such URIs. */
  readonly wrapped: boolean;
  readonly catalogue: Pick<Catalogue, 'ownersSoFar' | 'ownersOf' | 'mentioned'>;
  readonly failed: (fault: unknown) => void;
}

/** Answers that speak of resources: links and embedded resources, and what was read. */
const SPEAK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** How long an answer waits to learn what other targets list. */
const LISTS_MS = 3_000;
const HAS_URI = /"uri":"/;

/**
 * On the endpoint of all targets: what one of them says of its resources, under URIs by which the client can ask for them here (contract, 3). A URI
 * that is this target's alone stays as it is, one that another has too says whose it is, and one that no list has is noted as this target's.
 */
export function withUrisOfTarget(exchange: Exchange, { target, method, wrapped, catalogue, failed }: Needs): Exchange {
  if (!SPEAK.has(method)) return exchange;

  async function named(text: string): Promise<string> {
    const message = JSON.parse(text) as JsonObject;
    const places = placesIn(message, method).flatMap((place) => (typeof place['uri'] === 'string' ? [{ place, uri: place['uri'] }] : []));
    const all = wrapped && method === 'resources/read';
    const others = new Set(all ? [] : await anothersToo(new Set(places.map(({ uri }) => uri))));
    const told = places.filter(({ uri }) => all || others.has(uri));
    for (const { place, uri } of told) place['uri'] = wrapUri(target, uri);
    return told.length > 0 ? JSON.stringify(message) : text;
  }

  /** Those of the URIs that are not this target's alone. Where it cannot be told soon they stay as they are: an answer waits for no other target. */
  async function anothersToo(uris: ReadonlySet<string>): Promise<readonly string[]> {
    const found = await Promise.all([...uris].map(async (uri) => ({ uri, owners: catalogue.ownersSoFar(uri) ?? (await inTime(catalogue.ownersOf(uri), LISTS_MS)) ?? [] })));
    for (const { uri, owners } of found) if (owners.length === 0) catalogue.mentioned(uri, target);
    return found.filter(({ owners }) => owners.some((owner) => owner !== target)).map(({ uri }) => uri);
  }

  return {
    ...exchange,
    answer(text, sent) {
      if (!HAS_URI.test(text)) return exchange.answer(text, sent);
      void named(text).then(
        (told) => exchange.answer(told, sent),
        (fault: unknown) => {
          failed(fault);
          exchange.answer(text, sent);
        },
      );
      return ANSWERED;
    },
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
