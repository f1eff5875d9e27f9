import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** One argument of a tool that a header of the request says again (MCP 2026-07-28, streamable HTTP, custom headers from tool parameters). */
export interface Mirror {
  /** The whole name of the header, as the schema spells it. */
  readonly header: string;
  /** Where the argument stands inside `arguments`. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

const ANNOTATION = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
/** A field name of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<JsonValue | undefined> = new Set(['string', 'integer', 'boolean']);

/** Keywords that hold other schemas: one of them, a list of them, or some by name. `properties` is the only one a mirrored argument may stand behind. */
const ONE_OR_MORE = ['items', 'prefixItems', 'contains', 'additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'];
const BY_NAME = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * The arguments a tool's input schema wants said again in headers; undefined when an annotation in it is not as the specification has it (no field
 * name, two that differ in case alone, another type than string, integer or boolean, a place that is not reached by `properties` alone). Such a tool
 * is not to be offered over HTTP.
 */
export function mirrorsOf(inputSchema: JsonValue | undefined): readonly Mirror[] | undefined {
  const mirrors: Mirror[] = [];
  const names = new Set<string>();

  const take = (schema: JsonObject, path: readonly string[], reachable: boolean): boolean => {
    const { [ANNOTATION]: name, type } = schema;
    if (!reachable || path.length === 0 || typeof name !== 'string' || !TOKEN.test(name) || !TYPES.has(type) || names.has(name.toLowerCase())) return false;
    names.add(name.toLowerCase());
    mirrors.push({ header: PREFIX + name, path, type: type as Mirror['type'] });
    return true;
  };
  const visit = (schema: JsonValue | undefined, path: readonly string[], reachable: boolean): boolean => {
    if (!isJsonObject(schema)) return true;
    if (Object.hasOwn(schema, ANNOTATION) && !take(schema, path, reachable)) return false;
    const { properties } = schema;
    if (isJsonObject(properties) && !Object.entries(properties).every(([name, inside]) => visit(inside, [...path, name], reachable))) return false;
    const elsewhere = [
      ...ONE_OR_MORE.flatMap((keyword) => schema[keyword] ?? []),
      ...BY_NAME.flatMap((keyword) => (isJsonObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
    ];
    return elsewhere.every((inside) => visit(inside, path, false));
  };
  return visit(inputSchema, [], true) ? mirrors : undefined;
}

/** The headers a call of the tool goes with, by name. An argument that is absent or null has none, and neither has one that is no text, number or truth value. */
export function mirroredHeaders(mirrors: readonly Mirror[], given: JsonValue | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    mirrors.flatMap(({ header, path }) => {
      const text = textOf(valueAt(given, path));
      return text === undefined ? [] : [[header, headerText(text)] as const];
    }),
  );
}

/**
 * The name of the first header that does not say what the arguments say, or undefined when all do. `headerOf` is asked for the value by name in
 * lower case. A header whose argument is absent or null is not looked at (MCP 2026-07-28, server behavior for custom headers).
 */
export function contradicted(mirrors: readonly Mirror[], given: JsonValue | undefined, headerOf: (name: string) => string | undefined): string | undefined {
  return mirrors.find(({ header, path, type }) => {
    const value = valueAt(given, path);
    const text = textOf(value);
    if (text === undefined) return false;
    const sent = headerOf(header.toLowerCase());
    const said = sent === undefined ? undefined : textInHeader(sent);
    return said !== text && !(type === 'integer' && typeof value === 'number' && said !== undefined && NUMBER.test(said) && Number(said) === value);
  })?.header;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function valueAt(given: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = given;
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** What a header may hold as it is: visible ASCII, with blanks inside. */
const PLAIN = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;
const WRAPPED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A text as the value of a header that repeats it: as it is, or in Base64 where it could not stand in a header or would be taken for that (MCP 2026-07-28, value encoding). */
export const headerText = (text: string): string => (PLAIN.test(text) && !WRAPPED.test(text) ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`);

/** The text a header repeats; undefined when it cannot be decoded or holds what no header may hold. */
export function textInHeader(value: string): string | undefined {
  const encoded = WRAPPED.exec(value)?.[1];
  if (encoded === undefined) return value === '' || PLAIN.test(value) ? value : undefined;
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString('utf8');
  // What was not UTF-8 does not come out again as it was.
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}
