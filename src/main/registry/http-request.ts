import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { PayloadHash } from '../../shared/vocabulary/ids.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText, cappedPathText, NotCanonical, sha256Hex } from '../canonical/index.ts';
import { compileSchema } from './json-schema.ts';
import { effectiveUrl } from './origin.ts';
import { fillEndpoint, placingOf } from './request-plan.ts';
import type { Place } from './request-plan.ts';
import type { Revision } from './resource.ts';

/**
 * The compiled request of a declarative HTTP tool (contract, section 1). `text` is the RFC 8785 text of `{"body","headers","method","url"}`: what is
 * hashed, shown, stored and sent. Header names are lower case; the one that will carry the credential has the value null, so that no secret is hashed,
 * shown or stored.
 */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | null>>;
  /** null: no body is sent. */
  readonly body: JsonValue;
  readonly text: string;
  readonly hash: PayloadHash;
}

/**
 * Makes the request a revision sends for these arguments: checked against its input schema, placed as its mapping says. The same arguments in another
 * order make the same request. `arguments-misfit` with the place of the first argument that does not fit: by the schema, because the schema does not
 * name it, or because its value cannot stand where it goes (an empty or climbing path segment, a header value with line breaks).
 */
export function compileHttpRequest({ resource: { spec } }: Revision, args: JsonObject, erpBaseUrl: string | undefined): Result<HttpRequest> {
  const { execution, inputSchema, security } = spec;
  const misfit = (at: string): Result<never> => refused('arguments-misfit', at);
  const wrong = unfit(inputSchema, args);
  if (wrong !== undefined) return misfit(wrong);

  const placed = Object.keys(args).filter((name) => name !== execution.bodyArgument).sort().map((name) => ({ ...placingOf(name, execution), value: args[name] as JsonValue }));
  const at = (place: Place) => placed.filter((one) => one.place === place);
  for (const { argument, place, value } of placed) if (!canStand(place, value)) return misfit(cappedPathText(['arguments', argument]));

  const segments = new Map(at('path').map(({ as, value }) => [as, encodeURIComponent(plain(value))]));
  const unfilled: string[] = [];
  const path = fillEndpoint(execution.endpoint, (name) => segments.get(name) ?? (unfilled.push(name), ''));
  if (unfilled.length > 0) return misfit(cappedPathText(['arguments', ...unfilled.slice(0, 1)]));
  const query = at('query').filter(({ value }) => value !== null).map(({ as, value }) => `${encodeURIComponent(as)}=${encodeURIComponent(plain(value))}`);
  const url = effectiveUrl(query.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${query.join('&')}`, erpBaseUrl);
  if (url === undefined) return misfit('arguments');

  const body = bodyOf(execution, args, at('body'));
  const headers: Record<string, string | null> = {
    ...Object.fromEntries(at('header').map(({ as, value }) => [as.toLowerCase(), plain(value)])),
    accept: 'application/json',
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(security.authHeader === undefined ? {} : { [security.authHeader.toLowerCase()]: null }),
  };
  const sent = { body, headers, method: execution.method, url: url.href };
  const text = canonicalText(sent);
  return ok({ ...sent, text, hash: sha256Hex(text) });
}

/** A stored request, read back from its text. */
export function readHttpRequest(text: string): HttpRequest {
  return { ...(JSON.parse(text) as Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>), text, hash: sha256Hex(text) };
}

function unfit(inputSchema: JsonObject, args: JsonObject): string | undefined {
  try {
    canonicalText(args);
  } catch (fault) {
    if (fault instanceof NotCanonical) return cappedPathText(['arguments', ...fault.path]);
    throw fault;
  }
  const properties = isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const undeclared = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (undeclared !== undefined) return cappedPathText(['arguments', undeclared]);
  const schema = compileSchema(inputSchema);
  const pointer = schema === undefined ? '/' : schema.misfit(args);
  return pointer === undefined ? undefined : cappedPathText(['arguments', ...pointer.split('/').slice(1).filter((part) => part !== '').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))]);
}

const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;

/** Whether a text can be the value of a header. */
export const isHeaderValue = (text: string): boolean => HEADER_VALUE.test(text);

function canStand(place: Place, value: JsonValue): boolean {
  if (place === 'body' || place === 'query') return true;
  if (typeof value === 'object') return false;
  return place === 'header' ? isHeaderValue(plain(value)) : value !== '' && value !== '.' && value !== '..';
}

/** A value outside the body: text as it is, everything else as its JSON text (ERPNext takes lists and filters so). */
const plain = (value: JsonValue): string => (typeof value === 'string' ? value : canonicalText(value));

function bodyOf({ method, bodyArgument }: Revision['resource']['spec']['execution'], args: JsonObject, members: readonly { readonly as: string; readonly value: JsonValue }[]): JsonValue {
  if (bodyArgument !== null) return Object.hasOwn(args, bodyArgument) ? (args[bodyArgument] ?? null) : null;
  if (members.length === 0 && (method === 'GET' || method === 'DELETE')) return null;
  return Object.fromEntries(members.map(({ as, value }) => [as, value]));
}
