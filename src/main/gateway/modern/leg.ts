import type { ServerResponse } from 'node:http';
import { isJsonObject, type JsonObject } from '../../../shared/vocabulary/json.ts';
import type { ClientId, HandleId } from '../../../shared/vocabulary/ids.ts';
import { ok, refused, type Result } from '../../../shared/result.ts';
import { classifyMessage, type RequestMessage } from '../../canonical/index.ts';
import { ANSWERED, errorText, idOf, refusalText, sendRefusal, type Answered } from '../http/answer.ts';
import type { ClientVisit } from '../http/route.ts';
import { acceptedOf } from '../mcp/accept.ts';
import { createAddressing, type Addressed, type Located } from '../mcp/address.ts';
import { createCalls, type Holders } from '../mcp/calls.ts';
import { createExchange, type Exchange } from '../mcp/exchange.ts';
import { faceOfAll, faceOfTarget } from '../mcp/faces.ts';
import type { Heartbeat } from '../mcp/heartbeat.ts';
import { isListMethod, type ListMethod } from '../mcp/lists.ts';
import { PENDING_TOOL, pendingList } from '../mcp/pending-tool.ts';
import { joinName, splitName } from '../mcp/names.ts';
import { cannotAsk } from '../mcp/relay.ts';
import type { Scope } from '../mcp/scope.ts';
import { progressTokenOf } from '../mcp/session.ts';
import { answerText, refusedText, shapedText, type Asked } from '../mcp/told.ts';
import { withUrisOfTarget } from '../mcp/uris-of-target.ts';
import type { GatewayLimits, GatewayPorts } from '../ports.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { readEnvelope, STATELESS_VERSION, type Envelope } from './envelope.ts';
import { listen, readFilter } from './listen.ts';
import { createParamHeaders } from './param-headers.ts';
import { createPeers, type Peer } from './peers.ts';
import { createStatelessRelay } from './relay.ts';
import { statelessShape, statelessStatus } from './shape.ts';
import { callDigest, createStates } from './states.ts';
import { createTaskIds } from './task-ids.ts';
import { answerTask, createdTask, endsInTask, isHandle, ownTask, renamedTask, TASKS, takesTasks } from './tasks.ts';

interface Needs {
  readonly ports: GatewayPorts;
  readonly limits: GatewayLimits;
  readonly heartbeat: Heartbeat;
  readonly stopping: AbortSignal;
  readonly holders: Holders;
}

/** What the stateless revision has no more; a target of either era is never asked for it by a client of this one. */
const GONE: ReadonlySet<string> = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'tasks/list', 'tasks/result']);
/** What goes to a target. */
const CALLS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);
const TASK_METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);
const NEEDS_TASKS = { protocol: { requiredCapabilities: { extensions: { [TASKS]: {} } } } };

export interface ModernLeg {
  post(visit: ClientVisit, scope: Scope): Promise<Answered>;
  /** Ends what is kept for a client, or for all. */
  end(client?: ClientId): void;
}

