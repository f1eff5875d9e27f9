import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ClientId, TargetId } from '../../../shared/vocabulary/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import { LOG_LEVELS } from '../../../shared/vocabulary/log-levels.ts';
import type { Message, RequestMessage } from '../../canonical/index.ts';
import type { ClientRecord } from '../../clients/ports.ts';
import type { Downstream, TargetDirectory } from '../../dispatch/ports.ts';
import type { Log } from '../../platform/log.ts';
import { ANSWERED, refusalText, resultText, type Answered } from '../http/answer.ts';
import type { GatewayLimits, GatewayPorts } from '../ports.ts';
import { createAddressing } from './address.ts';
import { createCalls, type Flight, type Holders } from './calls.ts';
import { createCatalogue } from './catalogue.ts';
import { createChanges } from './changes.ts';
import { openEventStream, type EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import type { Face } from './faces.ts';
import type { Heartbeat } from './heartbeat.ts';
import { isListMethod, type ListMethod } from './lists.ts';
import { wrapUri } from './names.ts';
import { PENDING_TOOL, pendingList, pendingTool } from './pending-tool.ts';
import { createRelay } from './relay.ts';
import { OWN_NAMED, type Scope } from './scope.ts';
import type { Sdk } from './sdk.ts';
import { sessionShape } from './session-shape.ts';
import { answerText, refusedText } from './told.ts';
import { createTransport } from './transport.ts';
import { withUrisOfTarget } from './uris-of-target.ts';

/** One client's session on one endpoint (MCP up to 2025-11-25). */
export interface Session {
  readonly id: string;
  readonly client: ClientId;
  readonly scope: Scope;
  /** Takes a request; its exchange is answered sooner or later. False when a request of the same id is still under way. */
  request(message: RequestMessage, raw: JsonValue, exchange: Exchange): boolean;
  /** Takes a notification or a client's answer to a question. */
  take(message: Exclude<Message, RequestMessage>, raw: JsonValue): void;
  /** Opens the one stream for what belongs to no request; false when it is open already. */
  openStream(response: ServerResponse): boolean;
  endStream(): void;
  /** A list changed, here or at a target. */
  changed(target: TargetId, what: 'tools' | 'prompts' | 'resources' | 'targets'): void;
  /** What a target says outside of any call. */
  heard(target: TargetId, method: string, params: Record<string, unknown> | undefined): void;
  /** Something is under way or a stream is open, so it is in use however long ago it was last spoken to. */
  isBusy(): boolean;
  close(): void;
}

export interface SessionNeeds {
  readonly scope: Scope;
  readonly client: ClientRecord;
  readonly downstream: Downstream;
  readonly face: Face;
  readonly sdk: Sdk;
  readonly ports: Pick<GatewayPorts, 'dispatch' | 'handles' | 'targets' | 'clock'>;
  readonly limits: GatewayLimits;
  readonly heartbeat: Heartbeat;
  readonly stopping: AbortSignal;
  readonly holders: Holders;
  readonly log: Log;
}

/** Answered by the SDK's server, as are the client's answers to questions. Everything else is relayed raw, past its schemas. */
const BY_SDK: ReadonlySet<string> = new Set(['initialize', 'ping']);

export async function createSession({ scope, client, downstream, face, sdk, ports, limits, heartbeat, stopping, holders, log }: SessionNeeds): Promise<Session> {
  const { dispatch, handles, targets, clock } = ports;
  const flights = new Map<string | number, Flight>();
  let stream: EventStream | undefined;
  /** Subscribed to by URIs that say whose they are. */
  const subscribed = new Set<unknown>();

  const broadcast = (text: string): boolean => stream?.send(text) ?? false;
  const transport = createTransport({ exchangeOf: (id) => (id === null ? undefined : flights.get(id)?.exchange), broadcast });
  const server = sdk.createSdkServer(face);
  server.onerror = (fault) => log.debug('mcp.sdk', { session: downstream.session, fault: fault.name });
  await server.connect(transport);

  const catalogue = createCatalogue({ targets, downstream, scope, ownTools: scope.kind === 'all' ? [pendingTool] : [], listMs: limits.listMs, shape: sessionShape, now: () => clock.now().mono });
  const address = createAddressing({ scope, has: (target) => targets.has(target), owns: (target, name) => targets.owns?.(target, name), catalogue, passesAll: (method, params) => targets.ids().every((target) => dispatch.wouldPass({ client: client.id, target, method, params })) });
  const calls = createCalls({ dispatch, handles, client, downstream, stopping, patienceMs: limits.patienceMs, now: () => clock.now().mono, holders });
  const changes = createChanges(broadcast);

  async function serve(message: RequestMessage, flight: Flight): Promise<Answered> {
    const { id, method, params } = message;
    const { exchange } = flight;
    if (isListMethod(method)) return exchange.answer(await listText(message, method));
    catalogue.called();
    if (scope.kind === 'all') {
      if (method === 'tools/call' && params['name'] === PENDING_TOOL) return exchange.answer(resultText(id, pendingList(handles.pending(client.id))));
      if (method === 'logging/setLevel') {
        if (!LOG_LEVELS.includes(params['level'])) return exchange.answer(refusalText(id, 'invalid-params', { at: 'params.level' }));
        await setLevels({ targets, downstream, passes: (target) => dispatch.wouldPass({ client: client.id, target, method, params }) }, (target) => calls.serve({ id, method }, { target, params }, unanswered(flight), relayOf(message, exchange)));
        return exchange.answer(resultText(id, {}));
      }
    }
    const found = address(method, params);
    const addressed = found instanceof Promise ? await found : found;
    if (!addressed.ok) return exchange.answer(refusedText(message, addressed.code, addressed));
    const { target } = addressed.value;
    const wrapped = addressed.value.params['uri'] !== params['uri'];
    if (wrapped && method === 'resources/subscribe') subscribed.add(params['uri']);
    if (wrapped && method === 'resources/unsubscribe') subscribed.delete(params['uri']);
    const named = scope.kind === 'target' ? exchange : withUrisOfTarget(exchange, { target, method, wrapped, catalogue });
    return calls.serve({ id, method, ...(method === 'tools/call' && { shape: sessionShape }) }, addressed.value, { ...flight, exchange: named }, relayOf(message, exchange));
  }

  /** The id 0 is one like any other, though it is falsy. */
  function cancel(requestId: JsonValue | undefined): void {
    const flight = typeof requestId === 'string' || typeof requestId === 'number' ? flights.get(requestId) : undefined;
    flight?.cancel.abort(new Error('cancelled by the client'));
    flight?.exchange.drop();
  }

  /** What a client tells its targets goes past the same guard as what it asks of them. Nobody waits for an answer, so what would be trapped is dropped. */
  function tell({ method, params }: Pick<RequestMessage, 'method' | 'params'>): void {
    const told = scope.kind === 'target' ? [scope.target] : targets.ids().filter((target) => !OWN_NAMED.includes(target));
    if (told.every((target) => dispatch.wouldPass({ client: client.id, target, method, params }))) targets.tell?.(downstream.session, method, params);
    else log.warn('mcp.notification-dropped', { session: downstream.session, method });
  }

  async function listText({ id, method, params }: RequestMessage, list: ListMethod): Promise<string> {
    // Every list goes out whole, so no cursor of ours exists.
    if (Object.hasOwn(params, 'cursor')) return refusalText(id, 'invalid-params', { at: 'params.cursor' });
    const listing = await catalogue.list(list);
    return listing.kind === 'text' ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${listing.text}}` : answerText({ id, method }, listing);
  }

  const relayOf = ({ params }: RequestMessage, exchange: Exchange) =>
    createRelay({ exchange, server, clientError: sdk.clientError, capabilities: downstream.capabilities, progressToken: progressTokenOf(params), askMs: limits.askMs });

  return {
    id: downstream.session,
    client: client.id,
    scope,
    request(message, raw, exchange) {
      const { id, method } = message;
      if (flights.has(id)) return false;
      const flight: Flight = { exchange, cancel: new AbortController() };
      flights.set(id, flight);
      exchange.onOver(() => flights.delete(id));
      if (BY_SDK.has(method)) transport.deliver(raw as JSONRPCMessage);
      else
        serve(message, flight).catch((fault: unknown) => {
          log.error('mcp.fault', { method }, fault);
          exchange.answer(refusalText(id, 'internal'));
        });
      return true;
    },
    take(message, raw) {
      if (message.kind === 'response' || message.method === 'notifications/initialized') transport.deliver(raw as JSONRPCMessage);
      else if (message.method === 'notifications/cancelled') cancel(message.params['requestId']);
      else tell(message);
    },
    openStream(response) {
      if (stream !== undefined) return false;
      stream = openEventStream({ response, heartbeat, limit: limits.streamBytes });
      response.once('close', () => {
        stream = undefined;
      });
      changes.flush();
      return true;
    },
    endStream: () => stream?.end(undefined),
    changed(target, what) {
      if (scope.kind === 'target' && scope.target !== target) return;
      catalogue.forget(what);
      changes.note(what);
    },
    heard(target, method, params) {
      // Changed lists are told by `changed`, once for all targets.
      if (method.endsWith('/list_changed') || (scope.kind === 'target' && scope.target !== target)) return;
      const send = (given: Record<string, unknown> | undefined): boolean => broadcast(JSON.stringify({ jsonrpc: '2.0', method, ...(given !== undefined && { params: given }) }));
      const uri = params?.['uri'];
      if (scope.kind !== 'all' || stream === undefined || typeof uri !== 'string') return void send(params);
      const own = wrapUri(target, uri);
      const isAnothers = catalogue.knownOwners([uri]).get(uri)?.some((owner) => owner !== target) === true;
      send(isAnothers || subscribed.has(own) ? { ...params, uri: own } : params);
    },
    isBusy: () => flights.size > 0 || stream !== undefined,
    close() {
      for (const { exchange } of flights.values()) exchange.drop();
      stream?.end(undefined);
      server.close().catch((fault: unknown) => log.error('mcp.fault', { session: downstream.session }, fault));
    },
  };
}

interface Leveled {
  readonly targets: Pick<TargetDirectory, 'ids' | 'face'>;
  readonly downstream: Downstream;
  readonly passes: (target: TargetId) => boolean;
}

/** Passes a log level on to each target that keeps one. A target whose guard would trap it is left as it is, and not even asked whether it keeps one. */
async function setLevels({ targets, downstream, passes }: Leveled, set: (target: TargetId) => Promise<unknown>): Promise<void> {
  await Promise.all(
    targets.ids().filter(passes).map(async (target) => {
      const face = await targets.face(target, downstream);
      if ('capabilities' in face && isJsonObject(face.capabilities['logging'])) await set(target);
    }),
  );
}

/** The same flight for one of several requests that are answered as one. */
const unanswered = ({ exchange, cancel }: Flight): Flight => ({ cancel, exchange: { ...exchange, answer: () => ANSWERED, drop: () => ANSWERED } });

export function progressTokenOf(params: JsonObject): string | number | undefined {
  const meta = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
