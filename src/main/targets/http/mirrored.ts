import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import { mirroredHeaders, mirrorsOf, type Mirror } from '../../canonical/index.ts';
import type { Log } from '../../platform/log.ts';
import { wholeList } from '../rpc/lists.ts';

/** The arguments a target wants said again in headers (MCP 2026-07-28, custom headers from tool parameters), as its own lists of tools say. */
export interface Mirrored {
  /** Takes note of a page of tools, and gives it without those that ask for it in a way the specification forbids. */
  heed(page: Answer): Answer;
  /** Resolves when a list was seen; one is asked for where there was none. It may fail: then the target judges a call without such headers. */
  ready(signal: AbortSignal | undefined): Promise<void>;
  /** The headers of a call with these params. */
  headersOf(params: JsonObject): Readonly<Record<string, string>>;
  /** What was seen does not hold any more. */
  forget(): void;
}

interface Needs {
  /** Sends one `tools/list` whose params are the text. */
  readonly list: (paramsText: string, signal: AbortSignal | undefined) => Promise<Answer>;
  readonly log: Log;
}

export function createMirrored({ list, log }: Needs): Mirrored {
  const byTool = new Map<string, readonly Mirror[]>();
  let seen = false;

  /** Whether a tool may be offered; its mirrored arguments are noted. */
  const note = (tool: JsonValue): boolean => {
    if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return true;
    const mirrors = mirrorsOf(tool['inputSchema']);
    if (mirrors === undefined) log.warn('target.tool-left-out', { tool: tool['name'], why: 'its x-mcp-header annotations are not as the specification has them' });
    if (mirrors === undefined || mirrors.length === 0) byTool.delete(tool['name']);
    else byTool.set(tool['name'], mirrors);
    return mirrors !== undefined;
  };
  const heed = (page: Answer): Answer => {
    if (page.kind !== 'result' || !Array.isArray(page.result['tools'])) return page;
    const listed = page.result['tools'] as readonly JsonValue[];
    const tools = listed.filter(note);
    seen = seen || typeof page.result['nextCursor'] !== 'string';
    return tools.length === listed.length ? page : { kind: 'result', result: { ...page.result, tools } };
  };

  return {
    heed,
    async ready(signal) {
      if (!seen) await wholeList('tools/list', async (paramsText) => heed(await list(paramsText, signal)));
    },
    headersOf({ name, arguments: given }) {
      const mirrors = typeof name === 'string' ? byTool.get(name) : undefined;
      return mirrors === undefined ? {} : mirroredHeaders(mirrors, given);
    },
    forget() {
      seen = false;
    },
  };
}
