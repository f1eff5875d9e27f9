import { verify } from 'node:crypto';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isJsonObject, type JsonObject } from '../../shared/vocabulary/json.ts';
import { readStrict } from '../canonical/index.ts';
import { keyObject } from './bridge-fields.ts';
import type { BridgeRecord } from './ports.ts';

/** No intent is longer. */
const LONGEST = 8_192;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;

/** An intent whose signature is a bridge's. */
export interface Signed {
  readonly bridge: BridgeRecord;
  readonly claims: JsonObject;
}

/**
 * Reads a compact JWS (RFC 7515) signed with EdDSA over Ed25519 (RFC 8037) by one of the bridges; `kid`, where there is one, must be the bridge's name.
 * The header chooses no algorithm and brings no key. Everything that does not fit is the same `intent-invalid`: who cannot sign learns nothing.
 */
export function readSigned(intent: string, bridges: readonly BridgeRecord[]): Result<Signed> {
  const [, head = '', body = '', signature = ''] = (intent.length <= LONGEST ? COMPACT.exec(intent) : null) ?? [];
  const header = part(head);
  const claims = part(body);
  const bytes = exactly(signature);
  if (header === undefined || claims === undefined || bytes === undefined) return INVALID;
  if (header['alg'] !== 'EdDSA' || Object.hasOwn(header, 'crit')) return INVALID;
  const { kid } = header as { readonly kid?: unknown };
  const signed = Buffer.from(`${head}.${body}`);
  const bridge = bridges.filter(({ name }) => kid === undefined || kid === name).find(({ key }) => verify(null, signed, keyObject(key), bytes));
  return bridge === undefined ? INVALID : ok({ bridge, claims });
}

const INVALID = refused('intent-invalid');

/** Base64url that says what it means: another text of the same bytes is refused. */
function exactly(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

function part(text: string): JsonObject | undefined {
  const bytes = exactly(text);
  const read = bytes === undefined || bytes.length === 0 ? undefined : readStrict(bytes);
  return read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
}
