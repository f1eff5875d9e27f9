import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- a server of tests takes whatever comes

const META = 'io.modelcontextprotocol/';

/**
 * A server of MCP 2026-07-28 that answers calls with tasks where the client takes them; the official SDK has none. `work` becomes a task that first
 * asks who is there and then ends; `rude` gives a task to everybody; `nosy` asks for a password in its task, `half-nosy` for a name as well; `several` asks two forms and a sampling;
 * `older-name` asks by the name document 003 has for a form.
 */
export async function serveTasks() {
  const tasks = new Map<string, Json>();
  const seen: { readonly method: string; readonly name: string | undefined; readonly params: Json }[] = [];
  let count = 0;
  const base = (taskId: string, status: string): Json => ({ taskId, status, createdAt: '2026-11-30T00:00:00Z', lastUpdatedAt: '2026-11-30T00:00:00Z', ttlMs: 60_000, pollIntervalMs: 10 });
  const text = (said: string): Json => ({ content: [{ type: 'text', text: said }] });
  const form = (name: string, method = 'elicitation/create'): Json => ({ method, params: { mode: 'form', message: 'Who is there?', requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } } } });
  const word = { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: 'One word' } }], maxTokens: 5 } };
  const questionsOf: Readonly<Record<string, () => Json>> = {
    nosy: () => ({ who: form('password') }),
    'half-nosy': () => ({ who: form('name'), secret: form('password') }),
    several: () => ({ who: form('name'), word, where: form('place') }),
    'older-name': () => ({ who: form('name', 'elicitation/createMessage') }),
  };
  const questions = (name: string): Json => questionsOf[name]?.() ?? { who: form('name') };

  const call = ({ name }: Json, takes: boolean): Json => {
    if (!takes && name !== 'rude') return { result: { resultType: 'complete', ...text(`${String(name)} at once`) } };
    const taskId = `task-${(count += 1)}`;
    tasks.set(taskId, { ...base(taskId, 'input_required'), inputRequests: questions(String(name)) });
    return { result: { resultType: 'task', ...base(taskId, 'working') } };
  };
  const answer = (method: string, params: Json): Json => {
    const takes = params['_meta']?.[`${META}clientCapabilities`]?.extensions?.[`${META}tasks`] !== undefined;
    const task = tasks.get(String(params['taskId']));
    switch (method) {
      case 'server/discover':
        return { result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {}, extensions: { [`${META}tasks`]: {} } }, ttlMs: 0, cacheScope: 'private' } };
      case 'tools/list':
        return { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: ['work', 'rude', 'nosy', 'half-nosy', 'several', 'older-name'].map((name) => ({ name, inputSchema: { type: 'object' } })) } };
      case 'tools/call':
        return call(params, takes);
      case 'tasks/get':
        return task === undefined ? { error: { code: -32602, message: 'no such task' } } : { result: { resultType: 'complete', ...task } };
      case 'tasks/update': {
        const taskId = String(params['taskId']);
        const given = params['inputResponses'] as Json;
        const open = Object.fromEntries(Object.entries(task?.['inputRequests'] as Json).filter(([key]) => !(key in given)));
        const done = text(`done for ${String(given['who']?.content?.name ?? given['who']?.action)}`);
        tasks.set(taskId, Object.keys(open).length > 0 ? { ...task, inputRequests: open } : { ...base(taskId, 'completed'), result: { resultType: 'complete', ...done } });
        return { result: { resultType: 'complete' } };
      }
      case 'tasks/cancel':
        tasks.set(String(params['taskId']), base(String(params['taskId']), 'cancelled'));
        return { result: { resultType: 'complete' } };
      default:
        return { error: { code: -32601, message: 'no such method' } };
    }
  };

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method, params = {} } = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string; params?: Json };
      const name = request.headers['mcp-name'];
      seen.push({ method, name: typeof name === 'string' ? name : undefined, params });
      const given = answer(method, params);
      response.writeHead(given['error']?.code === -32601 ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...given }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
