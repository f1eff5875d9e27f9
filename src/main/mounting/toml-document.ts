import { parse, TomlDate, TomlError } from 'smol-toml';
import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';

/**
 * Reads TOML as Codex keeps it (TOML 1.0), with a byte order mark and any line ends, as the JSON value it stands for; dates become their text. A name
 * that stands twice, and anything else that TOML does not allow, is `invalid-config` with line and column.
 */
export function readTomlDocument(text: string): Result<JsonValue> {
  try {
    return ok(asJson(parse(text.replace(/^\uFEFF/, ''))));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return refused('invalid-config', `line ${error.line}, column ${error.column}: ${faultOf(error)}`);
  }
}

/** The first line of the library's message, without what it quotes of the file. */
const faultOf = ({ message }: TomlError): string => (message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '').replace(/["'`].*["'`]/, '…');

function asJson(value: unknown): JsonValue {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asJson(inner)]));
  return value as JsonValue;
}
