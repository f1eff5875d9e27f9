import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { refusals } from '../../../shared/refusals.ts';
import { headerText, withMeta } from '../../canonical/index.ts';
import { judgeQuestion } from '../../preflight/index.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import type { Unready } from '../rpc/handshake.ts';
import { comesAgain, NOT_ASKED } from '../rpc/messages.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import type { PeerRequest, RpcPeer } from '../rpc/peer.ts';
import { createMirrored } from './mirrored.ts';
import { answerRounds } from './rounds.ts';
import { createStreamableWire } from './streamable-wire.ts';
import { createTidings } from './tidings.ts';
import type { Unknown, Upstream, UpstreamDeps } from './upstream.ts';

/** The stateless revision, and the members of `_meta` every request of it carries (MCP 2026-07-28, basic). */
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const SERVER_INFO = `${META}serverInfo`;
const NAMED_BY: ReadonlyMap<string, string> = new Map([['tools/call', 'name'], ['prompts/get', 'name'], ['resources/read', 'uri'], ['tasks/get', 'taskId'], ['tasks/update', 'taskId'], ['tasks/cancel', 'taskId']]);
/** The extension by which a call may be answered with a task (MCP, extension io.modelcontextprotocol/tasks). */
const TASKS = `${META}tasks`;
/** The headers of a request do not say what its body says; the target has not looked at it any further. */
const HEADER_MISMATCH = -32020;
const TOOLS_CHANGED = 'notifications/tools/list_changed';
const OK: Answer = { kind: 'result', result: {} };
const NO_TASKS: Answer = { kind: 'error', error: { code: -32601, message: 'Tasks are for clients of the revision that has them.' } };
const TASK_METHODS = { 'tasks/get': 'get', 'tasks/update': 'update', 'tasks/cancel': 'cancel' } as const;

/**
 * Speaks to an HTTP target in the stateless revision: no session, no handshake but `server/discover`, and who we are in every request. The
 * parameters go out as they are; only that envelope is spliced in. A target that does not know the revision is told apart as `no-such-transport`.
 */
