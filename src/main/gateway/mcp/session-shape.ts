import { isJsonObject, type JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Shape } from './told.ts';

/**
 * What a target of the stateless revision says, as a client with a session can read it. There an output schema and structured content may be of any
 * kind, here of objects alone (MCP 2025-11-25, tools), and one tool a client cannot read costs it the whole list: such a schema is left out, and such
 * content is put into an object, under `result`.
 */
export const sessionShape: Shape = (method, result) => {
  if (method === 'tools/call') {
    const { structuredContent } = result;
    return structuredContent === undefined || isJsonObject(structuredContent) ? result : { ...result, structuredContent: { result: structuredContent } };
  }
  const { tools } = result;
  return method === 'tools/list' && Array.isArray(tools) ? { ...result, tools: tools.map(readable) } : result;
};

function readable(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool) || tool['outputSchema'] === undefined || (isJsonObject(tool['outputSchema']) && tool['outputSchema']['type'] === 'object')) return tool;
  return Object.fromEntries(Object.entries(tool).filter(([member]) => member !== 'outputSchema'));
}
