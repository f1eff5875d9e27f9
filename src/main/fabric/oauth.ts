import { isJsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import type { FabricReply } from '../broker/ports.ts';
import { sha256Hex } from '../canonical/index.ts';
import { exchange } from './exchange.ts';
import type { FabricLimits } from './limits.ts';
import { bodyOf } from './replies.ts';

/** The key pair of an Equinix application (`EQUINIX_ACCESS_KEY`, `EQUINIX_SECRET_KEY`). */
export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
}

export type Unsent = Extract<FabricReply, { kind: 'unsent' }>;
export type Bearer = { readonly kind: 'bearer'; readonly token: string } | Unsent;

export interface Oauth {
  bearer(): Promise<Bearer>;
  /** Forgets a token Fabric no longer takes. */
  forget(token: string): void;
}

/** A token is renewed this long before it ends, and kept no longer than a day. */
const MARGIN_MS = 60_000;
const LONGEST_MS = 24 * 3_600_000;

/**
 * OAuth2 client credentials at `POST /oauth2/v1/token` (Equinix developer documentation): a JSON body, and the lifetime as text in the answer. Five bad attempts
 * lock the account, so that credentials that were refused once are not sent again by this process.
 */
export function createOauth({ origin, credentials, clock, limits }: { readonly origin: string; readonly credentials: () => Credentials | undefined; readonly clock: Clock; readonly limits: FabricLimits }): Oauth {
  let held: { readonly token: string; readonly until: number; readonly of: string } | undefined;
  /** What is asked for now, by whose it is. */
  const underWay = new Map<string, Promise<Bearer>>();
  /** Digests, so that no secret is kept longer than it is used. */
  const refused = new Set<string>();

  const fetchToken = async ({ accessKey, secretKey }: Credentials, of: string): Promise<Bearer> => {
    const body = JSON.stringify({ grant_type: 'client_credentials', client_id: accessKey, client_secret: secretKey });
    const answer = await exchange(origin, { method: 'POST', target: '/oauth2/v1/token', headers: {}, body, deadlineMs: limits.tokenMs, answerBytes: limits.answerBytes });
    if (answer.kind !== 'response') return unsent('unreachable', `the token endpoint: ${answer.note}`);
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) {
      refused.add(of);
      return unsent('credentials-refused', `the token endpoint answered HTTP ${answer.status}`);
    }
    const granted = answer.status === 200 ? bodyOf(answer.bytes) : undefined;
    const token = isJsonObject(granted) ? granted['access_token'] : undefined;
    if (!isJsonObject(granted) || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) return unsent('unreachable', `the token endpoint answered HTTP ${answer.status} without a token`);
    const seconds = Number(granted['token_timeout']);
    const lifeMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, LONGEST_MS) : 0;
    held = { token, until: clock.now().mono + lifeMs - MARGIN_MS, of };
    return { kind: 'bearer', token };
  };

  return {
    async bearer() {
      const pair = credentials();
      if (pair === undefined) return unsent('no-credentials', 'there are no credentials');
      const of = sha256Hex(JSON.stringify([pair.accessKey, pair.secretKey]));
      if (refused.has(of)) return unsent('credentials-refused', 'they were refused before and are not tried again');
      if (held?.of === of && clock.now().mono < held.until) return { kind: 'bearer', token: held.token };
      const known = underWay.get(of);
      if (known !== undefined) return known;
      const bearer = fetchToken(pair, of).finally(() => underWay.delete(of));
      underWay.set(of, bearer);
      return bearer;
    },
    forget(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

const unsent = (why: Unsent['why'], note: string): Unsent => ({ kind: 'unsent', why, note });
