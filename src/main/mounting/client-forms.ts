import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';

/** Where one client keeps its servers in its file, and what an entry of it means in the form of an `.mcp.json`. */
export interface ClientForm {
  readonly path: readonly string[];
  readonly entry: (value: JsonValue) => JsonValue;
}

/** Claude Desktop, Claude Code, Cursor and Windsurf; VS Code; Zed; VS Code's settings; Codex. */
export const CLIENT_FORMS: readonly ClientForm[] = [
  { path: ['mcpServers'], entry: (value) => value },
  { path: ['servers'], entry: withoutKeys('gallery', 'version') },
  { path: ['context_servers'], entry: fromZed },
  { path: ['mcp', 'servers'], entry: withoutKeys('gallery', 'version') },
  { path: ['mcp_servers'], entry: fromCodex },
];

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

/** Codex names its headers otherwise, and takes tokens and single variables from the environment by name. */
function fromCodex(value: JsonValue): JsonValue {
  const plain = withoutKeys('startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec', 'enabled_tools', 'disabled_tools', 'required', 'tools')(value);
  if (!isJsonObject(plain)) return plain;
  const { http_headers: headers, env_http_headers: fromEnv, bearer_token_env_var: bearer, env_vars: handedOn, ...rest } = plain;
  const allHeaders: JsonObject = {
    ...(isJsonObject(headers) ? headers : {}),
    ...(isJsonObject(fromEnv) ? Object.fromEntries(Object.entries(fromEnv).map(([name, variable]) => [name, reference(variable)])) : {}),
    ...(bearer !== undefined && { Authorization: typeof bearer === 'string' ? `Bearer \${${bearer}}` : bearer }),
  };
  const allEnv: JsonObject = {
    ...(Array.isArray(handedOn) ? Object.fromEntries((handedOn as readonly JsonValue[]).map(handedOnName).filter((name) => typeof name === 'string').map((name) => [name, reference(name)])) : {}),
    ...(isJsonObject(rest['env']) ? rest['env'] : {}),
  };
  return { ...rest, ...(Object.keys(allHeaders).length > 0 && { headers: allHeaders }), ...(Object.keys(allEnv).length > 0 && { env: allEnv }) };
}

/** Codex names such a variable, or an object that says where it is looked for as well. */
const handedOnName = (item: JsonValue): JsonValue | undefined => (isJsonObject(item) ? item['name'] : item);

/** A variable named in the file, as our own way of writing it. */
const reference = (name: JsonValue): JsonValue => (typeof name === 'string' ? `\${${name}}` : name);
