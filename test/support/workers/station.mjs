// A worker whose one process all sessions share: it tells of a resource that changed to whom it was asked, and logs from the level it was told on.
import { serve, tell, text } from './rpc.mjs';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const subscribed = new Set();
const asked = [];
let level = 'warning';

const tools = {
  touch: () => {
    for (const uri of subscribed) tell({ method: 'notifications/resources/updated', params: { uri } });
    return text('touched');
  },
  log: () => {
    for (const each of LEVELS.filter((one) => LEVELS.indexOf(one) >= LEVELS.indexOf(level))) tell({ method: 'notifications/message', params: { level: each, data: each } });
    return text('logged');
  },
  asked: () => text(asked),
};

serve({
  capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
  handlers: {
    'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'resources/list': () => ({ resources: [{ uri: 'station://track', name: 'track' }] }),
    'resources/subscribe': ({ uri }) => (subscribed.add(uri), {}),
    'resources/unsubscribe': ({ uri }) => (subscribed.delete(uri), {}),
    'logging/setLevel': (params, { id }) => {
      if (!LEVELS.includes(params.level)) return void tell({ id, error: { code: -32602, message: 'no such level' } });
      asked.push(params);
      level = params.level;
      return {};
    },
    'tools/call': ({ name }) => tools[name](),
  },
});
