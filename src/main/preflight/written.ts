import type { JsonObject } from '../../shared/vocabulary/json.ts';

/** What of a pattern can match no quotation mark: escaped signs, letters and digits by kind, edges, and lists of plain characters. */
const QUOTELESS = /\\[\\/.*+?()[\]{}|^$-]|\\[bBsdwAz]|\[[A-Za-z0-9_./-]+\]/g;
/** A pattern with none of these matches no quotation mark, and between two members there is always one. */
const MAY_QUOTE = /["\\.[]/;
/** Signs of JSON's own, and what could stand for the blank behind one. */
const SIGNS = /[":,]/;
const BLANK = /[\s.]|\\[sWSDQx]|\[\^/;

/** The members that name what is called, which people write first. */
const FIRST = ['name', 'uri', 'ref'] as const;

/** Whether a match may reach from one member into another. */
export const crosses = (pattern: string): boolean => MAY_QUOTE.test(pattern.replace(QUOTELESS, ''));

/**
 * `params` as a client may have written them, where a pattern that crosses members can tell that from the canonical text: with members in
 * the order they came in; with what is called before everything else, as most clients write it (`write_file.*secrets`); and, for a pattern that
 * names signs of JSON, with a blank behind each colon and comma.
 */
export function writings(pattern: string, params: JsonObject): readonly string[] {
  if (!crosses(pattern)) return [];
  const first = FIRST.filter((name) => Object.hasOwn(params, name)).map((name) => [name, params[name]] as const);
  const orders = [JSON.stringify(params), JSON.stringify({ ...Object.fromEntries(first), ...params })];
  const compact = [...new Set(orders)];
  return SIGNS.test(pattern) && BLANK.test(pattern) ? [...compact, ...compact.map(spaced)] : compact;
}

const spaced = (json: string): string => json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (token) => (token.length === 1 ? `${token} ` : token));
