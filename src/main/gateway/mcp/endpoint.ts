import { refusals, type RefusalCode } from '../../../shared/refusals.ts';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import { classifyMessage, type RequestMessage } from '../../canonical/index.ts';
import type { Downstream, TargetFace } from '../../dispatch/ports.ts';
import { newSessionId } from '../../platform/ids.ts';
import { ANSWERED, errorText, idOf, sendJson, sendRefusal, type Answered, type RefusalFacts } from '../http/answer.ts';
import type { ClientVisit, Route } from '../http/route.ts';
import type { GatewayLimits, GatewayPorts } from '../ports.ts';
import { acceptedOf, type Accepted } from './accept.ts';
import type { Holders } from './calls.ts';
import type { ModernLeg } from '../modern/leg.ts';
import { isStateless, isStatelessVersion } from '../modern/envelope.ts';
import { createExchange } from './exchange.ts';
import { faceOfAll, faceOfTarget } from './faces.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Scope } from './scope.ts';
import { loadSdk, SERVED_VERSIONS } from './sdk.ts';
import { createSession, type Session } from './session.ts';
import type { Sessions } from './sessions.ts';

interface Needs {
  readonly ports: GatewayPorts;
  readonly limits: GatewayLimits;
  readonly sessions: Sessions;
  readonly heartbeat: Heartbeat;
  readonly stopping: AbortSignal;
  readonly holders: Holders;
  /** Serves the stateless revision at the same addresses. */
  readonly modern: ModernLeg;
}

const ALL: Scope = { kind: 'all' };

