// The least of an MCP server over stdio, for workers of tests: one JSON text a line, handlers by method.
import process from 'node:process';

export const tell = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const answer = (id, result) => tell({ id, result });
export const text = (value) => ({ content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] });

/** What we asked of the client and wait for, by id. */
const asked = new Map();
let lastAsked = 0;
export const ask = (method, params, id = `q${(lastAsked += 1)}`) =>
  new Promise((resolve) => {
    asked.set(id, resolve);
    tell({ id, method, params });
  });

/** Serves: `handlers[method](params, message)` gives the result; `undefined` gives no answer. */
export function serve({ capabilities = { tools: {} }, tools = [], handlers = {}, initialize }) {
  const all = {
    initialize: (params) => initialize?.(params) ?? { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 'worker', version: '1' } },
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    ...handlers,
  };
  const take = async (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) {
      asked.get(message.id)?.(message);
      asked.delete(message.id);
      return;
    }
    const result = await all[message.method]?.(message.params ?? {}, message, line);
    if (message.id !== undefined && result !== undefined) answer(message.id, result);
    else if (message.id !== undefined && all[message.method] === undefined) tell({ id: message.id, error: { code: -32601, message: 'no such method' } });
  };
  let held = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    held += chunk;
    for (let at = held.indexOf('\n'); at >= 0; at = held.indexOf('\n')) {
      const line = held.slice(0, at);
      held = held.slice(at + 1);
      void take(line);
    }
  });
}
