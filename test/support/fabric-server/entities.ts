import type { Body, Json } from '../../fixtures/fabric/parts.ts';

/** The collections that can be created in, and what they answer (API 4.31): networks answer 201 to a dry run too. */
export const collections = {
  connections: { dry: 200, real: 201 },
  networks: { dry: 201, real: 201 },
  serviceTokens: { dry: 200, real: 201 },
} as const;
export type Collection = keyof typeof collections;

const LINKED: Readonly<Record<string, string>> = { port: 'ports', profile: 'serviceProfiles', router: 'routers', network: 'networks' };

/** What a dry run answers: the request again, with addresses added to what it names and without the term of its order; no uuid, address or state of its own. */
export function echoOf(body: Body, origin: string): Body {
  const { order, ...rest } = linked(body, origin) as { readonly [key: string]: Json };
  if (typeof order !== 'object' || order === null) return order === undefined ? rest : { ...rest, order };
  const kept = Object.fromEntries<Json>(Object.entries(order).filter(([name]) => name !== 'termLength'));
  return { ...rest, order: kept };
}

function linked(value: Json, origin: string, name = ''): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((element) => linked(element, origin));
  if (typeof value !== 'object' || value === null) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, linked(child, origin, key)]));
  const collection = LINKED[name];
  if (collection !== undefined && typeof inside['uuid'] === 'string') return { href: `${origin}/fabric/v4/${collection}/${inside['uuid']}`, ...inside };
  if (name === 'location' && typeof inside['metroCode'] === 'string') return { metroHref: `${origin}/fabric/v4/metros/${inside['metroCode']}`, ...inside };
  return inside;
}

/** What is made of a request: created is not yet active. */
export function entityOf(collection: Collection, body: Body, uuid: string, origin: string): Body {
  const made = { href: `${origin}/fabric/v4/${collection}/${uuid}`, uuid, ...(linked(body, origin) as Body) };
  switch (collection) {
    case 'connections': return { ...made, operation: { providerStatus: 'NOT_AVAILABLE', equinixStatus: 'PROVISIONING' }, changeLog: { createdBy: 'lab' } };
    case 'networks': return { ...made, state: 'INACTIVE', operation: { equinixStatus: 'PROVISIONING' }, change: { uuid: `change-${uuid}`, type: 'NETWORK_CREATION' } };
    case 'serviceTokens': return { ...made, state: 'INACTIVE', changeLog: { createdBy: 'lab' } };
  }
}
