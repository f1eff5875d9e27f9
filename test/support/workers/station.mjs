// A worker whose one process all sessions share: it tells of a resource that changed to whom it was asked,
// logs from the level it was told on, and keeps its tasks for whoever asks.
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
  die: () => process.exit(1),
};
/** Calls that go on after their answer, by the id of their task. */
const tasks = new Map();

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
    'tools/call': ({ name, task }) => {
      if (task === undefined) return tools[name]();
      const taskId = `task-${tasks.size + 1}`;
      tasks.set(taskId, { taskId, status: 'working' });
      tell({ method: 'notifications/tasks/status', params: tasks.get(taskId) });
      return { task: tasks.get(taskId) };
    },
    'tasks/list': () => ({ tasks: [...tasks.values()] }),
    'tasks/get': ({ taskId }) => tasks.get(taskId),
    'tasks/result': ({ taskId }) => text(`the result of ${taskId}`),
    'tasks/cancel': ({ taskId }) => ({ ...tasks.get(taskId), status: 'cancelled' }),
    /** When its answer is out, logs and then tells of what changed. */
    'log-later': () => (setTimeout(() => void (tools.log(), tools.touch()), 20), {}),
    'say-status': () => {
      for (const task of tasks.values()) tell({ method: 'notifications/tasks/status', params: task });
      return {};
    },
  },
});
