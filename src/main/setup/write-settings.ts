import { applyEdits, modify, parse, type Edit, type ParseError } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { canonicalText } from '../canonical/index.ts';
import { readSettings } from '../mounting/index.ts';
import { entryText, entryValue, OUR_NAME, type OurEntry } from './our-entry.ts';
import type { SetupClient } from './setup-clients.ts';

/**
 * The text of a client's settings with our entry in it, in place of an older one of ours; comments, order and everything else stay as they are, a byte
 * order mark goes. Where it says the same already it comes back untouched. `before` is the present text, empty when there is no file. `invalid-config` with line and column when it cannot be read, or when
 * our entry cannot be put in without changing anything else; then nothing may be written.
 */
export function writeSettings(client: SetupClient, before: string, entry: OurEntry): Result<string> {
  const text = before.replace(/^\uFEFF/, '');
  const present = text.trim() === '' ? ok<JsonObject>({}) : readSettings(text, client.format);
  if (!present.ok) return present;
  if (!mayHold(present.value, client.path)) return CANNOT;
  const ours = ourEntry(client, present.value);
  if (ours !== undefined && canonicalText(ours) === canonicalText(entryValue(client, entry))) return ok(before);
  const written = client.format === 'json' ? intoJson(client, text, entry) : intoToml(client, text, entry);
  const after = client.format === 'json' ? jsonOf(written) : tomlOf(written);
  const wanted = client.path.reduceRight<(from: JsonObject) => JsonObject>(
    (inner, name) => (from) => ({ ...from, [name]: inner(memberOf(from, name)) }),
    (from) => ({ ...from, [OUR_NAME]: entryValue(client, entry) }),
  )(present.value);
  return after !== undefined && canonicalText(after) === canonicalText(wanted) ? ok(written) : CANNOT;
}

/** The client's token in our entry of these settings; undefined where there is none, or they cannot be read. */
export function tokenIn(client: SetupClient, text: string): string | undefined {
  const present = readSettings(text.replace(/^\uFEFF/, ''), client.format);
  const ours = present.ok ? ourEntry(client, present.value) : undefined;
  return ours && /\bcs_[A-Za-z0-9_-]{43}\b/.exec(JSON.stringify(ours))?.[0];
}

function ourEntry(client: SetupClient, settings: JsonObject): JsonObject | undefined {
  let inner: JsonValue | undefined = settings;
  for (const name of [...client.path, OUR_NAME]) inner = isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  return isJsonObject(inner) ? inner : undefined;
}

const CANNOT = refused('invalid-config', 'line 1, column 1: our entry cannot be put in without changing something else');

/** Whether the place of the servers is free, or an object. */
function mayHold(settings: JsonObject, path: readonly string[]): boolean {
  let inner: JsonObject = settings;
  for (const name of path) {
    const next = Object.hasOwn(inner, name) ? inner[name] : {};
    if (!isJsonObject(next)) return false;
    inner = next;
  }
  return true;
}

const memberOf = (from: JsonObject, name: string): JsonObject => {
  const value = from[name];
  return isJsonObject(value) ? value : {};
};

/** Laid out as the file is; no blank of theirs is touched. */
function intoJson(client: SetupClient, text: string, entry: OurEntry): string {
  if (text.trim() === '') return entryText(client, entry);
  const edits = modify(text, [...client.path, OUR_NAME], entryValue(client, entry), {});
  return applyEdits(text, text.trim().includes('\n') ? edits.map((edit) => ({ ...edit, content: laidOut(edit, text, client.path.length + 1) })) : edits);
}

/** What is put in, over lines: our value at `depth` in place of an older one, or a property, ours or the place of the servers, behind others or alone. */
function laidOut({ offset, length, content }: Edit, text: string, depth: number): string {
  const [, comma = '', key = '', value = ''] = /^(,?)("\w+": ?)?([\s\S]*?)$/.exec(content) ?? [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^(\t| +)\S/m.exec(text)?.[1] ?? '  ';
  const level = key === '' || key.startsWith(`"${OUR_NAME}"`) ? depth : 1;
  const lines = JSON.stringify(JSON.parse(value), null, unit).replaceAll('\n', eol + unit.repeat(level));
  if (key === '') return lines;
  const isClosed = text.slice(offset + length).startsWith('}');
  return `${comma}${eol}${unit.repeat(level)}${key}${lines}${isClosed ? eol + unit.repeat(level - 1) : ''}`;
}

/** Our tables, and where they end: at the next table that is not ours. */
const OURS = /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?countersign["']?[ \t]*(\.[^\]\n]*)?\][^\n]*\n?(?:(?![ \t]*\[)[^\n]*(?:\n|$))*/gm;

function intoToml(client: SetupClient, text: string, entry: OurEntry): string {
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  const others = text.replace(/\r\n/g, '\n').replace(OURS, '').trimEnd();
  return `${others}${others === '' ? '' : '\n\n'}${entryText(client, entry)}`.replaceAll('\n', eol);
}

function jsonOf(text: string): JsonObject | undefined {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  return errors.length === 0 && isJsonObject(value) ? value : undefined;
}

function tomlOf(text: string): JsonObject | undefined {
  try {
    return JSON.parse(JSON.stringify(parseToml(text))) as JsonObject;
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}
