import { z } from 'zod';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { createMasking, errorLines, errorsTold, failure, result, withoutAnswer } from '../broker/index.ts';
import type { Outcome } from '../broker/index.ts';
import type { FabricRead, FabricReadPort } from '../broker/ports.ts';
import { createTool } from './tool.ts';
import type { Tool } from './tool.ts';

/** One segment of a path: it can neither leave its collection nor begin a query. */
const uuid = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/).describe('The uuid.');
const offset = z.int().min(0).max(1_000_000).optional();
const limit = z.int().min(1).max(100).optional();
const filter = z.record(z.string(), z.unknown()).describe('A Fabric search expression, such as {"and":[{"property":"/name","operator":"=","values":["lab-1"]}]}.');

interface Thing {
  readonly one: string;
  readonly many: string;
  readonly path: string;
}

/** What can be searched and looked at, by the same two tools each. */
const SEARCHED: readonly Thing[] = [
  { one: 'connection', many: 'connections', path: 'connections' },
  { one: 'network', many: 'networks', path: 'networks' },
  { one: 'service_token', many: 'service_tokens', path: 'serviceTokens' },
  { one: 'service_profile', many: 'service_profiles', path: 'serviceProfiles' },
];

/** The read-only `fabric` toolset: what an agent needs to know to make a good proposal, and to look up what became of one. */
export function createReadTools(fabric: FabricReadPort): readonly Tool[] {
  const reading = async (request: FabricRead, signal: AbortSignal): Promise<Outcome> => toldOf(await fabric.read(request, signal));
  const paged = (given: { readonly offset?: number | undefined; readonly limit?: number | undefined }): Readonly<Record<string, string>> => ({ offset: String(given.offset ?? 0), limit: String(given.limit ?? 20) });
  const look = (name: string, what: string, path: string): Tool => createTool({
    name, title: `Get a Fabric ${what}`, description: `One ${what} by its uuid: its state and configuration.`, readOnly: true, input: z.strictObject({ uuid }), run: ({ uuid: id }, { signal }) => reading({ path: `${path}/${id}` }, signal),
  });

  return [
    ...SEARCHED.flatMap(({ one, many, path }) => [
      createTool({
        name: `fabric_search_${many}`, title: `Search Fabric ${words(many)}`, description: `The ${words(many)} that fit a filter, a page at a time; all without a filter.`, readOnly: true,
        input: z.strictObject({ filter: filter.optional(), sort: z.array(z.record(z.string(), z.unknown())).max(10).optional(), offset, limit }),
        run: ({ filter: by, sort, ...page }, { signal }) => reading({ path: `${path}/search`, search: { ...(by !== undefined && { filter: by as JsonObject }), ...(sort !== undefined && { sort: sort as JsonObject[] }), pagination: { offset: page.offset ?? 0, limit: page.limit ?? 20 } } }, signal),
      }),
      look(`fabric_get_${one}`, words(one), path),
    ]),
    createTool({
      name: 'fabric_list_ports', title: 'List Fabric ports', description: 'The ports of this account, all or those of one name.', readOnly: true, input: z.strictObject({ name: z.string().min(1).max(200).optional() }),
      run: ({ name }, { signal }) => reading({ path: 'ports', ...(name !== undefined && { query: { name } }) }, signal),
    }),
    look('fabric_get_port', 'port', 'ports'),
    createTool({ name: 'fabric_list_metros', title: 'List Fabric metros', description: 'The metros Fabric is in, with their codes and regions, a page at a time.', readOnly: true, input: z.strictObject({ offset, limit }), run: (page, { signal }) => reading({ path: 'metros', query: paged(page) }, signal) }),
    createTool({
      name: 'fabric_get_metro', title: 'Get a Fabric metro', description: 'One metro by its code.', readOnly: true, input: z.strictObject({ metro_code: z.string().regex(/^[A-Za-z0-9]{2,4}$/) }),
      run: ({ metro_code }, { signal }) => reading({ path: `metros/${metro_code.toUpperCase()}` }, signal),
    }),
    createTool({
      name: 'fabric_search_prices', title: 'Search Fabric prices', description: 'Rates of the Fabric rate card that fit a filter, such as {"and":[{"property":"/type","operator":"=","values":["VIRTUAL_CONNECTION_PRODUCT"]}]}. Estimates, not quotes.', readOnly: true,
      input: z.strictObject({ filter, offset, limit }),
      run: ({ filter: by, ...page }, { signal }) => reading({ path: 'prices/search', search: { filter: by as JsonObject, ...((page.offset ?? page.limit) !== undefined && { pagination: { offset: page.offset ?? 0, limit: page.limit ?? 100 } }) } }, signal),
    }),
  ];
}

const words = (name: string): string => name.replaceAll('_', ' ');

/** Fabric's answer for an agent; pairing keys and the like are masked in it. */
function toldOf(reply: Awaited<ReturnType<FabricReadPort['read']>>): Outcome {
  const mask = createMasking({});
  switch (reply.kind) {
    case 'answered': {
      if (reply.body === undefined) return failure('fabric-lost', { details: ['the answer could not be read'] });
      const body = mask.value(reply.body);
      return result(isJsonObject(body) ? body : { data: body });
    }
    case 'refused': return failure('fabric-refused', { details: [`HTTP ${reply.status}`, ...errorLines(reply.errors, mask)], more: { fabric_status: reply.status, fabric_errors: errorsTold(reply.errors, mask) } });
    case 'unsent':
    case 'lost': return withoutAnswer(reply);
  }
}
