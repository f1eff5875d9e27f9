import { literal, splitCommand } from '../mounting/index.ts';
import { usageFailure } from './failure.ts';
import { visible } from './visible-text.ts';

/** What `connect` was given. `variables` are those of the environment file, or undefined without one. */
export interface ConnectWords {
  readonly endpoint: string;
  readonly pattern: string | undefined;
  /** To have no guard was chosen. */
  readonly unguarded?: boolean;
  /** A human admits its tools the first time too. */
  readonly asksTools?: boolean;
  readonly mode: string | undefined;
  readonly headers: readonly string[];
  readonly variables: Readonly<Record<string, string>> | undefined;
  /** Where the command was typed. */
  readonly folder: string;
}

/** An entry as it would stand in an `.mcp.json` file. */
export interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly mode?: string;
  readonly preflight_pattern?: string;
  readonly guard?: 'none';
  readonly admission?: 'ask';
}

/**
 * Makes the entry that the words of `connect` stand for (contract, 3.3): a URL with its headers, or a command split by POSIX quoting without a
 * shell, so that a `$` in it is a letter like others. The gateway judges it; only what cannot be written as an entry is refused here.
 */
export function entryFor({ endpoint, pattern, unguarded = false, asksTools = false, mode, headers, variables, folder }: ConnectWords): Entry {
  const rest = { ...(mode === undefined ? {} : { mode }), ...(pattern === undefined ? {} : { preflight_pattern: pattern }), ...(unguarded && { guard: 'none' as const }), ...(asksTools && { admission: 'ask' as const }) };
  if (/^https?:\/\//i.test(endpoint)) return { url: endpoint, ...headersFor(headers, variables ?? {}), ...guardKeysOf(variables ?? {}), ...rest };
  if (headers.length > 0) throw usageFailure('A header (-H) needs a URL as the endpoint (-e).');
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint)) throw usageFailure('The endpoint (-e) is an address of another kind than http:// or https://.');
  const words = splitCommand(endpoint);
  const [command, ...args] = words.ok ? words.value.map(literal) : [];
  if (command === undefined) throw usageFailure('The endpoint (-e) is neither a URL nor a command; check its quotes.');
  if (/^[\w.-]+:\d+(\/|$)/.test(command)) throw usageFailure('The endpoint (-e) looks like an address; one begins with http:// or https://.');
  if (/^\w+=/.test(command)) throw usageFailure('No shell reads the command (-e): what it shall find in its environment goes into a file for -f.');
  // `.` must mean what it meant where it was typed, not where the gateway happens to run.
  const here = words.ok && words.value.some((word) => /^\.{1,2}(\/|$)/.test(word)) ? { cwd: folder } : {};
  return { command, args, ...here, ...(variables === undefined ? {} : { env: literally(variables) }), ...rest };
}

/** What stands in an environment file is what a child gets: the gateway fills nothing in. */
const literally = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> => Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, literal(value)]));

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/;

function headersFor(lines: readonly string[], variables: Readonly<Record<string, string>>): Pick<Entry, 'headers'> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) throw usageFailure('A header (-H) is written as NAME: VALUE.');
    headers[name] = literal(expanded(value, variables));
  }
  const bearer = variables.MCP_BEARER_TOKEN ?? '';
  if (bearer !== '' && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) headers.Authorization = literal(`Bearer ${bearer}`);
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function expanded(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const found = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (found === undefined) throw usageFailure(`The header names \${${visible(name)}}, which the environment file (-f) does not set.`);
    return found;
  });
}

/** A URL has no child to give an environment to, but its file may hold the guard's own keys. */
function guardKeysOf(variables: Readonly<Record<string, string>>): Pick<Entry, 'env'> {
  const keys = Object.entries(variables).filter(([name]) => name.startsWith('FIBER_'));
  return keys.length === 0 ? {} : { env: literally(Object.fromEntries(keys)) };
}
