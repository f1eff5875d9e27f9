import type { JsonValue } from '../../shared/vocabulary/json.ts';
import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { StandIn } from '../../shared/vocabulary/stand-in.ts';
import type { Path } from './path.ts';

/**
 * Tells what a null stands for in a compiled request, by its path. Only the request of a declarative HTTP tool, `{"body","headers","method","url"}`, has
 * nulls that stand for something (contract, section 1: its credential headers are in the text by name only); everywhere else null is sent as null.
 */
export function standInsOf(request: JsonValue): (path: Path) => StandIn | undefined {
  if (!isJsonObject(request) || Object.keys(request).sort().join() !== 'body,headers,method,url') return () => undefined;
  const { body, headers } = request;
  return ([member, name]) => {
    if (member === 'body') return body === null ? 'no-body' : undefined;
    return member === 'headers' && typeof name === 'string' && isJsonObject(headers) && headers[name] === null ? 'credential' : undefined;
  };
}
