import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { refusals } from '../../../shared/refusals.ts';
import { withMeta } from '../../canonical/index.ts';
import { judgeQuestion } from '../../preflight/index.ts';
import type { TargetFace } from '../../dispatch/ports.ts';
import type { Unready } from '../rpc/handshake.ts';
import { createRpcPeer } from '../rpc/peer.ts';
import type { PeerRequest, RpcPeer } from '../rpc/peer.ts';
import { answerRounds } from './rounds.ts';
import { createStreamableWire } from './streamable-wire.ts';
import { createTidings } from './tidings.ts';
import type { Unknown, Upstream, UpstreamDeps } from './upstream.ts';

/** The stateless revision, and the members of `_meta` every request of it carries (MCP 2026-07-28, basic). */
const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const SERVER_INFO = `${META}serverInfo`;
/** What a header may hold as it is; anything else goes as Base64 (MCP 2026-07-28, transports). */
const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const NAMED_BY: ReadonlyMap<string, string> = new Map([['tools/call', 'name'], ['prompts/get', 'name'], ['resources/read', 'uri'], ['tasks/get', 'taskId'], ['tasks/update', 'taskId'], ['tasks/cancel', 'taskId']]);
const OK: Answer = { kind: 'result', result: {} };

/**
 * Speaks to an HTTP target in the stateless revision: no session, no handshake but `server/discover`, and who we are in every request. The
 * parameters go out as they are; only that envelope is spliced in. A target that does not know the revision is told apart as `no-such-transport`.
 */
export async function openModern(deps: UpstreamDeps): Promise<Upstream | Unready | Unknown> {
  const { client, url, limits, log, notified, noise, introduction } = deps;
  let closed = false;
  let logLevel = introduction.stateless?.logLevel;
  let refusedBy: number | undefined;

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
    notified(method, params) {
      if (!tidings.took(method)) notified(method, params);
    },
  });

  const ask = (request: PeerRequest): Promise<Answer> => {
    const { method, paramsText } = request;
    let text = withMeta(paramsText, `${META}protocolVersion`, VERSION);
    text = withMeta(text, `${META}clientInfo`, introduction.info);
    text = withMeta(text, `${META}clientCapabilities`, introduction.capabilities);
    if (logLevel !== undefined) text = withMeta(text, `${META}logLevel`, logLevel);
    // Closing the stream is how a request is cancelled here; there is no notification for it.
    return inner.request({ ...request, paramsText: text, headers: headersOf(method, paramsText), cancellable: false }).then(judged);
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
      default:
        return introduction.stateless === undefined ? answerRounds(asked, ask) : ask(asked);
    }
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

/** An answer that asks for a secret first is none: nobody is asked, and the call ends with that error. */
function judged(answer: Answer): Answer {
  if (answer.kind !== 'result' || answer.result['resultType'] !== 'input_required') return answer;
  const { inputRequests } = answer.result as JsonObject;
  for (const question of Object.values(isJsonObject(inputRequests) ? inputRequests : {})) {
    if (!isJsonObject(question) || typeof question['method'] !== 'string') continue;
    const { method, params } = question;
    const verdict = judgeQuestion({ method, params: isJsonObject(params) ? params : undefined });
    if (verdict.ok) continue;
    const { number, sentence } = refusals[verdict.code];
    return { kind: 'error', error: { code: number, message: sentence, data: { code: verdict.code } } };
  }
  return answer;
}

/** The headers that say again what is called (MCP 2026-07-28, request metadata). */
function headersOf(method: string, paramsText: string): Record<string, string> {
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : textMember(paramsText, member);
  return { 'mcp-method': method, ...(name !== undefined && { 'mcp-name': PLAIN.test(name) && !name.startsWith('=?') ? name : `=?base64?${Buffer.from(name).toString('base64')}?=` }) };
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
