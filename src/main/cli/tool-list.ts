import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { latest, parseVersion } from '../registry/index.ts';

/** One tool of a file: where it stands there, from 1, and what is sent of it. */
export interface Listed {
  readonly no: number;
  readonly resource: JsonValue;
}

/**
 * The tools of a file in the order in which they are admitted: as they stand, but of several versions of one tool first the one that is meant to serve,
 * because the first that is admitted does (document 002). That is one that asks to serve, else the latest stable one, as in a migration, else the latest.
 * With `serve` exactly that one of each tool is asked to serve, whatever served before. What is no tool stays in its place, for the gateway to refuse.
 */
export function inOrder(resources: readonly JsonValue[], { serve }: { readonly serve: boolean }): readonly Listed[] {
  const ordered: Listed[] = resources.map((resource, at) => ({ no: at + 1, resource }));
  for (const places of placesByName(resources)) {
    const first = meantToServe(places.map((at) => metadataOf(resources[at]) ?? {}));
    const [chosen = 0] = places.splice(first, 1);
    const free = [chosen, ...places].sort((one, other) => one - other);
    [chosen, ...places].forEach((from, index) => {
      const resource = resources[from] ?? null;
      ordered[free[index] ?? from] = { no: from + 1, resource: serve && from === chosen ? serving(resource) : resource };
    });
  }
  return ordered;
}

/** Which places the versions of each tool have. */
function placesByName(resources: readonly JsonValue[]): Iterable<number[]> {
  const places = new Map<string, number[]>();
  resources.forEach((resource, at) => {
    const name = metadataOf(resource)?.['name'];
    if (typeof name === 'string') places.set(name, [...(places.get(name) ?? []), at]);
  });
  return places.values();
}

function meantToServe(versions: readonly JsonObject[]): number {
  const asking = versions.findIndex(({ isServing }) => isServing === true);
  const best = latest(versions.flatMap(({ version }) => (typeof version === 'string' ? (parseVersion(version) ?? []) : [])));
  return Math.max(0, asking >= 0 ? asking : versions.findIndex(({ version }) => version === best?.text));
}

function metadataOf(resource: JsonValue | undefined): JsonObject | undefined {
  const metadata = resource !== undefined && isJsonObject(resource) ? resource['metadata'] : undefined;
  return metadata !== undefined && isJsonObject(metadata) ? metadata : undefined;
}

/** The same resource, asked to serve. */
const serving = (resource: JsonValue): JsonValue => (isJsonObject(resource) ? { ...resource, metadata: { ...metadataOf(resource), isServing: true } } : resource);
