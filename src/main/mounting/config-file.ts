import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { isTargetId } from '../../shared/vocabulary/ids.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';
import { ok, refused } from '../../shared/result.ts';
import type { Refused, Result } from '../../shared/result.ts';
import { isSwitchedOff, specFromEntry } from './entry.ts';
import type { ReadEntry } from './entry.ts';
import { CLIENT_FORMS } from './client-forms.ts';
import { readJsonDocument } from './json-document.ts';
import { leadsToUs } from './own-endpoint.ts';
import { idFromName } from './target-name.ts';
import { readTomlDocument } from './toml-document.ts';
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

/**
 * Reads a configuration file of an MCP client, whichever form it has, JSON or TOML (contract, 3.3 and 6). A file that does not parse, or holds no
 * servers, is refused whole (`invalid-config`, with line and column); an entry that is wrong is refused alone, and the others are read.
 */
export function readConfig(text: string, { variables, port }: ReadConfigOptions): Result<ReadConfig> {
  const read = readServers(text);
  if (!read.ok) return read;
  const { document, found } = read.value;
  const ids = idsOf(Object.keys(found.servers));
  const entries = Object.entries(found.servers).map(([name, value], index): MountedEntry => {
    const id = ids[index] as TargetId;
    return { name, id, read: readEntry(id, found.entry(value), variables, port) };
  });
  const warnings = entries.flatMap(({ name, read }) => (read.ok ? read.value.warnings.map((warning) => `${name}: ${warning}`) : []));
  return ok({ entries, warnings: [...warningsOf(document), ...warnings] });
}

interface Servers {
  readonly servers: JsonObject;
  readonly entry: (value: JsonValue) => JsonValue;
}

function readServers(text: string): Result<{ readonly document: JsonValue; readonly found: Servers }> {
  const document = isToml(text) ? readTomlDocument(text) : readJsonDocument(text);
  if (!document.ok) return document;
  const found = serversIn(document.value);
  return found === undefined ? refused('invalid-config', 'line 1, column 1: there is no mcpServers in it') : ok({ document: document.value, found });
}

/** The variables the entries of a configuration file refer to, with their values in `env`; a reader of the file gets no others. None of a file that cannot be read. */
export function namedVariables(text: string, env: Variables): Record<string, string> {
  const read = readServers(text);
  if (!read.ok) return {};
  const { servers, entry } = read.value.found;
  const written = JSON.stringify(Object.values(servers).map(entry));
  const names = new Set([...written.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ''));
  return Object.fromEntries([...names].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The ids of the names of one file. A name that is an id is that one, wherever it stands: no other entry comes by its guard or its place. */
function idsOf(names: readonly string[]): readonly TargetId[] {
  const taken = new Set<string>(names.filter(isTargetId));
  return names.map((name) => {
    if (isTargetId(name)) return name;
    const id = idFromName(name, (one) => taken.has(one));
    taken.add(id);
    return id;
  });
}

/** A JSON document that could hold servers begins with a brace, or a comment before it; TOML begins with a name, a bracketed one or `#`. */
const isToml = (text: string): boolean => /^\uFEFF?\s*(#|\[+\s*[\w"']|[\w-]+(\s*\.\s*[\w-]+)*\s*=)/.test(text);

function readEntry(id: TargetId, entry: JsonValue, variables: Variables, port: number | undefined): MountedEntry['read'] {
  if (isSwitchedOff(entry)) return refused('entry-disabled');
  const read = specFromEntry(id, entry, variables);
  if (!read.ok || port === undefined) return read;
  const own = leadsToUs(read.value.spec.reach, port);
  return own === undefined ? read : refused('own-endpoint', own);
}

/** The whole of a settings file as a value, for whoever puts something into it. `invalid-config` with line and column. */
export function readSettings(text: string, format: 'json' | 'toml'): Result<JsonObject> {
  const document = format === 'toml' ? readTomlDocument(text) : readJsonDocument(text);
  if (!document.ok) return document;
  return isJsonObject(document.value) ? ok(document.value) : refused('invalid-config', 'line 1, column 1: these are no settings');
}

function serversIn(document: JsonValue): Servers | undefined {
  for (const { path, entry } of CLIENT_FORMS) {
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
