import { afterEach, describe, expect, it } from 'vitest';
import type { Submission, Submitted } from '../../../src/main/dispatch/index.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';
import { answerOf, ask } from '../mcp/stateless-client.ts';
import { initialize, listen, messages, nextMessage, openSession, speak } from './mcp-client.ts';
import { call, listed, openStand, tool, type Stand, type StandOptions } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());
const open = async (options: StandOptions = {}) => (stand = await openStand(options));

const PER_TARGET = '/v1/mcp-gateway/fs/mcp';
const listTools = (id: number | string = 1) => ({ jsonrpc: '2.0', id, method: 'tools/list' });
const codeOf = async (response: Response) => [response.status, ((await response.json()) as { error: { data: { code: string } } }).error.data.code];

describe('initialize', () => {
  it('opens a session with a random id, without asking a target, and says who we are', async () => {
    await open({ targets: { fs: { faceless: { kind: 'lost', note: '' } } } });
    const response = await speak(stand, initialize());
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(response.headers.get('content-type')).toBe('application/json');
    const { result } = (await response.json()) as { result: Record<string, unknown> };
    expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'countersign', version: '0.0.0' } });
    expect(Object.keys(result['capabilities'] as object)).toEqual(['tools', 'prompts', 'resources', 'completions', 'logging']);
    expect(stand.seen.listed).toEqual([]);
    expect(await openSession(stand)).not.toBe(response.headers.get('mcp-session-id'));
  });

  it.each([['2025-06-18', '2025-06-18'], ['2024-11-05', '2024-11-05'], ['2099-01-01', '2025-11-25']])('negotiates %s to %s', async (asked, given) => {
    await open();
    const response = await speak(stand, initialize(asked));
    expect(((await response.json()) as { result: { protocolVersion: string } }).result.protocolVersion).toBe(given);
  });

  it('of one target shows that target’s own face, unknown members and all, and hands on what the client declared', async () => {
    await open({ targets: { fs: { face: { capabilities: { tools: { x: 1 }, experimental: { odd: {} }, unheard: true }, serverInfo: { name: 'secure-fs', version: '9', more: [1] }, instructions: 'be kind' } } } });
    const response = await speak(stand, initialize('2025-11-25', { roots: { listChanged: true }, odd: { a: 1 } }), { path: PER_TARGET });
    expect(((await response.json()) as { result: unknown }).result).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { x: 1 }, experimental: { odd: {} }, unheard: true },
      serverInfo: { name: 'secure-fs', version: '9', more: [1] },
      instructions: 'be kind',
    });
    expect(stand.seen.downstreams).toEqual([{ session: response.headers.get('mcp-session-id'), capabilities: { roots: { listChanged: true }, odd: { a: 1 } }, clientInfo: { name: 'test', version: '1' } }]);
  });

  it('of a target that cannot be initialized is a 502, and leaves no session', async () => {
    await open({ targets: { fs: { faceless: { kind: 'fault', code: 'upstream-unreachable', sent: false, note: '' } } } });
    const response = await speak(stand, initialize(), { path: PER_TARGET });
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await codeOf(response)).toEqual([502, 'upstream-unreachable']);
    expect(stand.seen.ended).toEqual([stand.seen.downstreams[0]?.session]);
  });

  it('without what the protocol wants is refused', async () => {
    await open();
    expect(await codeOf(await speak(stand, { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } }))).toEqual([400, 'invalid-params']);
  });
});

