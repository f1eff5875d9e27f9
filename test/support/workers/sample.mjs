// A well-behaved worker. It notes each start and each call in the file `WORKER_JOURNAL` names, so that a test can count them.
import { appendFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { ask, serve, tell, text } from './rpc.mjs';

const journal = process.env.WORKER_JOURNAL;
const note = (what) => journal && appendFileSync(journal, `${JSON.stringify({ pid: process.pid, ...what })}\n`);
note({ event: 'start' });

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let seen = [];
let extra = false;

const tools = {
  echo: ({ text: said = '' }) => text(said),
  env: () => text(process.env),
  pid: () => text(String(process.pid)),
  cwd: () => text(process.cwd()),
  /** The request line, to the byte, as it came. */
  line: (_args, _params, line) => text(line),
  sleep: async ({ ms }) => (await pause(ms), text('slept')),
  /** Answers with what the client said to a question. */
  ask: async ({ method = 'elicitation/create', params = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } } }) => text(await ask(method, params)),
  /** Asks twice with the same id; counts the answers. */
  'ask-twice': async () => {
    const first = ask('elicitation/create', { message: 'once' }, 'same');
    tell({ id: 'same', method: 'elicitation/create', params: { message: 'once' } });
    return text(await first);
  },
  /** Asks one question after the other; tells both answers. */
  'ask-in-turn': async ({ first, second }) => text([(await ask('elicitation/create', first)).result, (await ask('elicitation/create', second)).result]),
  /** Asks the same twice at once, under two ids. */
  'ask-doubly': async ({ params }) => text((await Promise.all([ask('elicitation/create', params), ask('elicitation/create', params)])).map(({ result }) => result)),
  /** Asks, and ends the call without waiting for the answer. */
  'ask-and-go': ({ params }) => (void ask('elicitation/create', params), text('gone on')),
  progress: async (_args, { _meta }) => {
    for (const progress of [1, 2]) tell({ method: 'notifications/progress', params: { progressToken: _meta?.progressToken ?? 'none', progress, total: 2 } });
    return text({ token: _meta?.progressToken ?? null });
  },
  log: () => (tell({ method: 'notifications/message', params: { level: 'info', data: 'hello' } }), text('logged')),
  grow: () => ((extra = true), tell({ method: 'notifications/tools/list_changed' }), text('grown')),
  /** Starts a grandchild that ignores SIGTERM, in our group or, with `away`, in a session of its own. */
  fork: ({ away = false }) => {
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'ignore', detached: away });
    child.unref();
    return text(String(child.pid));
  },
  cancelled: () => text(seen),
  exit: () => process.exit(3),
  fail: () => undefined,
};

serve({
  capabilities: { tools: { listChanged: true }, prompts: {} },
  handlers: {
    'tools/list': ({ cursor }) => {
      note({ event: 'list' });
      const names = [...Object.keys(tools), ...(extra ? ['extra'] : [])].map((name) => ({ name, inputSchema: { type: 'object' } }));
      return cursor === undefined ? { tools: names.slice(0, 5), nextCursor: 'rest' } : { tools: names.slice(5) };
    },
    'prompts/list': () => ({ prompts: [{ name: 'hello' }] }),
    'tools/call': (params, message, line) => {
      note({ event: 'call', name: params.name });
      if (params.name === 'fail') return void tell({ id: message.id, error: { code: -32042, message: 'refused by the worker', data: { why: 'test' } } });
      return tools[params.name](params.arguments ?? {}, params, line);
    },
    'notifications/cancelled': (params) => void seen.push(params),
  },
});
