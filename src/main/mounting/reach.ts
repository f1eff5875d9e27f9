import type { JsonObject } from '../../shared/vocabulary/json.ts';
import { ok } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import { choiceField, textField, textList, textMap, wrong } from './entry-fields.ts';
import type { TargetSpec } from './target-spec.ts';
import type { Expansion } from './variables.ts';

type Reach = TargetSpec['reach'];
type Values = Readonly<Record<string, string>>;

/** How an entry says its target is reached, and what stood in its environment for the guard. */
export interface Reached {
  readonly reach: Reach;
  readonly guardEnv: Values;
  readonly warnings: readonly string[];
}

/** `streamable-http` and the like are what some clients call `http`. */
const TYPES = ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'] as const;

/** Keys that steer the guard; they are taken out before anything could be spawned with them (document 003, 2.2). */
const GUARD_KEY = /^FIBER_/;

export function readReach(entry: JsonObject, expansion: Expansion): Result<Reached> {
  const type = choiceField(entry['type'], 'type', TYPES);
  if (!type.ok) return type;
  const url = entry['url'] ?? entry['serverUrl'];
  if (entry['command'] !== undefined && url !== undefined) return wrong('command', 'stands beside a URL; an entry has one of the two');
  const env = textMap(entry['env'] ?? {}, 'env', expansion);
  if (!env.ok) return env;
  const { guardEnv, rest } = parted(env.value);
  if (url === undefined) {
    if (type.value !== undefined && type.value !== 'stdio') return wrong('url', 'is missing');
    const reach = readCommand(entry, rest, expansion);
    return reach.ok ? ok({ reach: reach.value, guardEnv, warnings: [] }) : reach;
  }
  if (type.value === 'stdio') return wrong('command', 'is missing');
  const read = readUrl(entry, url, type.value === 'sse' ? 'sse' : 'http', expansion);
  if (!read.ok) return read;
  const unused = Object.keys(rest).map((key) => `env.${key} is not used: an entry with a URL starts no process.`);
  return ok({ reach: read.value.reach, guardEnv, warnings: [...read.value.warnings, ...unused] });
}

function readCommand(entry: JsonObject, env: Values, expansion: Expansion): Result<Reach> {
  if (entry['command'] === undefined) return wrong('command', 'is missing, and so is a URL');
  const command = textField(entry['command'], 'command', expansion);
  if (!command.ok) return command;
  if (command.value.trim() === '') return wrong('command', 'must not be empty');
  const args = textList(entry['args'] ?? [], 'args', expansion);
  if (!args.ok) return args;
  const odd = Object.keys(env).find((key) => key === '' || key.includes('='));
  if (odd !== undefined) return wrong('env', 'has a key that is no variable name');
  const cwd = entry['cwd'] === undefined || entry['cwd'] === null ? ok(null) : textField(entry['cwd'], 'cwd', expansion);
  if (!cwd.ok) return cwd;
  if (cwd.value !== null && !isAbsolute(cwd.value)) return wrong('cwd', 'must be an absolute path');
  return ok({ transport: 'stdio', command: command.value, args: args.value, env, cwd: cwd.value });
}

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path);

function readUrl(entry: JsonObject, value: unknown, transport: 'http' | 'sse', expansion: Expansion): Result<{ readonly reach: Reach; readonly warnings: readonly string[] }> {
  const url = textField(value, 'url', expansion);
  if (!url.ok) return url;
  if (/[\s\p{Cc}]/u.test(url.value) || !URL.canParse(url.value)) return wrong('url', 'is not a URL');
  const parsed = new URL(url.value);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return wrong('url', 'must begin with http:// or https://');
  if (parsed.username !== '' || parsed.password !== '') return wrong('url', 'holds a user name or password; use a header instead');
  const headers = textMap(entry['headers'] ?? {}, 'headers', expansion);
  if (!headers.ok) return headers;
  const sent = sentHeaders(headers.value);
  return sent.ok ? ok({ reach: { transport, url: url.value, headers: sent.value.kept }, warnings: sent.value.warnings }) : sent;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the transport itself says, or what would change the meaning of the connection. */
const OUR_HEADERS: ReadonlySet<string> = new Set([
  'accept', 'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'last-event-id',
  'mcp-protocol-version', 'mcp-session-id', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]);

function sentHeaders(headers: Values): Result<{ readonly kept: Values; readonly warnings: readonly string[] }> {
  const kept: [string, string][] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) return wrong('headers', 'has a name that is no header name');
    if (!HEADER_VALUE.test(value)) return wrong(`headers.${name}`, 'holds a character a header cannot carry');
    if (seen.has(lower)) return wrong(`headers.${name}`, 'stands there twice');
    seen.add(lower);
    if (OUR_HEADERS.has(lower)) warnings.push(`headers.${name} is not used: Countersign sets it itself.`);
    else kept.push([name, value]);
  }
  return ok({ kept: Object.fromEntries(kept), warnings });
}

/** Takes the guard's keys out of an environment. */
function parted(env: Values): { readonly guardEnv: Values; readonly rest: Values } {
  const entries = Object.entries(env);
  return { guardEnv: Object.fromEntries(entries.filter(([key]) => GUARD_KEY.test(key))), rest: Object.fromEntries(entries.filter(([key]) => !GUARD_KEY.test(key))) };
}
