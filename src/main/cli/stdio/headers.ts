import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import { headerText, mirroredHeaders, mirrorsOf, type Mirror } from '../../canonical/index.ts';

/** The version a message of the stateless revision claims; undefined for one of a session. */
export function statelessVersion(params: unknown): string | undefined {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  const version = isRecord(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** The member of `params` that `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri', 'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId',
};

/** The headers by which a message of the stateless revision is repeated over HTTP (MCP 2026-07-28, request metadata). A client on stdio has none to send. */
export interface StatelessHeaders {
  of(version: string, method: string | undefined, params: unknown): Readonly<Record<string, string>>;
  /** Takes note of an answer to `tools/list`: of the arguments that the tools want said again in headers. */
  heed(answer: unknown): void;
}

export function createStatelessHeaders(): StatelessHeaders {
  const byTool = new Map<string, readonly Mirror[]>();

  return {
    of(version, method, params) {
      const given = isRecord(params) ? params : {};
      const member = method !== undefined && Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
      const name = member === undefined ? undefined : given[member];
      const mirrors = method === 'tools/call' && typeof name === 'string' ? byTool.get(name) : undefined;
      return {
        'mcp-protocol-version': version,
        ...(method !== undefined && { 'mcp-method': method }),
        ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
        ...(mirrors !== undefined && mirroredHeaders(mirrors, given['arguments'])),
      };
    },
    heed(answer) {
      const result = isRecord(answer) ? answer['result'] : undefined;
      const tools = isRecord(result) ? result['tools'] : undefined;
      if (!Array.isArray(tools)) return;
      for (const tool of (tools as readonly JsonValue[]).filter(isJsonObject)) {
        const mirrors = mirrorsOf(tool['inputSchema']);
        if (typeof tool['name'] !== 'string') continue;
        if (mirrors === undefined || mirrors.length === 0) byTool.delete(tool['name']);
        else byTool.set(tool['name'], mirrors);
      }
    },
  };
}

const isRecord = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