describe('a session', () => {
  it('must be named, and exists only for the client that opened it, on the endpoint it was opened on', async () => {
    await open();
    const session = await openSession(stand);
    expect(await codeOf(await speak(stand, listTools()))).toEqual([400, 'session-required']);
    expect(await codeOf(await speak(stand, listTools(), { session: 'b2c1b7f0-0000-4000-8000-000000000000' }))).toEqual([404, 'unknown-session']);
    expect(await codeOf(await speak(stand, listTools(), { session, token: 'token-beta' }))).toEqual([404, 'unknown-session']);
    expect(await codeOf(await speak(stand, listTools(), { session, path: PER_TARGET }))).toEqual([404, 'unknown-session']);
    expect((await speak(stand, listTools(), { session })).status).toBe(200);
    expect((await speak(stand, listTools(), { session, path: '/v1/mcp-gateway/invoke' })).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${stand.url}/mcp`, { method, headers: { authorization: 'Bearer token-beta', accept: 'text/event-stream', 'mcp-session-id': session } });
      expect(await codeOf(response)).toEqual([404, 'unknown-session']);
    }
    expect((await speak(stand, listTools(), { session })).status).toBe(200);
  });

  it('is not served for a target that is not there', async () => {
    await open();
    expect(await codeOf(await speak(stand, initialize(), { path: '/v1/mcp-gateway/nowhere/mcp' }))).toEqual([404, 'unknown-target']);
  });

  it('refuses a protocol version nobody serves here, and names those that are', async () => {
    await open();
    const session = await openSession(stand);
    const response = await speak(stand, listTools(), { session, headers: { 'mcp-protocol-version': '2026-07-28' } });
    expect(response.status).toBe(400);
    const { data } = ((await response.json()) as { error: { data: { code: string; served: string[] } } }).error;
    expect(data.code).toBe('protocol-version-not-supported');
    expect(data.served).toContain('2025-11-25');
    expect((await speak(stand, listTools(), { session, headers: { 'mcp-protocol-version': '2025-06-18' } })).status).toBe(200);
  });

  it('takes notifications and answers with 202 and no body', async () => {
    await open();
    const session = await openSession(stand);
    const response = await speak(stand, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, { session });
    expect([response.status, await response.text()]).toEqual([202, '']);
    expect(stand.seen.told).toEqual([{ session, method: 'notifications/roots/list_changed', params: {} }]);
  });

  it('refuses batches, strangers in the envelope, a second initialize, and an id that is still in use', async () => {
    await open();
    const session = await openSession(stand);
    for (const body of [[listTools()], { ...listTools(), Params: {} }, { jsonrpc: '2.0', id: 1, Method: 'tools/call' }, initialize()]) {
      expect(await codeOf(await speak(stand, body, { session }))).toEqual([400, 'invalid-request']);
    }
    let finish: (done: Submitted) => void = () => undefined;
    stand.play.submit = () => new Promise((resolve) => (finish = resolve));
    const first = speak(stand, call(7, 'fs__slow'), { session });
    await expect.poll(() => stand.seen.submissions.length).toBe(1);
    expect(await codeOf(await speak(stand, call(7, 'fs__slow'), { session }))).toEqual([400, 'invalid-request']);
    finish(stand.pass(stand.seen.submissions[0] as Submission));
    expect((await first).status).toBe(200);
  });

  it('ends when it is deleted: streams close, the targets are told, and the id is gone', async () => {
    await open();
    const session = await openSession(stand);
    const stream = messages(await listen(stand, { session }));
    const response = await fetch(`${stand.url}/mcp`, { method: 'DELETE', headers: { authorization: 'Bearer token-alpha', 'mcp-session-id': session } });
    expect(response.status).toBe(200);
    expect(await nextMessage(stream)).toBeUndefined();
    expect(stand.seen.ended).toEqual([session]);
    expect(await codeOf(await speak(stand, listTools(), { session }))).toEqual([404, 'unknown-session']);
  });

  it('that nobody uses is reaped; one with an open stream is not', async () => {
    await open({ limits: { sessionIdleMs: 120 } });
    const [idle, streaming] = [await openSession(stand), await openSession(stand)];
    await listen(stand, { session: streaming });
    await expect.poll(() => stand.seen.ended).toEqual([idle]);
    expect((await speak(stand, listTools(), { session: streaming })).status).toBe(200);
    expect((await speak(stand, listTools(), { session: idle })).status).toBe(404);
  });

  it('makes room for a new one of the same client by ending its longest unused, and never touches another client’s', async () => {
    await open({ limits: { sessionsPerClient: 2 } });
    const others = await openSession(stand, { token: 'token-beta' });
    const [first, second] = [await openSession(stand), await openSession(stand)];
    await speak(stand, listTools(), { session: first });
    await openSession(stand);
    expect(stand.seen.ended).toEqual([second]);
    await listen(stand, { session: first });
    const third = await openSession(stand);
    await listen(stand, { session: third });
    expect(await codeOf(await speak(stand, initialize()))).toEqual([429, 'too-many-sessions']);
    expect((await speak(stand, listTools(), { session: others, token: 'token-beta' })).status).toBe(200);
  });

  it('ends with its client’s token', async () => {
    await open();
    const [mine, others] = [await openSession(stand), await openSession(stand, { token: 'token-beta' })];
    stand.gateway.endSessionsOf('alpha' as never);
    expect((await speak(stand, listTools(), { session: mine })).status).toBe(404);
    expect((await speak(stand, listTools(), { session: others, token: 'token-beta' })).status).toBe(200);
  });
});

describe('an answer', () => {
  it('is plain JSON when nothing came before it, and a stream from the first notification on', async () => {
    await open();
    const session = await openSession(stand);
    expect((await speak(stand, call(1, 'fs__a'), { session })).headers.get('content-type')).toBe('application/json');
    stand.play.submit = (submission) => {
      submission.relay?.notify?.('notifications/message', { level: 'info', data: 'x', odd: 1 });
      return stand.pass(submission);
    };
    const response = await speak(stand, call(2, 'fs__a'), { session });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const stream = messages(response);
    expect(await nextMessage(stream)).toEqual({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x', odd: 1 } });
    expect(await nextMessage(stream)).toMatchObject({ id: 2, result: {} });
    expect(await nextMessage(stream)).toBeUndefined();
  });

  it('is of the one type a client takes, and there is none for a client that takes neither', async () => {
    await open();
    const session = await openSession(stand);
    stand.play.submit = (submission) => {
      submission.relay?.notify?.('notifications/message', { level: 'info', data: 'x' });
      return stand.pass(submission);
    };
    expect((await speak(stand, call(1, 'fs__a'), { session, accept: 'application/json' })).headers.get('content-type')).toBe('application/json');
    expect((await speak(stand, listTools(2), { session, accept: 'text/event-stream' })).headers.get('content-type')).toBe('text/event-stream');
    expect((await speak(stand, listTools(3), { session, accept: '*/*' })).headers.get('content-type')).toBe('application/json');
    expect(await codeOf(await speak(stand, listTools(4), { session, accept: 'text/html' }))).toEqual([406, 'not-acceptable']);
  });

  it('reaches the client that asked, when two ask under the same ids at once', async () => {
    await open();
    const sessions = { 'token-alpha': await openSession(stand), 'token-beta': await openSession(stand, { token: 'token-beta' }) };
    const waiting: (() => void)[] = [];
    stand.play.submit = (submission) => new Promise((resolve) => waiting.push(() => resolve(stand.pass(submission))));
    const ask = (token: keyof typeof sessions, id: number) => speak(stand, call(id, 'fs__a', { of: token, id }), { token, session: sessions[token] });
    const asked = [ask('token-alpha', 0), ask('token-beta', 0), ask('token-alpha', 1), ask('token-beta', 1)];
    await expect.poll(() => waiting.length).toBe(4);
    for (const finish of waiting.reverse()) finish();
    const texts = await Promise.all(asked.map(async (response) => (await response).text()));
    expect(texts.map((text) => [(JSON.parse(text) as { id: number }).id, /token-(alpha|beta)/.exec(text)?.[0]])).toEqual([[0, 'token-alpha'], [0, 'token-beta'], [1, 'token-alpha'], [1, 'token-beta']]);
  });

  it('survives a client that hangs up in the middle of a large one', async () => {
    await open();
    const session = await openSession(stand);
    stand.play.submit = () => ({ kind: 'answered', replay: false, answer: { kind: 'result', result: { content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] } } });
    const response = await speak(stand, call(1, 'fs__a'), { session });
    await response.body!.cancel();
    stand.play.submit = stand.pass;
    expect((await speak(stand, call(2, 'fs__a'), { session })).status).toBe(200);
  });
});

describe('lists', () => {
  const failing: Answer = { kind: 'fault', code: 'upstream-unreachable', sent: false, note: '' };
  const list = async (session: string, method = 'tools/list', path = '/mcp') => ((await (await speak(stand, { jsonrpc: '2.0', id: 1, method }, { session, path })).json()) as { result: Record<string, unknown> }).result;

  it('of one target come exactly as it gives them', async () => {
    const result = { tools: [tool('read', { outputSchema: { type: 'object', 'x-odd': true }, icons: [] })], _meta: { a: 1 }, odd: 2 };
    await open({ targets: { fs: { lists: { 'tools/list': { kind: 'result', result } } } } });
    expect(await list(await openSession(stand, { path: PER_TARGET }), 'tools/list', PER_TARGET)).toEqual(result);
  });

  it.each(['/mcp', PER_TARGET])('are what the target gives now, though it never tells of a change, on %s in both eras', async (path) => {
    await open({ targets: { fs: { lists: { 'tools/list': listed('tools', [tool('one')]) } } } });
    const session = await openSession(stand, { path });
    const modern = async (): Promise<unknown> => (await answerOf(ask(stand, 'tools/list', {}, { path }))).result;
    for (const ofEra of [() => list(session, 'tools/list', path), modern]) expect(JSON.stringify([await ofEra(), await ofEra()]).match(/"(fs__)?one"/g)).toHaveLength(2);
    stand.setTarget('fs', { lists: { 'tools/list': listed('tools', [tool('two')]) } });
    expect(JSON.stringify(await modern())).toMatch(/"(fs__)?two"/);
    // In a session the same list is given once more to who asks again at once.
    await expect.poll(async () => JSON.stringify(await list(session, 'tools/list', path))).toMatch(/"(fs__)?two"/);
  });

  it('are asked for once by those who ask at the same time', async () => {
    await open({ targets: { fs: { lists: { 'tools/list': listed('tools', [tool('one')]) } } } });
    const session = await openSession(stand);
    let give: (() => void) | undefined;
    stand.play.list = () => new Promise((resolve) => (give = resolve));
    const lists = Promise.all([1, 2, 3].map((id) => speak(stand, { jsonrpc: '2.0', id, method: 'tools/list' }, { session }).then((response) => response.text())));
    await expect.poll(() => stand.seen.listed.length).toBe(1);
    await speak(stand, { jsonrpc: '2.0', id: 9, method: 'ping' }, { session });
    give?.();
    expect(new Set((await lists).map((text) => text.slice(text.indexOf('"result"')))).size).toBe(1);
    expect(stand.seen.listed).toEqual(['fs tools/list']);
  });

  it('go out without a target that fails, say which, and are then asked for again', async () => {
    await open({ targets: { fs: { lists: { 'tools/list': listed('tools', [tool('one')]) } }, db: { lists: { 'tools/list': failing } } } });
    const session = await openSession(stand);
    expect(await list(session)).toMatchObject({ _meta: { 'countersign/unavailable': ['db'] } });
    stand.setTarget('db', { lists: { 'tools/list': listed('tools', [tool('two')]) } });
    const again = await list(session);
    expect(again).not.toHaveProperty('_meta');
    expect(JSON.stringify(again)).toContain('db__two');
  });

  it('keep resource URIs unless two targets have the same, and lead each back to its target', async () => {
    const resources = (...uris: string[]) => ({ lists: { 'resources/list': listed('resources', uris.map((uri) => ({ uri, name: uri }))) } });
    await open({ targets: { fs: resources('file:///a', 'file:///b'), db: resources('file:///b', 'db://x') } });
    const session = await openSession(stand);
    const { resources: uris } = (await list(session, 'resources/list')) as { resources: { uri: string }[] };
    expect(uris.map(({ uri }) => uri)).toEqual(['file:///a', 'countersign+fs:file:///b', 'countersign+db:file:///b', 'db://x']);
    const read = (uri: string) => speak(stand, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta: { kept: 1 } } }, { session });
    for (const uri of ['db://x', 'countersign+db:file:///b', 'countersign+fs:file:///b']) await read(uri);
    expect(stand.seen.submissions.map(({ call: { target, params } }) => [target, params])).toEqual([
      ['db', { uri: 'db://x', _meta: { kept: 1 } }],
      ['db', { uri: 'file:///b', _meta: { kept: 1 } }],
      ['fs', { uri: 'file:///b', _meta: { kept: 1 } }],
    ]);
    for (const uri of ['file:///b', 'file:///nobodys', 'countersign+nobody:file:///b']) expect(await (await read(uri)).json()).toMatchObject({ error: { code: -32602, data: { code: 'unknown-resource', uri } } });
  });

  it('find the owner of a URI by its template', async () => {
    const templates = (...uriTemplates: string[]) => ({ lists: { 'resources/templates/list': listed('resourceTemplates', uriTemplates.map((uriTemplate) => ({ uriTemplate, name: 't' }))) } });
    await open({ targets: { fs: templates('file:///{path}'), db: templates('file:///db/{table}') } });
    const session = await openSession(stand);
    for (const uri of ['file:///etc', 'file:///db/users']) await speak(stand, { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }, { session });
    expect(stand.seen.submissions.map(({ call: { target } }) => target)).toEqual(['fs', 'db']);
  });

  it('know no cursor', async () => {
    await open();
    const session = await openSession(stand);
    const response = await speak(stand, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, { session });
    expect(((await response.json()) as { error: { code: number } }).error.code).toBe(-32602);
  });
});

describe('names on the endpoint of all targets', () => {
  it('lead prompts and completions to their target under its own names, other members untouched', async () => {
    await open({ targets: { fs: {}, db: {} } });
    const session = await openSession(stand);
    await speak(stand, { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'db__ask__twice', arguments: { a: 'b' }, odd: 1 } }, { session });
    await speak(stand, { jsonrpc: '2.0', id: 2, method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'fs__p' }, argument: { name: 'a', value: 'b' } } }, { session });
    expect(stand.seen.submissions.map(({ call: { target, method, params } }) => [target, method, params])).toEqual([
      ['db', 'prompts/get', { name: 'ask__twice', arguments: { a: 'b' }, odd: 1 }],
      ['fs', 'completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } }],
    ]);
  });

  it.each(['read', 'nowhere__read', '__read', 'FS__read', 'fs_read', ''])('do not guess at %j', async (name) => {
    await open();
    const session = await openSession(stand);
    expect(await (await speak(stand, call(1, name), { session })).json()).toMatchObject({ error: { code: -32602, data: { code: 'unknown-tool' } } });
    expect(await (await speak(stand, { jsonrpc: '2.0', id: 2, method: 'prompts/get', params: { name } }, { session })).json()).toMatchObject({ error: { code: -32602, data: { code: 'unknown-prompt' } } });
    expect([stand.seen.submissions, stand.seen.listed]).toEqual([[], []]);
  });

  it('leave the tools of the registry and the broker as they are', async () => {
    await open({ targets: { fs: { lists: { 'tools/list': listed('tools', [tool('a')]) } }, fabric: { lists: { 'tools/list': listed('tools', [tool('fabric_propose_change')]) } } } });
    const session = await openSession(stand);
    const { result } = (await (await speak(stand, listTools(), { session })).json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(['fs__a', 'fabric_propose_change', 'countersign__pending']);
    await speak(stand, call(2, 'fabric_propose_change'), { session });
    expect(stand.seen.submissions[0]?.call).toMatchObject({ target: 'fabric', params: { name: 'fabric_propose_change' } });
  });

  it('know no method that does not say whose it is', async () => {
    await open();
    const session = await openSession(stand);
    const { error } = (await (await speak(stand, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'x' } }, { session })).json()) as { error: { code: number } };
    expect(error.code).toBe(-32601);
    const own = await openSession(stand, { path: PER_TARGET });
    await speak(stand, { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: 'x' } }, { session: own, path: PER_TARGET });
    expect(stand.seen.submissions[0]?.call).toEqual({ client: 'alpha', target: 'fs', method: 'tasks/get', params: { taskId: 'x' } });
  });

  it('pass a log level on to every target that keeps one', async () => {
    await open({ targets: { fs: { face: { capabilities: { logging: {} } } }, db: {} } });
    const session = await openSession(stand);
    const response = await speak(stand, { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'debug' } }, { session });
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    for (const params of [{ level: 'loud' }, { level: 7 }, {}]) expect(await (await speak(stand, { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params }, { session })).json()).toMatchObject({ error: { code: -32602, data: { at: 'params.level' } } });
    expect(stand.seen.submissions.map(({ call: { target, params } }) => [target, params])).toEqual([['fs', { level: 'debug' }]]);
  });
});

describe('the stream of a session', () => {
  it('is one, carries what belongs to no call, and tells changes once', async () => {
    await open();
    const session = await openSession(stand);
    const stream = messages(await listen(stand, { session }));
    expect(await codeOf(await listen(stand, { session }))).toEqual([409, 'stream-exists']);
    expect(await codeOf(await listen(stand, { session, accept: 'application/json' }))).toEqual([406, 'not-acceptable']);
    stand.changed('fs', 'tools');
    stand.changed('fs', 'tools');
    expect(await nextMessage(stream)).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    stand.say(session, 'fs', 'notifications/resources/updated', { uri: 'file:///a', odd: 1 });
    expect(await nextMessage(stream)).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///a', odd: 1 } });
  });

  it('tells of a changed resource under the URI it was subscribed to, and asks no target for that', async () => {
    const both = { lists: { 'resources/list': listed('resources', [{ uri: 'x:both', name: 'both' }]) } };
    await open({ targets: { fs: both, db: both } });
    const session = await openSession(stand);
    const stream = messages(await listen(stand, { session }));
    const told = async (uri: string): Promise<unknown> => {
      stand.say(session, 'fs', 'notifications/resources/updated', { uri });
      return ((await nextMessage(stream)) as { params: { uri: unknown } }).params.uri;
    };
    const speakOf = (method: string, uri: string): Promise<Response> => speak(stand, { jsonrpc: '2.0', id: 1, method, params: { uri } }, { session });
    await speakOf('resources/subscribe', 'countersign+fs:x:own');
    expect([await told('x:own'), await told('x:both')]).toEqual(['countersign+fs:x:own', 'x:both']);
    await speakOf('resources/unsubscribe', 'countersign+fs:x:own');
    expect(await told('x:own')).toBe('x:own');
    expect(stand.seen.listed).toEqual([]);
    await speak(stand, { jsonrpc: '2.0', id: 2, method: 'resources/list' }, { session });
    expect(await told('x:both')).toBe('countersign+fs:x:both');
  });

  it('tells on opening what changed before', async () => {
    await open();
    const session = await openSession(stand);
    stand.changed('fs', 'prompts');
    expect(await nextMessage(messages(await listen(stand, { session })))).toEqual({ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' });
  });

  it('of one target tells nothing of another, and can be opened again after it was closed', async () => {
    await open({ targets: { fs: {}, db: {} } });
    const session = await openSession(stand, { path: PER_TARGET });
    const leaving = new AbortController();
    await listen(stand, { session, path: PER_TARGET, signal: leaving.signal });
    leaving.abort();
    let again = await listen(stand, { session, path: PER_TARGET });
    while (again.status === 409) again = await listen(stand, { session, path: PER_TARGET });
    stand.changed('db', 'tools');
    stand.changed('fs', 'resources');
    expect(await nextMessage(messages(again))).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' });
  });

  it('ends, uncut, when the gateway stops', async () => {
    await open();
    const stream = messages(await listen(stand, { session: await openSession(stand) }));
    const closed = stand.gateway.close(30_000);
    expect(await nextMessage(stream)).toBeUndefined();
    await closed;
  });

  it('shows signs of life', async () => {
    await open({ limits: { heartbeatMs: 30 } });
    const stream = messages(await listen(stand, { session: await openSession(stand) }));
    expect([(await stream.next()).value, (await stream.next()).value]).toEqual([': alive', ': alive']);
  });
});
