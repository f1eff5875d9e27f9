import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { canonicalText } from '../canonical/index.ts';
import { resourceOf } from '../broker/index.ts';
import type { FabricPort, FabricRead, FabricReadPort, FabricReply } from '../broker/ports.ts';
import { exchange } from './exchange.ts';
import type { Sending } from './exchange.ts';
import { defaultFabricLimits } from './limits.ts';
import type { FabricLimits } from './limits.ts';
import { createOauth } from './oauth.ts';
import type { Credentials } from './oauth.ts';
import { searchPrices } from './prices.ts';
import { replyOf } from './replies.ts';

export interface FabricDeps {
  /** Scheme, host and port; see `fabricOrigin`. */
  readonly origin: string;
  /** Looked at for each request, so that new ones count at once. They are sent to the token endpoint of this origin and nowhere else. */
  readonly credentials: () => Credentials | undefined;
  readonly clock: Clock;
  readonly limits?: Partial<FabricLimits>;
}

/** Fabric v4 over HTTP. Opens nothing until it is asked. */
export function createFabric({ origin, credentials, clock, limits: given }: FabricDeps): FabricPort & FabricReadPort {
  const limits = { ...defaultFabricLimits, ...given };
  const oauth = createOauth({ origin, credentials, clock, limits });

  const send = async (sending: Omit<Sending, 'headers' | 'answerBytes'>): Promise<FabricReply> => {
    const bearer = await oauth.bearer();
    if (bearer.kind !== 'bearer') return bearer;
    if (sending.signal?.aborted === true) return { kind: 'unsent', why: 'unreachable', note: 'the call was cancelled' };
    const reply = replyOf(await exchange(origin, { ...sending, headers: { authorization: `Bearer ${bearer.token}` }, answerBytes: limits.answerBytes }));
    // Not repeated with a new token: whoever wants it asks again.
    if (reply.kind === 'refused' && reply.status === 401) oauth.forget(bearer.token);
    return reply;
  };

  return {
    origin,
    dryRun: (change, signal) => send({ method: 'POST', target: `${resourceOf(change.changeType).path}?dryRun=true`, body: change.bodyText, deadlineMs: limits.requestMs, signal }),
    create: (change, maySend) => send({ method: 'POST', target: resourceOf(change.changeType).path, body: change.bodyText, deadlineMs: limits.createMs, maySend }),
    prices(filter: JsonObject, signal) {
      const until = clock.now().mono + limits.pricesMs;
      return searchPrices(filter, (body) => send({ method: 'POST', target: '/fabric/v4/prices/search', body: canonicalText(body), deadlineMs: Math.max(until - clock.now().mono, 1), signal }));
    },
    read({ path, query = {}, search }: FabricRead, signal) {
      const words = new URLSearchParams(query).toString();
      const target = `/fabric/v4/${path}${words === '' ? '' : `?${words}`}`;
      return send({ method: search === undefined ? 'GET' : 'POST', target, ...(search !== undefined && { body: canonicalText(search) }), deadlineMs: limits.requestMs, signal });
    },
  };
}
