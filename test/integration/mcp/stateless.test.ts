import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { speak } from '../gateway/mcp-client.ts';
import { executed, openStand, type Stand, type StandOptions } from '../gateway/stand.ts';
import { answerOf, ask, META } from './stateless-client.ts';

let stand: Stand;
afterEach(() => stand.close());
const open = async (options?: StandOptions): Promise<Stand> => (stand = await openStand(options));
const risky = { name: 'fs__run_sql', arguments: { sql: 'DROP TABLE t' } };
const parking = async (options?: StandOptions): Promise<Stand> => {
  await open(options);
  stand.play.submit = (submission) => stand.park(submission);
  return stand;
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause(5);
};

describe('the stateless revision', () => {
  it('discovers itself without starting a target, and serves tools in one request each', async () => {
    await open();
    const { status, result } = await answerOf(ask(stand, 'server/discover'));
    expect(status).toBe(200);
    expect(result).toMatchObject({ resultType: 'complete', supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', _meta: { [`${META}serverInfo`]: { name: 'countersign' } } });
    expect(stand.seen.listed).toEqual([]);
    const called = await answerOf(ask(stand, 'tools/call', risky, { id: 'x' }));
    expect(called).toMatchObject({ id: 'x', status: 200, stream: false, result: { resultType: 'complete' } });
  });

  it('forwards no part of the envelope as part of the call, and declares the client to targets as it declared itself', async () => {
    await open();
    await ask(stand, 'tools/call', { ...risky, _meta: { traceparent: '00-1' } }, { capabilities: { sampling: {} } });
    expect(stand.seen.submissions[0]?.call.params['_meta']).toEqual({ traceparent: '00-1' });
    expect(stand.seen.downstreams).toMatchObject([{ capabilities: { sampling: {} }, clientInfo: { name: 'test' }, stateless: {} }]);
  });

  it.each([
    ['no Mcp-Method', { head: { 'mcp-method': undefined } }, 400, -32020],
    ['another Mcp-Method', { head: { 'mcp-method': 'TOOLS/CALL' } }, 400, -32020],
    ['no Mcp-Name', { head: { 'mcp-name': undefined } }, 400, -32020],
    ['another Mcp-Name', { head: { 'mcp-name': 'fs__safe' } }, 400, -32020],
    ['an Mcp-Name that cannot be decoded', { head: { 'mcp-name': '=?base64?ZnM!?=' } }, 400, -32020],
    ['another version in the header', { head: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
    ['an unknown version', { version: '2027-01-01' }, 400, -32022],
    ['no envelope', { meta: {} }, 400, -32602],
    ['no capabilities', { meta: { [`${META}protocolVersion`]: '2026-07-28' } }, 400, -32602],
  ])('refuses a call with %s, before anything is asked of dispatch', async (_, asking, status, code) => {
    await open();
    expect(await answerOf(ask(stand, 'tools/call', risky, { id: 7, ...asking }))).toMatchObject({ id: 7, status, error: { code } });
    expect(stand.seen.submissions).toEqual([]);
  });

  it.each([
    ['a member too many', { more: 1 }, {}, 400],
    ['params of another kind', { params: [] }, {}, 400],
    ['an answer it cannot read', {}, { accept: 'text/html' }, 406],
  ])('names the request it refuses for %s', async (_, over, speaking, status) => {
    await open();
    const message = { jsonrpc: '2.0', id: 'mine', method: 'tools/list', params: {}, ...over };
    expect(await answerOf(speak(stand, message, { headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, ...speaking }))).toMatchObject({ status, id: 'mine', error: {} });
  });

  it('takes a name that had to be encoded', async () => {
    await open();
    const name = 'fs__ünsql';
    const answer = await answerOf(ask(stand, 'tools/call', { name, arguments: {} }, { head: { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } }));
    expect(answer.status).toBe(200);
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'unknown/method'])('has no %s', async (method) => {
    await open();
    expect(await answerOf(ask(stand, method))).toMatchObject({ status: 404, error: { code: -32601 } });
  });
});

describe('a trapped call of a stateless client', () => {
  it('is held with signs of life and progress, and then given the result, once', async () => {
    await parking({ limits: { heartbeatMs: 10 } });
    const answer = answerOf(ask(stand, 'tools/call', { ...risky, _meta: { progressToken: 'p' } }));
    await until(() => [...stand.handles.keys()].some((id) => stand.waiting(id) > 0));
    await pause(30);
    const [id] = stand.handles.keys();
    stand.settle(id!, executed({ content: [{ type: 'text', text: 'dropped' }] }));
    const { told, result } = await answer;
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'dropped' }] });
    expect(told[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p' } });
    expect(stand.seen.fetched).toEqual([id]);
  });

  it('is answered NOT EXECUTED when the client’s patience is over, and joined by the repeat', async () => {
    await parking({ patienceMs: 20 });
    for (let round = 0; round < 2; round += 1) {
      const { status, result } = await answerOf(ask(stand, 'tools/call', risky, { id: round }));
      expect(status).toBe(200);
      expect(result).toMatchObject({ resultType: 'complete', isError: true });
      expect(result.content[0].text).toContain('NOT EXECUTED');
    }
    expect(stand.handles.size).toBe(1);
    expect(stand.seen.withdrawn).toEqual([]);
  });

  it('is withdrawn when its client closes the request', async () => {
    await parking();
    const gone = new AbortController();
    const request = ask(stand, 'tools/call', risky, { signal: gone.signal }).then((response) => response.text()).catch(() => undefined);
    await until(() => [...stand.handles.keys()].some((id) => stand.waiting(id) > 0));
    gone.abort();
    await request;
    await until(() => stand.seen.withdrawn.length === 1);
    expect(stand.handles.get(stand.seen.withdrawn[0]!)?.state.status).toBe('withdrawn');
  });

  it('stays while another request of its client still holds it', async () => {
    await parking();
    const gone = new AbortController();
    const first = ask(stand, 'tools/call', risky, { signal: gone.signal }).then((response) => response.text()).catch(() => undefined);
    await until(() => [...stand.handles.keys()].some((id) => stand.waiting(id) === 1));
    const [id] = stand.handles.keys();
    const second = answerOf(ask(stand, 'tools/call', risky, { id: 2 }));
    await until(() => stand.waiting(id!) === 2);
    gone.abort();
    await first;
    await until(() => stand.waiting(id!) === 1);
    expect(stand.seen.withdrawn).toEqual([]);
    stand.settle(id!, executed({ content: [] }));
    expect((await second).result).toMatchObject({ resultType: 'complete' });
  });

  it('is a task for a client that declares tasks, and only for that', async () => {
    await parking();
    const tasks = { capabilities: { extensions: { [`${META}tasks`]: {} } } };
    const { result: task } = await answerOf(ask(stand, 'tools/call', risky, tasks));
    expect(task).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.stringMatching(/^txn_/) });
    const taskId = task.taskId as string;
    expect((await answerOf(ask(stand, 'tasks/get', { taskId }))).error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [`${META}tasks`]: {} } } } });
    expect((await answerOf(ask(stand, 'tasks/get', { taskId }, { ...tasks, token: 'token-beta' }))).error).toMatchObject({ code: -32602 });
    expect((await answerOf(ask(stand, 'tasks/update', { taskId, inputResponses: { approval: { action: 'accept' } } }, tasks))).result).toEqual({ resultType: 'complete' });
    expect((await answerOf(ask(stand, 'tasks/get', { taskId }, tasks))).result).toMatchObject({ resultType: 'complete', status: 'working' });
    stand.settle(taskId as never, executed({ content: [{ type: 'text', text: 'dropped' }] }));
    expect((await answerOf(ask(stand, 'tasks/get', { taskId }, tasks))).result).toMatchObject({ status: 'completed', result: { content: [{ text: 'dropped' }] } });
    expect(stand.seen.fetched).toEqual([taskId]);
  });

  it('a cancelled task is a withdrawn call', async () => {
    await parking();
    const tasks = { capabilities: { extensions: { [`${META}tasks`]: {} } } };
    const { result: task } = await answerOf(ask(stand, 'tools/call', risky, tasks));
    expect((await answerOf(ask(stand, 'tasks/cancel', { taskId: task.taskId }, tasks))).result).toEqual({ resultType: 'complete' });
    expect(stand.seen.withdrawn).toEqual([task.taskId]);
    expect((await answerOf(ask(stand, 'tasks/get', { taskId: task.taskId }, tasks))).result).toMatchObject({ status: 'cancelled' });
  });

  it('is not approved by input the client makes up', async () => {
    await parking({ patienceMs: 20 });
    const { result } = await answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: { approval: { action: 'accept', content: { confirm: true } } } }));
    expect(result.content[0].text).toContain('NOT EXECUTED');
  });
});