/** The MCP endpoints: Streamable HTTP with sessions for MCP up to 2025-11-25, and the stateless revision 2026-07-28 at the same addresses (contract, 3 and 3.2). */
export function mcpRoutes({ ports, limits, sessions, heartbeat, stopping, holders, modern }: Needs): readonly Route[] {
  const { targets, log } = ports;

  async function post(visit: ClientVisit, scope: Scope): Promise<Answered> {
    const { response, head, body = null } = visit;
    if (isStateless(head, body)) return modern.post(visit, scope);
    const accepted = acceptedOf(head.headers.accept);
    if (accepted === undefined) return refuse(visit, 'not-acceptable');
    const read = classifyMessage(body);
    if (!read.ok) return refuse(visit, read.code, read);
    const message = read.value;
    if (message.kind === 'request' && message.method === 'initialize' && head.headers['mcp-session-id'] === undefined) return initialize(visit, scope, message, accepted);

    const session = sessionOf(visit, scope);
    if (session === undefined) return ANSWERED;
    if (message.kind !== 'request') {
      session.take(message, body);
      response.writeHead(202).end();
      return ANSWERED;
    }
    if (message.method === 'initialize') return refuse(visit, 'invalid-request', { at: 'method' });
    const exchange = createExchange({ id: message.id, response, accepted, heartbeat, limit: limits.streamBytes, headers: () => ({}) });
    return session.request(message, body, exchange) ? ANSWERED : sendRefusal(response, message.id, 'invalid-request', { at: 'id' });
  }

  /** The visitor's session; when there is none, the visitor has been answered. */
  function sessionOf(visit: ClientVisit, scope: Scope): Session | undefined {
    const { head, client } = visit;
    const version = head.headers['mcp-protocol-version'];
    const id = head.headers['mcp-session-id'];
    if (head.twice.includes('mcp-session-id') || head.twice.includes('mcp-protocol-version')) refuse(visit, 'invalid-request');
    else if (version !== undefined && !SERVED_VERSIONS.includes(version)) refuse(visit, 'protocol-version-not-supported', { served: SERVED_VERSIONS });
    else if (id === undefined) refuse(visit, 'session-required');
    else {
      const session = sessions.find(id, client.id, scope);
      if (session === undefined) refuse(visit, 'unknown-session');
      return session;
    }
    return undefined;
  }

  async function initialize(visit: ClientVisit, scope: Scope, message: RequestMessage, accepted: Accepted): Promise<Answered> {
    const { response, client, body = null } = visit;
    const sdk = await loadSdk();
    if (!sdk.isInitialize(body)) return sendRefusal(response, message.id, 'invalid-params', { at: 'params' });
    if (!sessions.room(client.id)) return sendRefusal(response, message.id, 'too-many-sessions');
    const downstream: Downstream = { session: newSessionId(), capabilities: member(message.params, 'capabilities'), clientInfo: member(message.params, 'clientInfo') };
    const { session: id } = downstream;
    targets.beginSession?.(downstream, (target, method, params) => sessions.heard(id, target, method, params));
    const shown = scope.kind === 'all' ? undefined : await targets.face(scope.target, downstream);
    if (shown !== undefined && 'kind' in shown) {
      targets.endSession(id);
      return tellFaceless(visit, message, shown);
    }
    const face = shown === undefined ? faceOfAll(ports.version) : faceOfTarget(shown);
    const session = await createSession({ scope, client, downstream, face, sdk, ports, limits, heartbeat, stopping, holders, log });
    sessions.add(session);
    const headers = { 'mcp-session-id': id };
    session.request(message, body, createExchange({ id: message.id, response, accepted, heartbeat, limit: limits.streamBytes, headers: () => headers }));
    return ANSWERED;
  }

  function get(visit: ClientVisit, scope: Scope): Answered {
    if (isStatelessVersion(visit.head.headers['mcp-protocol-version'])) return onlyPost(visit);
    if (acceptedOf(visit.head.headers.accept)?.stream !== true) return refuse(visit, 'not-acceptable');
    const session = sessionOf(visit, scope);
    return session === undefined || session.openStream(visit.response) ? ANSWERED : refuse(visit, 'stream-exists');
  }

  function end(visit: ClientVisit, scope: Scope): Answered {
    if (isStatelessVersion(visit.head.headers['mcp-protocol-version'])) return onlyPost(visit);
    const session = sessionOf(visit, scope);
    if (session === undefined) return ANSWERED;
    sessions.end(session);
    visit.response.writeHead(200, { 'content-length': 0 }).end();
    return ANSWERED;
  }

  /** An endpoint at this path; `serve` is given what it serves, or the visitor is told that there is no such target. */
  function endpoint(path: string, scopeOf: (visit: ClientVisit) => Scope | undefined): Route {
    const within = (serve: (visit: ClientVisit, scope: Scope) => Answered | Promise<Answered>) => (visit: ClientVisit) => {
      const scope = scopeOf(visit);
      return scope === undefined ? refuse(visit, 'unknown-target') : serve(visit, scope);
    };
    return { path, door: 'client', uses: { POST: { body: 'json', serve: within(post) }, GET: { body: 'none', serve: within(get) }, DELETE: { body: 'none', serve: within(end) } } };
  }

  return [
    endpoint('/mcp', () => ALL),
    endpoint('/v1/mcp-gateway/invoke', () => ALL),
    endpoint('/v1/mcp-gateway/{target}/mcp', ({ captured }) => (targets.has(captured as TargetId) ? { kind: 'target', target: captured as TargetId } : undefined)),
  ];
}

function refuse({ response, body }: ClientVisit, code: RefusalCode, facts?: RefusalFacts): Answered {
  return sendRefusal(response, idOf(body), code, facts);
}

/** The stateless revision has neither a session's stream nor its end. */
const onlyPost = ({ response }: ClientVisit): Answered => sendRefusal(response, null, 'method-not-allowed', {}, { allow: 'POST' });

/** The target could not be initialized, so neither can a session with it: 502, with its own error where it gave one. */
function tellFaceless({ response }: ClientVisit, { id }: RequestMessage, shown: Exclude<Awaited<ReturnType<GatewayPorts['targets']['face']>>, TargetFace>): Answered {
  if (shown.kind === 'error') return sendJson(response, refusals['upstream-fault'].http, errorText(id, shown.error));
  return sendRefusal(response, id, shown.kind === 'fault' ? shown.code : 'upstream-unreachable');
}

const member = (params: JsonObject, name: string): JsonObject => {
  const value = params[name];
  return isJsonObject(value) ? value : {};
};
