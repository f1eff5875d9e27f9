import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../shared/vocabulary/json.ts';
import { readStrict } from '../canonical/index.ts';
import type { FabricError, FabricReply } from '../broker/ports.ts';
import type { Exchanged } from './exchange.ts';

/** The body as JSON, or undefined when there is none that every reader would read alike. */
export function bodyOf(bytes: Buffer | undefined): JsonValue | undefined {
  if (bytes === undefined) return undefined;
  const read = readStrict(bytes);
  return read.ok ? read.value : undefined;
}

/**
 * What an exchange means. 2xx is an answer; a 4xx is a definite no. A redirect (never followed), a time-out of the other side and a 5xx settle nothing:
 * the request was taken in by somebody and may have been done.
 */
export function replyOf(exchanged: Exchanged): FabricReply {
  if (exchanged.kind !== 'response') return exchanged;
  const { status, bytes } = exchanged;
  if (status >= 200 && status < 300) return { kind: 'answered', status, body: bodyOf(bytes) };
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'refused', status, errors: errorsIn(bodyOf(bytes)) };
  if (status >= 300 && status < 400) return { kind: 'lost', note: `it was answered with a redirect (HTTP ${status}), which is not followed` };
  return { kind: 'lost', note: `it was answered with HTTP ${status}` };
}

const LONGEST = 500;
const MOST = 16;

/** Fabric's errors: a list of them, or one alone, or the form of the token endpoint. Whatever is none is passed over. */
export function errorsIn(body: JsonValue | undefined): readonly FabricError[] {
  const list: readonly JsonValue[] = body === undefined ? [] : Array.isArray(body) ? (body as readonly JsonValue[]) : [body];
  return list.filter(isJsonObject).slice(0, MOST).flatMap((entry) => {
    const [code, message] = [text(entry, 'errorCode', 'error_code'), text(entry, 'errorMessage', 'error_message')];
    if (code === null && message === null) return [];
    const info: readonly JsonValue[] = Array.isArray(entry['additionalInfo']) ? (entry['additionalInfo'] as readonly JsonValue[]) : [];
    const hints = info.filter(isJsonObject).slice(0, MOST);
    const reasons = [text(entry, 'details'), ...hints.map((hint) => text(hint, 'reason'))].filter((reason) => reason !== null && reason !== message);
    return [{ code, message: [message ?? 'no message', ...reasons].join('; ').slice(0, LONGEST), property: hints.map((hint) => text(hint, 'property')).find((name) => name !== null) ?? null }];
  });
}

function text(entry: JsonObject, ...names: readonly string[]): string | null {
  const found = names.map((name) => entry[name]).find((value) => typeof value === 'string' || typeof value === 'number');
  return found === undefined ? null : String(found).slice(0, LONGEST);
}
