// A daemon of an older revision whose tool wants an argument said again in a header.
import { serve, text } from './rpc.mjs';

serve({
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'route', inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } }] }),
    'tools/call': ({ arguments: given }) => text(given),
  },
});
