import { ok, refused } from '../../shared/result.ts';
import type { Result } from '../../shared/result.ts';
import type { JsonObject } from '../../shared/vocabulary/json.ts';
import type { Clock } from '../../shared/vocabulary/time.ts';
import { canonicalText } from '../canonical/index.ts';
import type { Boundary } from './boundary.ts';
import { compileHttpRequest, isHeaderValue } from './http-request.ts';
import type { HttpRequest } from './http-request.ts';
import { createLimits } from './limits.ts';
import { isLoopbackHost } from './origin.ts';
import type { Connector, Credentials } from './ports.ts';
import type { Revision } from './resource.ts';
import { createResultCache } from './result-cache.ts';
import { readAnswer } from './tool-answer.ts';
import type { ToolOutcome } from './tool-answer.ts';

export interface ToolCallsDeps {
  readonly boundary: Boundary;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly connector: Connector;
  readonly erpBaseUrl?: string | undefined;
  /** INSECURE_AUTH_ALLOWED_HOSTS: host names, besides this machine, that may get a credential over plain http. */
  readonly insecureAuthHosts?: readonly string[];
}

export interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
}

/** One call in its two halves, between which it may be parked. Both are governed by the one revision that was resolved for it, and by nothing else. */
export interface ToolCalls {
  /**
   * Role, schema, mapping, origin: steps 1 and 2 of document 002, without any I/O. `role-not-allowed`, `arguments-misfit`, `origin-not-approved`,
   * `credential-in-clear`.
   */
  prepare(revision: Revision, args: JsonObject, principal: Principal): Result<HttpRequest>;
  /** Takes a prepared call, that is no repeat, from the tool's rate. `tool-rate-limited`. */
  spend(revision: Revision): Result<true>;
  /**
   * The stored request goes out: cache, concurrency, credential, then steps 2 to 8. An approved one is sent
   * whatever the cache holds, and waits for its place. `revision-withdrawn`, `origin-not-approved`, `tool-busy`,
   * `credential-missing`, `credential-in-clear`: nothing was sent. Every other ending is an outcome.
   */
  run(revision: Revision, request: HttpRequest, principal: Principal, how?: { readonly approved?: boolean }): Promise<Result<ToolOutcome>>;
  /** Forgets what was kept of a revision; to be told of withdrawals. */
  forget(revision: Revision): void;
}

export function createToolCalls({ boundary, clock, credentials, connector, erpBaseUrl, insecureAuthHosts = [] }: ToolCallsDeps): ToolCalls {
  const limits = createLimits({ clock });
  const cache = createResultCache({ clock });

  const inClear = ({ resource: { spec } }: Revision, { protocol, hostname }: URL): boolean =>
    spec.security.authType !== undefined && protocol === 'http:' && !isLoopbackHost(hostname) && !insecureAuthHosts.includes(hostname);

  async function headersOf({ resource: { spec } }: Revision, request: HttpRequest): Promise<Result<Readonly<Record<string, string>>>> {
    const open = Object.entries(request.headers).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
    const { authType, authHeader, credentialRef, credentialSource } = spec.security;
    if (authType === undefined || authHeader === undefined || credentialRef === undefined || credentialSource === undefined) return ok(Object.fromEntries(open));
    const secret = await credentials.read({ source: credentialSource, name: credentialRef });
    if (secret === undefined || secret === '') return refused('credential-missing');
    const value = authType === 'bearer' ? `Bearer ${secret}` : authType === 'basic' ? `Basic ${Buffer.from(secret, 'utf8').toString('base64')}` : secret;
    return isHeaderValue(value) ? ok(Object.fromEntries([...open, [authHeader.toLowerCase(), value]])) : refused('credential-missing');
  }

  async function send(revision: Revision, request: HttpRequest): Promise<Result<ToolOutcome>> {
    const { name } = revision.resource.metadata;
    const { approvedOrigins } = revision.resource.spec.execution;
    const origin = boundary.checkOrigin(revision, request.url);
    if (!origin.ok) return origin;
    if (inClear(revision, origin.value)) return refused('credential-in-clear');
    const headers = await headersOf(revision, request);
    if (!headers.ok) return headers;
    const bodyText = request.body === null ? null : canonicalText(request.body);
    const answer = await boundary.dispatch(revision, request.url, async (url) => {
      try {
        return await connector.send({ method: request.method, url, headers: headers.value, bodyText, approvedOrigins });
      } finally {
        cache.flush(name);
      }
    });
    return answer.ok ? ok(readAnswer(revision, answer.value)) : answer;
  }

  return {
    prepare(revision, args, { roles }) {
      const { allowedRoles } = revision.resource.spec.security;
      if (allowedRoles.length > 0 && !allowedRoles.some((role) => roles.includes(role))) return refused('role-not-allowed');
      const request = compileHttpRequest(revision, args, erpBaseUrl);
      if (!request.ok) return request;
      const origin = boundary.checkOrigin(revision, request.value.url);
      if (!origin.ok) return origin;
      return inClear(revision, origin.value) ? refused('credential-in-clear') : request;
    },
    spend: limits.spend,
    async run(revision, request, principal, { approved = false } = {}) {
      const place = cache.place(revision, principal.id, request);
      const hit = approved ? undefined : place?.get();
      if (hit !== undefined) return boundary.recall(revision, () => ({ kind: 'result', value: hit.value }));
      const entered = approved ? ok(await limits.await(revision, principal.id)) : limits.enter(revision, principal.id);
      if (!entered.ok) return entered;
      try {
        const outcome = await send(revision, request);
        if (outcome.ok && outcome.value.kind === 'result') place?.put(outcome.value.value);
        return outcome;
      } finally {
        entered.value();
      }
    },
    forget: ({ digest }) => cache.forget(digest),
  };
}