export async function openModern(deps: UpstreamDeps): Promise<Upstream | Unready | Unknown> {
  const { client, url, limits, log, notified, noise, introduction } = deps;
  let closed = false;
  let logLevel = introduction.stateless?.logLevel;
  let refusedBy: number | undefined;
  // Tasks are of this revision alone: a client of an older one, for whom we answer, could do nothing with one.
  const capabilities = introduction.stateless === undefined ? withoutTasks(introduction.capabilities) : introduction.capabilities;
  const mirrored = createMirrored({ list: (paramsText, signal) => ask({ method: 'tools/list', paramsText, deadlineMs: limits.ownRequestMs, signal }), log });

  const inner: RpcPeer = createRpcPeer({
    wire: createStreamableWire({
      client,
      url,
      headers: () => ({ 'user-agent': 'countersign', ...deps.headers, 'accept-encoding': 'identity', 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': VERSION }),
      headersOfGet: () => ({}),
      hasSession: () => false,
      answerBytes: limits.answerBytes,
      answered: () => undefined,
      refused: (status) => void (refusedBy ??= status),
      forgotten: () => undefined,
      noise,
      peer: () => inner,
    }),
    log,
    inRounds: true,
    notified(method, params) {
      if (method === TOOLS_CHANGED) mirrored.forget();
      if (!tidings.took(method)) notified(method, params);
    },
  });

  const ask = (request: PeerRequest): Promise<Answer> => {
    const { method, paramsText } = request;
    let text = withMeta(paramsText, `${META}protocolVersion`, VERSION);
    text = withMeta(text, `${META}clientInfo`, introduction.info);
    text = withMeta(text, `${META}clientCapabilities`, capabilities);
    if (logLevel !== undefined) text = withMeta(text, `${META}logLevel`, logLevel);
    // Closing the stream is how a request is cancelled here; there is no notification for it.
    const params = JSON.parse(paramsText) as JsonObject;
    const headers = method === 'tools/call' ? { ...mirrored.headersOf(params), ...headersOf(method, params) } : headersOf(method, params);
    return inner.request({ ...request, paramsText: text, headers, cancellable: false }).then((answer) => judged(method, answer, capabilities));
  };
  const tidings = createTidings({ ask, lost: deps.lost, missed: deps.missed });

  /** What only the older revisions have is done here in the way of this one, so that an older client finds nothing missing. */
  const request = (asked: PeerRequest): Promise<Answer> => {
    switch (asked.method) {
      case 'ping':
        return Promise.resolve(OK);
      case 'logging/setLevel':
        logLevel = textMember(asked.paramsText, 'level');
        return Promise.resolve(OK);
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return tidings.about(textMember(asked.paramsText, 'uri'), asked.method === 'resources/subscribe').then(() => OK);
      case 'tools/list':
        return ask(asked).then(mirrored.heed);
      case 'tools/call':
        return called(asked);
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        // No client of an older revision, and none of the REST dialect, was ever given a task here: an id it brings is another's.
        if (introduction.stateless === undefined) return Promise.resolve(NO_TASKS);
        return deps.taskQuestions[TASK_METHODS[asked.method]](asked, ask);
      default:
        return inRounds(asked);
    }
  };
  const inRounds = (asked: PeerRequest): Promise<Answer> => {
    if (introduction.stateless !== undefined && introduction.asksHere !== true) return ask(asked);
    // Here it is us who puts the target's questions and brings it the answers: none that came with the request was asked for, whatever it says.
    if (comesAgain(asked, ['inputResponses', 'requestState'])) return Promise.resolve(NOT_ASKED);
    return answerRounds(asked, ask, { others: introduction.stateless === undefined ? 'refused' : 'kept' });
  };
  const called = async (asked: PeerRequest): Promise<Answer> => {
    const began = performance.now();
    await mirrored.ready(asked.signal);
    const answer = await inRounds({ ...asked, deadlineMs: Math.max(asked.deadlineMs - (performance.now() - began), 0) });
    // It wants other headers than when it listed its tools, so it defines them otherwise now. Whether the call may go to that is not ours to say.
    if (answer.kind === 'error' && answer.error.code === HEADER_MISMATCH) {
      mirrored.forget();
      notified(TOOLS_CHANGED, undefined);
    }
    return answer;
  };

  const answer = await ask({ method: 'server/discover', paramsText: '{}', deadlineMs: limits.startMs });
  const face = answer.kind === 'result' ? faceIn(answer.result) : undefined;
  if (face === undefined) {
    inner.end('the target does not speak this revision');
    if (answer.kind === 'result' || answer.kind === 'error') return 'no-such-transport';
    return refusedBy !== undefined && refusedBy >= 400 && refusedBy < 500 && refusedBy !== 401 && refusedBy !== 403 ? 'no-such-transport' : answer.kind === 'lost' ? { kind: 'fault', code: 'upstream-unreachable', sent: false, note: answer.note } : { ...answer, sent: false };
  }
  return {
    // A client has no notifications for a server of this revision: it keeps no state they could be about.
    peer: { ...inner, request, notify: () => Promise.resolve() },
    face,
    usable: () => !closed,
    listen: () => void tidings.start(),
    watch: () => tidings.start(),
    heard: () => tidings.open(),
    close() {
      closed = true;
      tidings.stop();
      inner.end('the session was ended');
      return Promise.resolve();
    },
  };
}

/**
 * An answer that asks for a secret first, or a task that does, is none: nobody is asked, and the call ends with that error. Neither is a task for a
 * client that did not declare it takes one: it would read it as a result.
 */
function judged(method: string, answer: Answer, capabilities: JsonObject): Answer {
  if (answer.kind !== 'result') return answer;
  const { resultType, inputRequests } = answer.result as JsonObject;
  if (resultType === 'task' && !takesTasks(capabilities)) return { kind: 'fault', code: 'upstream-fault', sent: true, note: 'a task was given to a client that takes none' };
  if (resultType !== 'input_required' && method !== 'tasks/get') return answer;
  const read: [string, JsonValue][] = [];
  for (const [key, question] of Object.entries(isJsonObject(inputRequests) ? inputRequests : {})) {
    const asked = isJsonObject(question) && typeof question['method'] === 'string' ? { method: question['method'], params: isJsonObject(question['params']) ? question['params'] : undefined } : undefined;
    const verdict = asked && judgeQuestion(asked);
    if (verdict?.ok === false) {
      const { number, sentence } = refusals[verdict.code];
      return { kind: 'error', error: { code: number, message: sentence, data: { code: verdict.code } } };
    }
    // Document 003's name of a form would be nobody's question: it goes on under MCP's.
    read.push([key, verdict === undefined || verdict.value.method === asked?.method ? question : (verdict.value as unknown as JsonObject)]);
  }
  return read.length === 0 ? answer : { kind: 'result', result: { ...answer.result, inputRequests: Object.fromEntries(read) } };
}

const takesTasks = ({ extensions }: JsonObject): boolean => isJsonObject(extensions) && isJsonObject(extensions[TASKS]);

const withoutTasks = (capabilities: JsonObject): JsonObject =>
  takesTasks(capabilities) ? { ...capabilities, extensions: Object.fromEntries(Object.entries(capabilities['extensions'] as JsonObject).filter(([name]) => name !== TASKS)) } : capabilities;

/** The headers that say again what is called (MCP 2026-07-28, request metadata). */
function headersOf(method: string, params: JsonObject): Record<string, string> {
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : params[member];
  return { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': headerText(name) }) };
}

function textMember(paramsText: string, name: string): string | undefined {
  const value = (JSON.parse(paramsText) as JsonObject)[name];
  return typeof value === 'string' ? value : undefined;
}

function faceIn(result: Record<string, unknown>): TargetFace | undefined {
  const { supportedVersions, capabilities = {}, instructions, _meta } = result as JsonObject;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(VERSION) || !isJsonObject(capabilities)) return undefined;
  const info = isJsonObject(_meta) ? _meta[SERVER_INFO] : undefined;
  return { protocolVersion: VERSION, capabilities, serverInfo: isJsonObject(info) ? info : { name: 'unnamed', version: '0' }, instructions: typeof instructions === 'string' ? instructions : null };
}
