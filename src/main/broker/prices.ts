import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { CompiledChange } from './compile.ts';

/** What a proposal can say of its price: a rate card's words, or honestly nothing. Prices are the numbers Fabric gave; nothing is calculated. */
export type PriceContext =
  | {
      readonly priced: true;
      readonly monthly_recurring: number | null;
      readonly non_recurring: number | null;
      readonly currency: string;
      readonly price_source: 'EQUINIX_LIVE';
      /** Months the rate is for, where the rate card says so. */
      readonly rate_term_months: number | null;
      /** Months the request commits to. */
      readonly term_months: number;
      readonly code: string | null;
      readonly basis: string;
      readonly note?: string;
    }
  | { readonly priced: false; readonly term_months?: number; readonly note: string };

export const unpriced = (why: string, termMonths?: number): PriceContext => ({ priced: false, ...(termMonths !== undefined && { term_months: termMonths }), note: `unpriced: ${why}` });

/** The months a connection commits to; one when it does not say. */
export const termOf = (body: JsonObject): number => numberIn(body, 'order', 'termLength') ?? 1;

/** What to ask the rate card, or why it has no price for such a change. */
export function priceFilter({ changeType, body }: CompiledChange): { readonly filter: JsonObject } | { readonly none: PriceContext } {
  if (changeType === 'network_create') return { none: unpriced('the rate card has no product for a network; the connections to it are priced') };
  if (changeType === 'service_token_create') return { none: unpriced('the rate card has no product for a service token; the connection somebody makes with it is what costs') };
  const [type, bandwidth] = [textIn(body, 'type'), numberIn(body, 'bandwidth')];
  if (type === undefined || bandwidth === undefined) return { none: unpriced('the request names no bandwidth', termOf(body)) };
  const terms = [is('/type', 'VIRTUAL_CONNECTION_PRODUCT'), is('/connection/type', type), { property: '/connection/bandwidth', operator: 'IN', values: [String(bandwidth)] }];
  return { filter: { and: [...terms, ...sideTerms(body, 'aSide'), ...sideTerms(body, 'zSide')] } };
}

const is = (property: string, value: string): JsonObject => ({ property, operator: '=', values: [value] });

function sideTerms(body: JsonObject, side: 'aSide' | 'zSide'): readonly JsonObject[] {
  const base = `/connection/${side}/accessPoint`;
  const type = textIn(body, side, 'accessPoint', 'type');
  if (type === undefined) return [];
  const [metro, port, profile] = [textIn(body, side, 'accessPoint', 'location', 'metroCode'), textIn(body, side, 'accessPoint', 'port', 'uuid'), textIn(body, side, 'accessPoint', 'profile', 'uuid')];
  return [
    is(`${base}/type`, type),
    ...(port !== undefined ? [is(`${base}/port/uuid`, port)] : metro !== undefined ? [is(`${base}/location/metroCode`, metro)] : []),
    ...(profile === undefined ? [] : [is(`${base}/profile/uuid`, profile)]),
  ];
}

/**
 * The price of a connection from the rows of a rate card. A row counts when it is for this type and bandwidth, contradicts neither side, and has a
 * charge; rows for the term asked for win. Rows that differ in their charges give no price: which of them would apply cannot be known.
 */
export function priceContext({ body }: CompiledChange, rows: readonly JsonValue[]): PriceContext {
  const term = termOf(body);
  const fitting = rows.filter(isJsonObject).filter((row) => fits(row, body) && chargesOf(row) !== undefined);
  const exact = fitting.filter((row) => numberIn(row, 'termLength') === term);
  const loose = fitting.filter((row) => numberIn(row, 'termLength') === undefined);
  const chosen = exact.length > 0 ? exact : loose.length > 0 ? loose : fitting;
  const [row] = chosen;
  if (row === undefined) return unpriced('the rate card has no matching rate', term);
  const charges = chargesOf(row);
  const currency = textIn(row, 'currency');
  if (charges === undefined || currency === undefined) return unpriced('the matching rate names no currency', term);
  const alike = (other: JsonObject): boolean => JSON.stringify([chargesOf(other), textIn(other, 'currency')]) === JSON.stringify([charges, currency]);
  if (!chosen.every(alike)) return unpriced(`${chosen.length} rates match and differ; the request does not say which applies`, term);

  const rateTerm = numberIn(row, 'termLength') ?? null;
  const note = rateTerm !== null && rateTerm !== term ? `the rate is for ${rateTerm} months, the request is for ${term}` : undefined;
  return {
    priced: true, ...charges, currency, price_source: 'EQUINIX_LIVE', rate_term_months: rateTerm, term_months: term, code: textIn(row, 'code') ?? null,
    basis: 'an estimate from the rate card, not a quote; taxes, discounts and charges of the other party are not in it',
    ...(note !== undefined && { note }),
  };
}

function fits(row: JsonObject, body: JsonObject): boolean {
  if (textIn(row, 'type') !== undefined && textIn(row, 'type') !== 'VIRTUAL_CONNECTION_PRODUCT') return false;
  const agrees = (...path: readonly string[]): boolean => {
    const [rate, asked] = [valueIn(row, ['connection', ...path]), valueIn(body, path)];
    return rate === undefined || asked === undefined || rate === asked;
  };
  return valueIn(row, ['connection', 'type']) !== undefined && valueIn(row, ['connection', 'bandwidth']) !== undefined && agrees('type') && agrees('bandwidth')
    && (['aSide', 'zSide'] as const).every((side) => agrees(side, 'accessPoint', 'type') && agrees(side, 'accessPoint', 'location', 'metroCode') && agrees(side, 'accessPoint', 'profile', 'uuid'));
}

function chargesOf(row: JsonObject): { readonly monthly_recurring: number | null; readonly non_recurring: number | null } | undefined {
  const charges = Array.isArray(row['charges']) ? (row['charges'] as readonly JsonValue[]).filter(isJsonObject) : [];
  const price = (type: string): number | null => {
    const found = charges.find((charge) => charge['type'] === type)?.['price'];
    return typeof found === 'number' ? found : null;
  };
  const [monthly, once] = [price('MONTHLY_RECURRING'), price('NON_RECURRING')];
  return monthly === null && once === null ? undefined : { monthly_recurring: monthly, non_recurring: once };
}

/** The price in one line, for a human, who is told the term on a line of its own. */
export function priceLine(price: PriceContext): string {
  if (!price.priced) return price.note;
  const parts = [
    ...(price.monthly_recurring === null ? [] : [`${price.monthly_recurring} ${price.currency} a month`]),
    ...(price.non_recurring === null ? [] : [`${price.non_recurring} ${price.currency} once`]),
  ];
  return `${parts.join(', ')} (an estimate from the rate card, not a quote${price.note === undefined ? '' : `; ${price.note}`})`;
}

function valueIn(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const name of path) at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}
const textIn = (value: JsonValue, ...path: readonly string[]): string | undefined => { const found = valueIn(value, path); return typeof found === 'string' ? found : undefined; };
const numberIn = (value: JsonValue, ...path: readonly string[]): number | undefined => { const found = valueIn(value, path); return typeof found === 'number' ? found : undefined; };
