// A daemon whose answers hold what no specification knows of.
import { serve } from './rpc.mjs';

const odd = { 'x-odd': { deep: [1, { more: null }] }, _meta: { 'vendor/trace': 'kept', nested: { n: 1 } } };
serve({
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
  handlers: {
    'tools/list': () => ({ tools: [{ name: 'odd', inputSchema: { type: 'object', 'x-schema': true }, icons: [{ src: 'data:,' }], ...odd }], ...odd }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'odd', annotations: { priority: 0.5 }, ...odd }, { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }, { type: 'new-kind', of: 'content' }], ...odd }),
    'prompts/list': () => ({ prompts: [{ name: 'odd', ...odd }] }),
    'prompts/get': () => ({ messages: [], ...odd }),
    'resources/list': () => ({ resources: [{ uri: 'odd://1', name: 'odd', ...odd }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': () => ({ contents: [{ uri: 'odd://1', text: 't', ...odd }], ...odd }),
    'completion/complete': () => ({ completion: { values: ['odd'], total: 1 }, ...odd }),
  },
});
