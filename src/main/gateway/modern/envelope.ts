import { ok, refused, type Refused, type Result } from '../../../shared/result.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import { textInHeader, type RequestMessage } from '../../canonical/index.ts';
import type { RefusalFacts } from '../http/answer.ts';
import type { Head } from '../http/head.ts';

/** The stateless revision of MCP. */
export const STATELESS_VERSION = '2026-07-28';

/** What every request of the stateless revision says of its client (MCP 2026-07-28, basic, `_meta`). */
export interface Envelope {
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject;
  readonly logLevel: string | undefined;
  /** `params` without the envelope: what is the call's own. */
  readonly params: JsonObject;
}

const PREFIX = 'io.modelcontextprotocol/';
const VERSION = `${PREFIX}protocolVersion`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;
const CLIENT_INFO = `${PREFIX}clientInfo`;
const LOG_LEVEL = `${PREFIX}logLevel`;
const ENVELOPE: ReadonlySet<string> = new Set([VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL]);

/** Revisions are dates, so that a later one is also a greater text. */
const LAST_WITH_SESSIONS = '2025-11-25';
const DATED = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a client that names this version keeps no session. */
export const isStatelessVersion = (version: string | undefined): boolean => version !== undefined && DATED.test(version) && version > LAST_WITH_SESSIONS;

/**
 * Whether a message is of the stateless era: its own `_meta` claims a version, or its header names one later than the last with sessions and it brings no session, or it is
 * the request such a client begins with. Everything else belongs to the older era.
 */
export function isStateless(head: Head, body: JsonValue): boolean {
  const version = head.headers['mcp-protocol-version'];
  if (head.headers['mcp-session-id'] === undefined && isStatelessVersion(version)) return true;
  if (!isJsonObject(body)) return false;
  const { params } = body;
  const meta = isJsonObject(params) ? params['_meta'] : undefined;
  return (isJsonObject(meta) && Object.hasOwn(meta, VERSION)) || body['method'] === 'server/discover';
}

/** The member of `params` that `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

export type Misfit = Refused & Pick<RefusalFacts, 'protocol'>;

/**
 * Reads the envelope of a request, and holds its headers against its body (MCP 2026-07-28, request metadata). A difference is refused, because
 * whoever stands in front of us may have judged by the headers.
 */
export function readEnvelope(head: Head, { method, params }: RequestMessage): Result<Envelope> | Misfit {
  const { headers, twice } = head;
  if (twice.includes('mcp-protocol-version') || twice.includes('mcp-method') || twice.includes('mcp-name')) return refused('header-mismatch');
  const meta = params['_meta'];
  if (!isJsonObject(meta)) return refused('invalid-params', 'params._meta');
  const version = meta[VERSION];
  if (typeof version !== 'string') return refused('invalid-params', `params._meta["${VERSION}"]`);
  if (headers['mcp-protocol-version'] !== version) return refused('header-mismatch', 'MCP-Protocol-Version');
  if (version !== STATELESS_VERSION) return { ...refused('version-not-served'), protocol: { supported: [STATELESS_VERSION], requested: version } };
  const capabilities = meta[CAPABILITIES];
  if (!isJsonObject(capabilities)) return refused('invalid-params', `params._meta["${CAPABILITIES}"]`);
  if (headers['mcp-method'] !== method) return refused('header-mismatch', 'Mcp-Method');
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : params[member];
  if (typeof name === 'string' && (headers['mcp-name'] === undefined || textInHeader(headers['mcp-name']) !== name)) return refused('header-mismatch', 'Mcp-Name');
  const clientInfo = meta[CLIENT_INFO];
  const logLevel = meta[LOG_LEVEL];
  return ok({
    capabilities,
    clientInfo: isJsonObject(clientInfo) ? clientInfo : { name: 'unnamed', version: '0' },
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    params: withoutEnvelope(params, meta),
  });
}

function withoutEnvelope(params: JsonObject, meta: JsonObject): JsonObject {
  const own = Object.fromEntries(Object.entries(meta).filter(([name]) => !ENVELOPE.has(name)));
  if (Object.keys(own).length > 0) return { ...params, _meta: own };
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== '_meta'));
}
