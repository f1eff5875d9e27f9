import { createPublicKey, type KeyObject } from 'node:crypto';
import { ok, refused, type Result } from '../../shared/result.ts';
import { isJsonObject, type JsonValue } from '../../shared/vocabulary/json.ts';
import { readStrictText } from '../canonical/index.ts';

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_NAME = 32;
const LONGEST_KEY = 4_096;
const LONGEST_URL = 2_048;

export const isBridgeName = (text: string): boolean => text.length <= LONGEST_NAME && NAME.test(text);

/**
 * The 32 bytes of an Ed25519 public key as base64url, read from a PEM file, a JWK, or those 32 bytes as base64url or hex. `invalid-bridge` for
 * anything else, private keys first of all: they belong to the bridge alone.
 */
export function readBridgeKey(text: string): Result<string> {
  const given = text.trim();
  if (given.length > LONGEST_KEY) return refused('invalid-bridge', 'key: it is too long');
  if (/PRIVATE KEY/.test(given)) return refused('invalid-bridge', 'key: this is a private key; give the public one');
  if (given.startsWith('{')) return readJwk(given);
  if (given.includes('BEGIN')) return readPem(given);
  const raw = /^[0-9a-f]{64}$/i.test(given) ? Buffer.from(given, 'hex') : Buffer.from(given, 'base64url');
  return /^[A-Za-z0-9_-]{43}$|^[0-9a-f]{64}$/i.test(given) && raw.length === 32 ? checked(raw.toString('base64url')) : refused('invalid-bridge', NOT_A_KEY);
}

const NOT_A_KEY = 'key: it is not an Ed25519 public key (PEM, JWK, base64url or hex)';

function readJwk(text: string): Result<string> {
  const read = readStrictText(text);
  if (!read.ok || !isJsonObject(read.value)) return refused('invalid-bridge', NOT_A_KEY);
  const { kty, crv, x } = read.value as Readonly<Record<string, JsonValue | undefined>>;
  if (Object.hasOwn(read.value, 'd')) return refused('invalid-bridge', 'key: this is a private key; give the public one');
  return kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' ? checked(x) : refused('invalid-bridge', NOT_A_KEY);
}

function readPem(text: string): Result<string> {
  try {
    const { x, crv } = createPublicKey(text).export({ format: 'jwk' });
    return crv === 'Ed25519' && typeof x === 'string' ? checked(x) : refused('invalid-bridge', NOT_A_KEY);
  } catch (error) {
    if (error instanceof Error) return refused('invalid-bridge', NOT_A_KEY);
    throw error;
  }
}

function checked(x: string): Result<string> {
  const raw = Buffer.from(x, 'base64url');
  if (raw.length !== 32 || raw.toString('base64url') !== x) return refused('invalid-bridge', NOT_A_KEY);
  return isWeak(raw) ? refused('invalid-bridge', 'key: anybody could sign for this key') : ok(x);
}

/** The y coordinates of the points of small order (little-endian, the sign bit left out): under such a key a signature proves nothing. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
]);

function isWeak(raw: Uint8Array): boolean {
  const y = Buffer.from(raw);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER.has(y.toString('hex'));
}

export const keyObject = (x: string): KeyObject => createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Where a bridge wants to be told: an https URL, or an http one to this machine, without a login in it. `invalid-bridge` for any other. */
export function readBridgeUrl(text: string): Result<string> {
  if (text.length > LONGEST_URL || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return refused('invalid-bridge', 'url: it is not a URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refused('invalid-bridge', 'url: it holds a user name or password');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))) return ok(url.href);
  return refused('invalid-bridge', 'url: it must begin with https://, or with http:// and name this machine');
}
