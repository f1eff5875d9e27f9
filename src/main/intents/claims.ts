import { ok, refused, type Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';

/** What an intent says (contract, 3.1). Times are epoch milliseconds. */
export interface Claims {
  readonly sub: string;
  readonly payloadHash: string;
  readonly action: 'RESUME' | 'DECLINE';
  readonly expiresAt: number;
  readonly jti: string;
  readonly totp: string | null;
  /** Why it says no; told to the agent. */
  readonly reason: string | null;
}

/** How long an intent may count. */
const LONGEST_S = 300;
/** How far the clock of a bridge may be ahead of ours. */
const AHEAD_S = 60;
const JTI = /^[\x21-\x7e]{1,128}$/;

/** Reads the claims of a signed intent and judges its times. `intent-claims` names the claim that is wrong; `intent-expired` when its time is not now. */
export function readClaims(claims: JsonObject, wall: number): Result<Claims> {
  const { sub, payload_hash: payloadHash, action, iat, exp, nbf, jti, totp, reason } = claims as Readonly<Record<string, unknown>>;
  if (typeof sub !== 'string') return refused('intent-claims', 'sub');
  if (typeof payloadHash !== 'string') return refused('intent-claims', 'payload_hash');
  if (action !== 'RESUME' && action !== 'DECLINE') return refused('intent-claims', 'action');
  if (typeof jti !== 'string' || !JTI.test(jti)) return refused('intent-claims', 'jti');
  if (totp !== undefined && typeof totp !== 'string') return refused('intent-claims', 'totp');
  if (reason !== undefined && typeof reason !== 'string') return refused('intent-claims', 'reason');
  if (!isTime(iat)) return refused('intent-claims', 'iat');
  if (!isTime(exp) || exp <= iat || exp - iat > LONGEST_S) return refused('intent-claims', 'exp');
  if (nbf !== undefined && !isTime(nbf)) return refused('intent-claims', 'nbf');
  const now = wall / 1000;
  if (now >= exp || iat > now + AHEAD_S || (nbf !== undefined && nbf > now + AHEAD_S)) return refused('intent-expired');
  return ok({ sub, payloadHash, action, expiresAt: exp * 1000, jti, totp: totp ?? null, reason: reason ?? null });
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;
