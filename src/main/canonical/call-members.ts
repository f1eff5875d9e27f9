import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { cappedPathText } from './path.ts';

/** Which member of `params` names what is called; a call without it cannot be shown in one sentence and is not made. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['resources/subscribe', 'uri'],
  ['resources/unsubscribe', 'uri'],
]);

/** What a call is of: the tool, prompt or resource it names; null where its method names none. Only of a call that is as it must be. */
export function subjectOf(method: string, params: JsonObject): string | null {
  const member = NAMED_BY.get(method);
  return member === undefined ? null : (params[member] as string);
}

/**
 * The place of the first member that is not what MCP has there, in either era, or undefined: a name or URI that is no text, is empty or holds a NUL;
 * `arguments` that are there and no object, and those of a prompt that are no texts; a `_meta` that is no object.
 */
export function misfitIn(method: string, params: JsonObject): string | undefined {
  const own = (name: string): JsonValue | undefined => (Object.hasOwn(params, name) ? params[name] : undefined);
  const member = NAMED_BY.get(method);
  if (member !== undefined && !isName(own(member))) return `params.${member}`;
  const meta = own('_meta');
  if (meta !== undefined && !isJsonObject(meta)) return 'params._meta';
  const given = method === 'tools/call' || method === 'prompts/get' ? own('arguments') : undefined;
  if (given === undefined) return undefined;
  if (!isJsonObject(given)) return 'params.arguments';
  const odd = method === 'prompts/get' ? Object.entries(given).find(([, value]) => typeof value !== 'string') : undefined;
  return odd && cappedPathText(['params', 'arguments', odd[0]]);
}

const isName = (value: JsonValue | undefined): boolean => typeof value === 'string' && value !== '' && !value.includes('\u0000');