/** The stateless revision of MCP, 2026-07-28, on the same addresses as the older ones (contract, 3.2). Dispatch decides about calls, as everywhere. */
export function createModernLeg({ ports, limits, heartbeat, stopping, holders }: Needs): ModernLeg {
  const { targets, dispatch, handles, clock, log } = ports;
  const peers = createPeers({ targets, limits, now: () => clock.now().mono });
  const states = createStates();
  const contradictedHeader = createParamHeaders(ports);
  const taskIds = createTaskIds(ports.controlToken);
  /** Requests that are not answered yet, and open streams: what ends with the client's token. */
  const open = new Map<() => void, ClientId>();

  function endsWith(client: ClientId, response: ServerResponse): void {
    const end = (): void => void response.destroy();
    open.set(end, client);
    response.once('close', () => open.delete(end));
  }


  async function post(visit: ClientVisit, scope: Scope): Promise<Answered> {
    const { response, head, body = null, client } = visit;
    const accepted = acceptedOf(head.headers.accept);
    if (accepted === undefined) return sendRefusal(response, idOf(body), 'not-acceptable');
    const read = classifyMessage(body);
    if (!read.ok) return sendRefusal(response, idOf(body), read.code, read);
    const message = read.value;
    // Nothing is ever asked of this client but in an answer, so it has no responses to send; and its notifications are about nothing we keep.
    if (message.kind === 'response') return sendRefusal(response, null, 'invalid-request', { at: 'method' });
    if (message.kind === 'notification') {
      response.writeHead(202).end();
      return ANSWERED;
    }
    const envelope = readEnvelope(head, message);
    if (!envelope.ok) return sendRefusal(response, message.id, envelope.code, envelope);
    const peer = peers.of(client, scope, envelope.value);
    endsWith(client.id, response);
    const exchange = createExchange({ id: message.id, response, accepted, heartbeat, limit: limits.streamBytes, headers: () => ({}), status: statelessStatus });
    return serve({ ...message, params: envelope.value.params }, envelope.value, { visit, peer, exchange });
  }

  interface Place {
    readonly visit: ClientVisit;
    readonly peer: Peer;
    readonly exchange: Exchange;
  }

  async function serve(message: RequestMessage, envelope: Envelope, place: Place): Promise<Answered> {
    const { id, method, params } = message;
    const { peer, exchange, visit } = place;
    const { scope } = peer;
    const asked: Asked = { id, method, shape: statelessShape };
    if (method === 'server/discover') return exchange.answer(await discovered(asked, peer));
    if (isListMethod(method)) return exchange.answer(await listText(asked, peer, method, params));
    if (method === 'subscriptions/listen') {
      const filter = readFilter(params);
      if (!filter.ok) return sendRefusal(visit.response, id, filter.code, filter);
      if (filter.value.tasks && !takesTasks(envelope.capabilities)) return sendRefusal(visit.response, id, 'capability-required', NEEDS_TASKS);
      if (acceptedOf(visit.head.headers.accept)?.stream !== true) return sendRefusal(visit.response, id, 'not-acceptable');
      await listen(message, filter.value, peer, { response: visit.response, heartbeat, limit: limits.streamBytes, stopping, targets, subscribe: (uri, wanted) => subscribe(peer, visit, uri, wanted) });
      return ANSWERED;
    }
    if (TASK_METHODS.has(method)) {
      if (!takesTasks(envelope.capabilities)) return exchange.answer(refusalText(id, 'capability-required', NEEDS_TASKS));
      const { taskId } = params;
      if (!isHandle(taskId)) return call(message, envelope, place, asked, () => taskOfTarget(scope, params, visit.client.id));
      const behind = ownTask(handles, taskId, visit.client.id);
      if (behind === undefined) return tellTask(asked, taskId, place);
      handles.markFetched(taskId);
      return call(message, envelope, place, { ...asked, shape: renamedTask(() => taskId) }, () => ok({ target: behind.target, params: { ...params, taskId: behind.taskId } }));
    }
    if (GONE.has(method) || (!CALLS.has(method) && scope.kind === 'all')) return exchange.answer(refusalText(id, 'method-not-found'));
    if (scope.kind === 'all' && method === 'tools/call' && params['name'] === PENDING_TOOL) return exchange.answer(shapedText(asked, pendingList(handles.pending(visit.client.id))));
    return call(message, envelope, place, asked);
  }

  type Address = (method: string, params: JsonObject) => Located | Promise<Located>;

  async function call({ method, params }: RequestMessage, envelope: Envelope, { visit: { client, request }, peer, exchange }: Place, asked: Asked, address: Address = addressing(peer, client.id)): Promise<Answered> {
    const { scope, downstream } = peer;
    const done = peer.use();
    exchange.onOver(done);
    const addressed = await address(method, params);
    if (!addressed.ok) return exchange.answer(refusedText(asked, addressed.code, addressed));
    const contradicted = contradictedHeader(method, addressed.value, request);
    if (contradicted !== undefined) return exchange.answer(refusalText(asked.id, contradicted.code, contradicted));
    const { target } = addressed.value;
    const nameOf = (taskId: string): string => (scope.kind === 'all' ? joinName(target, taskIds.given(client.id, target, taskId)) : taskIds.given(client.id, target, taskId));
    const told: Asked = asked.shape === statelessShape ? { ...asked, shape: renamedTask(nameOf) } : asked;
    const digest = callDigest(downstream.session, method, params);
    const state = params['requestState'];
    if (states.isOurs(state)) {
      const going = states.take(state, client.id, digest);
      if (going === undefined) return exchange.answer(refusalText(asked.id, 'request-state-invalid', { at: 'params.requestState' }));
      going.resume(exchange, isJsonObject(params['inputResponses']) ? params['inputResponses'] : {}, progressTokenOf(params));
      return ANSWERED;
    }
    // A client that asks anew has forgotten its state, or is another of its programs: it is told again what its call waits for.
    const waiting = state === undefined && params['inputResponses'] === undefined ? states.waiting(client.id, digest) : undefined;
    if (waiting !== undefined) {
      waiting.resume(exchange, {}, progressTokenOf(params));
      return ANSWERED;
    }
    const conversation: Conversation = createConversation({ asked, first: exchange, progressToken: progressTokenOf(params), askMs: limits.askMs, stateFor: (going) => states.give(client.id, digest, going), unanswered: cannotAsk });
    conversation.exchange.onOver(peer.use());
    const calls = createCalls({
      dispatch, handles, client, downstream, stopping, patienceMs: limits.patienceMs, now: () => clock.now().mono, holders,
      insteadOfHolding(about, handle) {
        if (method === 'tools/call' && takesTasks(envelope.capabilities)) return createdTask(about, handle);
        return endsInTask(handle) ? refusalText(about.id, 'capability-required', NEEDS_TASKS) : undefined;
      },
    });
    const named = scope.kind === 'target' ? conversation.exchange : withUrisOfTarget(conversation.exchange, { target, method, wrapped: addressed.value.params['uri'] !== params['uri'], catalogue: peer.catalogue });
    const flight = { exchange: named, cancel: conversation.cancel };
    const relay = createStatelessRelay(conversation, envelope);
    conversation.exchange.onOver(peer.during((_, told, about) => relay.notify?.(told, about)));
    // Not awaited by the request: the call may go on over several of them.
    calls.serve(told, addressed.value, flight, relay).catch((fault: unknown) => {
      log.error('mcp.fault', { method }, fault);
      conversation.exchange.answer(refusalText(asked.id, 'internal'));
    });
    return ANSWERED;
  }

  const addressing = ({ scope, catalogue }: Peer, client: ClientId): Address =>
    createAddressing({
      scope,
      has: (target) => targets.has(target),
      owns: (target, name) => targets.owns?.(target, name),
      catalogue,
      passesAll: (method, params) => targets.ids().every((target) => dispatch.wouldPass({ client, target, method, params })),
    });

  /** A task of a target: where all are, its id says whose it is as the name of a tool does. */
  function taskOfTarget(scope: Scope, params: JsonObject, client: ClientId): Result<Addressed> {
    const { taskId } = params;
    const split = typeof taskId !== 'string' ? undefined : scope.kind === 'target' ? { target: scope.target, name: taskId } : splitName(taskId);
    const own = split === undefined || !targets.has(split.target) ? undefined : taskIds.own(client, split.target, split.name);
    return split === undefined || own === undefined ? refused('invalid-params', 'params.taskId') : ok({ target: split.target, params: { ...params, taskId: own } });
  }

  async function discovered(asked: Asked, { scope, downstream }: Peer): Promise<string> {
    const shown = scope.kind === 'all' ? undefined : await targets.face(scope.target, downstream);
    if (shown !== undefined && 'kind' in shown) return shown.kind === 'error' ? errorText(asked.id, shown.error) : answerText(asked, shown);
    const { serverInfo, capabilities, instructions } = shown === undefined ? faceOfAll(ports.version) : faceOfTarget(shown);
    // Tasks of the older revisions are another wire; here they are an extension.
    const own = Object.fromEntries(Object.entries(capabilities).filter(([name]) => name !== 'tasks'));
    const extensions = isJsonObject(own['extensions']) ? own['extensions'] : {};
    return shapedText(asked, {
      supportedVersions: [STATELESS_VERSION],
      capabilities: { ...own, extensions: { ...extensions, [TASKS]: {} } },
      ...(instructions !== undefined && { instructions }),
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    });
  }

  async function listText(asked: Asked, { catalogue }: Peer, list: ListMethod, params: JsonObject): Promise<string> {
    // Every list goes out whole, so no cursor of ours exists.
    if (Object.hasOwn(params, 'cursor')) return refusalText(asked.id, 'invalid-params', { at: 'params.cursor' });
    const listing = await catalogue.list(list);
    return listing.kind === 'text' ? `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":${listing.text}}` : answerText(asked, listing);
  }

  function tellTask(asked: Asked, taskId: HandleId, { visit: { client }, exchange }: Place): Answered {
    const told = answerTask(asked, taskId, { dispatch, handles, client: client.id });
    if (told === undefined) return exchange.answer(refusalText(asked.id, 'invalid-params', { at: 'params.taskId' }));
    return exchange.answer(told.text, told.ends ? () => handles.markFetched(taskId) : undefined);
  }

  /** A subscription of a listening client, as a call of its own: guarded, and never waited for by a human. */
  async function subscribe({ scope, catalogue, downstream }: Peer, { client }: ClientVisit, uri: string, wanted: boolean): Promise<boolean> {
    const method = wanted ? 'resources/subscribe' : 'resources/unsubscribe';
    const passes = (params: JsonObject): boolean => targets.ids().every((target) => dispatch.wouldPass({ client: client.id, target, method, params }));
    const addressed = await createAddressing({ scope, has: (target) => targets.has(target), owns: (target, name) => targets.owns?.(target, name), catalogue, passesAll: (_, params) => passes(params) })(method, { uri });
    if (!addressed.ok) return false;
    const subscribed = { client: client.id, target: addressed.value.target, method, params: addressed.value.params };
    if (!dispatch.wouldPass(subscribed)) return false;
    const submitted = await dispatch.submit({ call: subscribed, door: 'mcp', session: downstream.session });
    return submitted.kind === 'answered' && submitted.answer.kind === 'result';
  }

  return {
    post,
    end(client) {
      peers.end(client);
      for (const [end, whose] of [...open]) if (client === undefined || whose === client) end();
    },
  };
}

