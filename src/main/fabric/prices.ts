import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { FabricReply, PriceReply } from '../broker/ports.ts';

const PAGE = 100;
const MOST_PAGES = 50;

/**
 * All pages of a price search. The first is asked for exactly as documented, with the filter alone. A list that cannot be read whole is none: a part of
 * a rate card would make one rate look like the only one.
 */
export async function searchPrices(filter: JsonObject, ask: (body: JsonObject) => Promise<FabricReply>): Promise<PriceReply> {
  const rows: JsonValue[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const reply = await ask(page === 0 ? { filter } : { filter, pagination: { offset: rows.length, limit: PAGE } });
    if (reply.kind !== 'answered') return none(noteOf(reply));
    const data = isJsonObject(reply.body) ? reply.body['data'] : undefined;
    if (!isJsonObject(reply.body) || !Array.isArray(data)) return none('the rate card could not be read');
    const pagination = isJsonObject(reply.body['pagination']) ? reply.body['pagination'] : {};
    const { offset, total } = pagination;
    if (typeof offset === 'number' && offset !== rows.length) return none('the rate card could not be read whole');
    rows.push(...(data as readonly JsonValue[]));
    if (typeof total !== 'number' || rows.length >= total) return { kind: 'rows', rows };
    if (data.length === 0) break;
  }
  return none('the rate card could not be read whole');
}

const none = (note: string): PriceReply => ({ kind: 'none', note });

function noteOf(reply: Exclude<FabricReply, { kind: 'answered' }>): string {
  switch (reply.kind) {
    case 'refused': return `the rate card was refused with HTTP ${reply.status}`;
    case 'unsent':
    case 'lost': return `the rate card could not be reached (${reply.note})`;
  }
}
