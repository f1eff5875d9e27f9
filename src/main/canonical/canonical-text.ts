import { hash } from 'node:crypto';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import type { PayloadHash } from '../../shared/vocabulary/ids.ts';
import { pathText } from './path.ts';
import type { Path } from './path.ts';

/** Thrown for a value that is no JSON value at all (a lone surrogate, NaN, a function, a cycle deeper than `MAX_DEPTH`): RFC 8785 has no text for it. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical';
  readonly path: Path;
  constructor(path: Path) {
    super(`no canonical text for the value at ${pathText(path)}`);
    this.path = path;
  }
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const NEEDS_CARE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/;
const MAX_DEPTH = 512;

/**
 * The one text of a JSON value by RFC 8785: members sorted by UTF-16 code units, no space, numbers and strings as ECMAScript writes them. Equal
 * values give equal texts and different values different ones. Throws `NotCanonical` for what is not a JSON value.
 */
export const canonicalText = (value: JsonValue): string => write(value, []);

/** Lower-case hex SHA-256 over the UTF-8 bytes of a text. */
export const sha256Hex = (text: string): PayloadHash => hash('sha256', text, 'hex') as PayloadHash;

function write(value: JsonValue, path: (string | number)[]): string {
  if (typeof value === 'string') return writeString(value, path);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotCanonical([...path]);
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || path.length > MAX_DEPTH) throw new NotCanonical([...path]);
  return isArray(value) ? writeArray(value, path) : writeObject(value, path);
}

const isArray = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function writeString(value: string, path: Path): string {
  if (!NEEDS_CARE.test(value)) return `"${value}"`;
  if (LONE_SURROGATE.test(value)) throw new NotCanonical([...path]);
  return JSON.stringify(value);
}

function writeArray(elements: readonly JsonValue[], path: (string | number)[]): string {
  let text = '[';
  for (let index = 0; index < elements.length; index += 1) {
    if (index > 0) text += ',';
    path.push(index);
    text += write(elements[index] as JsonValue, path);
    path.pop();
  }
  return `${text}]`;
}

function writeObject(object: { readonly [key: string]: JsonValue }, path: (string | number)[]): string {
  let text = '{';
  // The default order of sort() is that of UTF-16 code units, which RFC 8785 3.2.3 asks for.
  for (const name of Object.keys(object).sort()) {
    if (text.length > 1) text += ',';
    path.push(name);
    text += `${writeString(name, path)}:${write(object[name] as JsonValue, path)}`;
    path.pop();
  }
  return `${text}}`;
}