interface Asks {
  readonly resultType: string;
  readonly inputRequests: object;
  readonly requestState: string;
}

describe('a question in mid-call of a target that keeps the connection', () => {
  const asking = async (): Promise<void> => {
    await open();
    stand.play.submit = async ({ relay }) => {
      const answer = await relay!.ask('elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } });
      return { kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [{ type: 'text', text: JSON.stringify(answer) }] } } };
    };
  };
  const elicits = { capabilities: { elicitation: {} } };
  const begin = async (): Promise<Asks> => (await answerOf(ask(stand, 'tools/call', risky, elicits))).result as Asks;
  const accepted = (result: Asks) => Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }]));

  it('is brought to the client as input it has to bring, and the call goes on with the answer', async () => {
    await asking();
    const result = await begin();
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect(Object.values(result.inputRequests)).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who?' } }]);
    const done = await answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: accepted(result), requestState: result.requestState }, { ...elicits, id: 2 }));
    expect(done).toMatchObject({ id: 2, result: { resultType: 'complete', content: [{ text: JSON.stringify({ action: 'accept', content: { name: 'Ada' } }) }] } });
    expect(stand.seen.submissions).toHaveLength(1);
  });

  it('tells each request of the call of the progress under its own token', async () => {
    await open();
    stand.play.submit = async ({ relay }) => {
      const tell = (progress: number): unknown => relay!.notify?.('notifications/progress', { progressToken: relay!.progressToken, progress });
      for (const progress of [1, 3, 5]) {
        tell(progress);
        if (progress < 5) await relay!.ask('elicitation/create', { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } });
        tell(progress + 1);
      }
      return { kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [] } } };
    };
    const heard: unknown[] = [];
    let more: object = {};
    for (const progressToken of ['first', undefined, 3]) {
      const { told, result } = await answerOf(ask(stand, 'tools/call', { ...risky, ...more, ...(progressToken !== undefined && { _meta: { progressToken } }) }, elicits));
      heard.push(told.flatMap((message: { method?: string; params?: { progressToken: unknown; progress: unknown } }) => (message.method === 'notifications/progress' ? [[message.params?.progressToken, message.params?.progress]] : [])));
      if (result.resultType === 'input_required') more = { inputResponses: accepted(result as Asks), requestState: result.requestState };
    }
    expect(heard).toEqual([[['first', 1]], [], [[3, 4], [3, 5], [3, 6]]]);
  });

  it('is put again when the answer is missing', async () => {
    await asking();
    const result = await begin();
    const again = (await answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: { other: {} }, requestState: result.requestState }, elicits))).result;
    expect(again.resultType).toBe('input_required');
    expect(again.requestState).not.toBe(result.requestState);
  });

  it.each([
    ['tampered with', (state: string) => ({ requestState: `${state}x` })],
    ['of another client', (state: string) => ({ requestState: state, token: 'token-beta' })],
    ['for other arguments', (state: string) => ({ requestState: state, arguments: { sql: 'DROP DATABASE d' } })],
  ])('a state that is %s answers nothing', async (_, change) => {
    await asking();
    const result = await begin();
    const { token, ...over } = change(result.requestState) as { token?: string; requestState: string };
    const { error } = await answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: accepted(result), ...over }, { ...elicits, ...(token !== undefined && { token }) }));
    expect(error).toMatchObject({ data: { code: 'request-state-invalid' } });
    expect(stand.seen.submissions).toHaveLength(1);
  });

  it('a state counts once', async () => {
    await asking();
    const result = await begin();
    const answers = { ...risky, inputResponses: accepted(result), requestState: result.requestState };
    await answerOf(ask(stand, 'tools/call', answers, elicits));
    expect((await answerOf(ask(stand, 'tools/call', answers, elicits))).error).toMatchObject({ data: { code: 'request-state-invalid' } });
  });

  it('of two programs that were told of it the first to come back answers it; the other is refused at once, and both are answered', async () => {
    await open();
    let answered: () => void = () => undefined;
    let finish: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => (answered = resolve));
    const worked = new Promise<void>((resolve) => (finish = resolve));
    stand.play.submit = async ({ relay }) => {
      const { content } = await relay!.ask('elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } });
      answered();
      await worked;
      return { kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [{ type: 'text', text: JSON.stringify(content) }] } } };
    };
    const told = [await begin(), await begin()];
    const comeBack = (nth: number) => answerOf(ask(stand, 'tools/call', { ...risky, inputResponses: accepted(told[nth]!), requestState: told[nth]!.requestState }, elicits));
    const first = comeBack(0);
    await heard;
    expect((await comeBack(1)).error).toMatchObject({ data: { code: 'request-state-invalid' } });
    finish();
    expect((await first).result).toMatchObject({ resultType: 'complete', content: [{ text: '{"name":"Ada"}' }] });
    expect(stand.seen.submissions).toHaveLength(1);
  });

  it('is not put to a client that did not declare it', async () => {
    await asking();
    stand.play.submit = async ({ relay }) => {
      const refused = await relay!.ask('elicitation/create', { message: 'Who?' }).catch((fault: unknown) => fault);
      return { kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [], code: (refused as { code: number }).code } } };
    };
    expect((await answerOf(ask(stand, 'tools/call', risky))).result).toMatchObject({ code: 42203 });
  });
});
