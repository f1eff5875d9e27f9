import type { IncomingMessage } from 'node:http';
import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import { refused, type Refused } from '../../../shared/result.ts';
import { StoreUnavailable } from '../../approvals/ports.ts';
import { contradicted, mirrorsOf, type Mirror } from '../../canonical/index.ts';
import type { Addressed } from '../mcp/address.ts';
import type { GatewayPorts } from '../ports.ts';

const PREFIX = 'mcp-param-';

/**
 * Holds the `Mcp-Param-*` headers of a tool call against its arguments, as the tool's admitted definition wants them (MCP 2026-07-28, server
 * validation). Refuses with the name of the first that is missing, comes twice or says something else, and when the definitions cannot be looked at.
 * Headers of this kind that the definition does not know of say nothing here, and are not passed on: what goes to a target is made anew from the body.
 */
export function createParamHeaders({ definitionOf = () => undefined }: Pick<GatewayPorts, 'definitionOf'>) {
  const known = new WeakMap<object, readonly Mirror[]>();

  function mirrorsFor(target: TargetId, tool: string): readonly Mirror[] {
    const definition = definitionOf(target, tool);
    if (definition === undefined) return [];
    const mirrors = known.get(definition) ?? mirrorsOf(definition['inputSchema']) ?? [];
    known.set(definition, mirrors);
    return mirrors;
  }

  return (method: string, { target, params }: Addressed, request: Pick<IncomingMessage, 'rawHeaders'>): Refused | undefined => {
    const { name } = params;
    if (method !== 'tools/call' || typeof name !== 'string') return undefined;
    try {
      const mirrors = mirrorsFor(target, name);
      if (mirrors.length === 0) return undefined;
      const sent = paramHeaders(request);
      const at = contradicted(mirrors, params['arguments'], (header) => (sent.get(header)?.length === 1 ? sent.get(header)?.[0] : undefined));
      return at === undefined ? undefined : refused('header-mismatch', at);
    } catch (fault) {
      if (fault instanceof StoreUnavailable) return refused('store-unavailable');
      throw fault;
    }
  };
}

/** From the raw lines: Node's own view joins what came twice. */
function paramHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): ReadonlyMap<string, readonly string[]> {
  const sent = new Map<string, string[]>();
  for (let line = 0; line + 1 < rawHeaders.length; line += 2) {
    const name = (rawHeaders[line] ?? '').toLowerCase();
    if (!name.startsWith(PREFIX)) continue;
    sent.set(name, [...(sent.get(name) ?? []), (rawHeaders[line + 1] ?? '').trim()]);
  }
  return sent;
}
