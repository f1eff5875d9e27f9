import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { leavesOf, pathText } from '../canonical/index.ts';
import type { Path } from '../canonical/index.ts';
import { looksSecret } from '../display/index.ts';

/**
 * Secrets a Fabric request carries: the pairing keys of cloud providers, and whatever in `additionalInfo` is called or looks like one. They are
 * sent and hashed true, and shown nowhere: not in a prompt, a result, an error or a log.
 */

const SECRET_FIELDS: ReadonlySet<string> = new Set(['authenticationKey', 'activationKey']);
/** How providers call their secrets in `additionalInfo`. Better a harmless value masked than a secret shown. */
const SECRET_KEY = /secret|passw(?:or)?d|pass(?:phrase|code)|credential|psk|md5|token$|\bpin\b|(?:access|auth|authentication|private|shared|pairing|service|api|encryption|signing|bgp)[\s_-]*key/i;

/** Shorter values are masked where they stand and not looked for elsewhere: they would be found in any text. */
const LEAST_FOUND = 4;

/** The secret leaves of a value. */
export function secretLeaves(value: JsonValue): readonly { readonly path: Path; readonly value: JsonValue }[] {
  return leavesOf(value).filter(({ path, value: leaf }) => isSecret(value, path, leaf));
}

/** Where the secrets of a change stand, in the notation the approval window masks by: `body.zSide.accessPoint.authenticationKey`. */
export const maskedPlaces = (text: string): readonly string[] => secretLeaves(JSON.parse(text) as JsonValue).map(({ path }) => pathText(path));

function isSecret(root: JsonValue, path: Path, leaf: JsonValue): boolean {
  if (path.some((segment) => typeof segment === 'string' && SECRET_FIELDS.has(segment))) return true;
  const name = path.at(-1);
  if (name !== 'value' || path.at(-3) !== 'additionalInfo') return false;
  const entry = at(root, path.slice(0, -1));
  const key = typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? (entry as Readonly<Record<string, JsonValue>>)['key'] : undefined;
  if (typeof key !== 'string') return false;
  if (typeof leaf === 'number') return SECRET_KEY.test(key);
  return typeof leaf === 'string' && (SECRET_KEY.test(key) || looksSecret([key], leaf));
}

function at(value: JsonValue, path: Path): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const segment of path) here = typeof here === 'object' && here !== null ? (here as Readonly<Record<string | number, JsonValue>>)[segment] : undefined;
  return here;
}

const instead = (value: JsonValue): string => (typeof value === 'string' ? `[secret, ${value.length} characters]` : '[secret]');

/**
 * The request itself, masked where its secrets stand and nowhere else: a field that merely has the value of a secret stays in view, or an agent could
 * hide any field from the human by giving a key its value.
 */
export const maskPlaces = (request: JsonValue): JsonValue => masked(request, request, [], (text) => text);

/** Masks what others tell of a request. Made of the request, so that its secrets are found wherever an answer repeats them. */
export interface Masking {
  /** The value with its own secrets masked, and the request's wherever they stand. */
  value(told: JsonValue): JsonValue;
  text(told: string): string;
}

export function createMasking(request: JsonValue): Masking {
  const known = secretLeaves(request).map(({ value }) => value).filter((value): value is string => typeof value === 'string' && value.length >= LEAST_FOUND);
  // Longer ones first: one may be part of another.
  known.sort((one, other) => other.length - one.length);
  const text = (told: string): string => known.reduce((left, secret) => left.replaceAll(secret, instead(secret)), told);
  return { value: (told) => masked(told, told, [], text), text };
}

function masked(value: JsonValue, root: JsonValue, path: Path, text: (told: string) => string): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((element, index) => masked(element, root, [...path, index], text));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value as Readonly<Record<string, JsonValue>>).map(([name, child]) => [name, masked(child, root, [...path, name], text)]));
  }
  if (isSecret(root, path, value)) return instead(value);
  return typeof value === 'string' ? text(value) : value;
}
