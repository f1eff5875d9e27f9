import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Refused, Result } from '../../shared/result.ts';
import { isSwitchedOff, specFromEntry } from './entry.ts';
import type { ReadEntry } from './entry.ts';
import { readJsonDocument } from './json-document.ts';
import { isOwnEndpoint } from './own-endpoint.ts';
import { idFromName } from './target-name.ts';
import type { Variables } from './variables.ts';

/** One entry of a file: the target made of it, or why it is not mounted. */
export interface MountedEntry {
  /** The name as it stands in the file, and the id made of it. */
  readonly name: string;
  readonly id: TargetId;
  readonly read: { readonly ok: true; readonly value: ReadEntry } | Refused;
}

export interface ReadConfig {
  /** In the order of the file. */
  readonly entries: readonly MountedEntry[];
  /** One sentence each: about the file as a whole, and those of its entries with the entry's name before them. */
  readonly warnings: readonly string[];
}

export interface ReadConfigOptions {
  readonly variables: Variables;
  /** The port of our own listener, when it is known; entries that point there are refused with `own-endpoint`. */
  readonly port?: number;
}

/** Where the clients keep their servers: Claude Desktop, Claude Code, Cursor and Windsurf; VS Code; Zed; VS Code's settings. */
const PLACES: readonly { readonly path: readonly string[]; readonly entry: (value: JsonValue) => JsonValue }[] = [
  { path: ['mcpServers'], entry: (value) => value },
  { path: ['servers'], entry: withoutKeys('gallery', 'version') },
  { path: ['context_servers'], entry: fromZed },
  { path: ['mcp', 'servers'], entry: withoutKeys('gallery', 'version') },
];

/**
 * Reads a configuration file of an MCP client, whichever of the JSON forms it has (contract, 3.3 and 6). A file that does not parse, or holds no
 * servers, is refused whole (`invalid-config`, with line and column); an entry that is wrong is refused alone, and the others are read.
 */
export function readConfig(text: string, { variables, port }: ReadConfigOptions): Result<ReadConfig> {
  const document = readJsonDocument(text);
  if (!document.ok) return document;
  const found = serversIn(document.value);
  if (found === undefined) return refused('invalid-config', 'line 1, column 1: there is no mcpServers in it');
  const taken = new Set<TargetId>();
  const entries = Object.entries(found.servers).map(([name, value]): MountedEntry => {
    const id = idFromName(name, (one) => taken.has(one));
    taken.add(id);
    return { name, id, read: readEntry(id, found.entry(value), variables, port) };
  });
  const warnings = entries.flatMap(({ name, read }) => (read.ok ? read.value.warnings.map((warning) => `${name}: ${warning}`) : []));
  return ok({ entries, warnings: [...warningsOf(document.value), ...warnings] });
}

function readEntry(id: TargetId, entry: JsonValue, variables: Variables, port: number | undefined): MountedEntry['read'] {
  if (isSwitchedOff(entry)) return refused('entry-disabled');
  const read = specFromEntry(id, entry, variables);
  if (!read.ok || port === undefined) return read;
  const { reach } = read.value.spec;
  return reach.transport !== 'stdio' && isOwnEndpoint(reach.url, port) ? refused('own-endpoint', 'url') : read;
}

function serversIn(document: JsonValue): { readonly servers: JsonObject; readonly entry: (value: JsonValue) => JsonValue } | undefined {
  for (const { path, entry } of PLACES) {
    const servers = path.reduce<JsonValue | undefined>((value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), document);
    if (isJsonObject(servers)) return { servers, entry };
  }
  return undefined;
}

/** Claude Code keeps the servers of single projects in the same file. */
function warningsOf(document: JsonValue): readonly string[] {
  const projects = isJsonObject(document) ? document['projects'] : undefined;
  const has = isJsonObject(projects) && Object.values(projects).some((project) => isJsonObject(project) && isJsonObject(project['mcpServers']) && Object.keys(project['mcpServers']).length > 0);
  return has ? ['Servers of single projects in this file were not read; mount the .mcp.json of the project instead.'] : [];
}

/** Leaves out what a client keeps in an entry for itself. */
function withoutKeys(...keys: readonly string[]): (value: JsonValue) => JsonValue {
  return (value) => (isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value);
}

/** Zed has `source` and `settings` of its own, and in older files the command as an object `{path, args, env}`. */
function fromZed(value: JsonValue): JsonValue {
  const plain = withoutKeys('source', 'settings')(value);
  if (!isJsonObject(plain) || !isJsonObject(plain['command'])) return plain;
  const { command, ...rest } = plain;
  const { path, ...others } = command;
  return { ...rest, ...others, ...(path === undefined ? {} : { command: path }) };
}
