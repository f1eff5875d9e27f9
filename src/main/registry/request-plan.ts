import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Execution, Place } from './resource.ts';

export type { Place } from './resource.ts';

/** Where one argument goes in the request. */
export interface Placing {
  readonly argument: string;
  readonly place: Place;
  /** Its name there: a placeholder, a query parameter, a header, a member of the body. */
  readonly as: string;
}

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The placeholders of an endpoint, in order. */
export const placeholdersOf = (endpoint: string): readonly string[] => [...endpoint.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '');

/** The endpoint with every placeholder replaced. */
export const fillEndpoint = (endpoint: string, fill: (name: string) => string): string => endpoint.replace(PLACEHOLDER, (_, name: string) => fill(name));

type Planned = Pick<Execution, 'method' | 'endpoint' | 'parameterLocations' | 'mapping' | 'bodyArgument'>;

/**
 * Where an argument goes: as `mapping` and `parameterLocations` say; unsaid, under its own name, into the placeholder of that name, else into the query
 * of a GET or DELETE, else into the body.
 */
export function placingOf(argument: string, { method, endpoint, parameterLocations, mapping }: Planned): Placing {
  const as = Object.hasOwn(mapping, argument) ? (mapping[argument] ?? argument) : argument;
  const said = Object.hasOwn(parameterLocations, argument) ? parameterLocations[argument] : undefined;
  const place = said ?? (placeholdersOf(endpoint).includes(as) ? 'path' : method === 'GET' || method === 'DELETE' ? 'query' : 'body');
  return { argument, place, as };
}

/** Headers a call may never set: they frame the message, name the host or carry somebody's identity. */
const RESERVED_HEADERS = /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|authorization|cookie|set-cookie|accept.*|forwarded|x-forwarded-.*|x-real-ip|x-http-method.*|origin|referer|sec-.*|via)$/i;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

export const isHeaderName = (name: string): boolean => HEADER.test(name);

/** What is wrong with the mapping of a resource, as `[path below execution, sentence]`. */
export function planFaults(execution: Planned & { readonly authHeader: string | undefined }, inputSchema: JsonObject): readonly (readonly [string, string])[] {
  const faults: (readonly [string, string])[] = [];
  const properties = isJsonObject(inputSchema['properties']) ? Object.keys(inputSchema['properties']) : [];
  for (const field of ['parameterLocations', 'mapping'] as const) {
    for (const argument of Object.keys(execution[field])) if (!properties.includes(argument)) faults.push([`${field}.${argument}`, 'is no property of inputSchema']);
  }
  const { bodyArgument } = execution;
  if (bodyArgument !== null && !properties.includes(bodyArgument)) faults.push(['bodyArgument', 'is no property of inputSchema']);
  if (bodyArgument !== null && execution.method === 'GET') faults.push(['bodyArgument', 'a GET has no body']);
  const placings = properties.filter((argument) => argument !== bodyArgument).map((argument) => placingOf(argument, execution));
  const taken = new Set<string>();
  for (const { argument, place, as } of placings) {
    const slot = `${place} ${place === 'header' ? as.toLowerCase() : as}`;
    if (taken.has(slot)) faults.push([`mapping.${argument}`, 'two arguments go to the same place']);
    taken.add(slot);
    if (place === 'path' && !placeholdersOf(execution.endpoint).includes(as)) faults.push([`parameterLocations.${argument}`, 'the endpoint has no placeholder for it']);
    if (place === 'body' && (execution.method === 'GET' || bodyArgument !== null)) faults.push([`parameterLocations.${argument}`, 'has no place in the body']);
    if (place === 'header' && (!isHeaderName(as) || RESERVED_HEADERS.test(as) || as.toLowerCase() === execution.authHeader?.toLowerCase())) faults.push([`parameterLocations.${argument}`, 'is no header a call may set']);
  }
  for (const name of placeholdersOf(execution.endpoint)) if (!taken.has(`path ${name}`)) faults.push(['endpoint', 'has a placeholder that no argument fills']);
  return faults;
}
