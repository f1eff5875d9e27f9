import { describe, expect, it } from 'vitest';
import { changeFacts } from '../../../src/main/control/index.ts';
import type { ConnectAnswer } from '../../../src/shared/contract/control.ts';
import type { HandleId } from '../../../src/shared/vocabulary/ids.ts';
import { aRemoteTarget } from './samples.ts';
import { aWorld, type World } from './world.ts';

const entry = { command: 'npx', args: ['-y', 'server-postgres'], env: { DB_URL: 'postgres://u:hunter2@localhost' }, preflight_pattern: 'DROP' };

async function connect(world: World, id: string, what: unknown): Promise<ConnectAnswer> {
  const answer = await world.control.connect(id, what);
  if (!answer.ok) throw new Error(answer.code);
  return answer.value;
}
async function waiting(world: World, what: unknown = entry, id = 'prod-db'): Promise<string> {
  const answer = await connect(world, id, what);
  if (answer.status !== 'waiting') throw new Error('it does not wait');
  return answer.change;
}

describe('connecting without a window', () => {
  it('happens at once and is audited', async () => {
    const world = aWorld({ window: false });
    const answer = await connect(world, 'prod-db', entry);
    expect(answer).toMatchObject({ status: 'applied', target: { id: 'prod-db', mode: 'ephemeral', environment: ['DB_URL'], guard: { kind: 'rule', pattern: 'DROP', attestation: 'totp' }, tools: 3 } });
    expect(world.targets.get('prod-db')?.reach).toMatchObject({ env: { DB_URL: 'postgres://u:hunter2@localhost' } });
    expect(world.events).toEqual([{ type: 'target.connected', at: world.time.wall, actor: 'control:operator', target: 'prod-db', handle: null, payloadHash: null, detail: { transport: 'stdio', mode: 'ephemeral', guard: 'totp' } }]);
    expect(world.parked()).toEqual([]);
  });

  it('of a target without a guard warns that every call of it passes, alone or from a file', async () => {
    const unguarded = { command: entry.command, args: entry.args };
    const warning = expect.stringContaining('every call of it passes') as string;
    expect(await connect(aWorld({ window: false }), 'prod-db', unguarded)).toMatchObject({ warnings: [warning] });
    expect(await connect(aWorld({ window: false }), 'prod-db', entry)).toMatchObject({ warnings: [] });
    expect(await aWorld({ window: false }).control.mount(JSON.stringify({ mcpServers: { db: unguarded } }), {})).toMatchObject({ value: { warnings: [expect.stringMatching(/^db: .*every call of it passes/)] } });
  });

  it('does nothing twice for the same entry, unless the target failed', async () => {
    const world = aWorld({ window: false });
    await connect(world, 'prod-db', entry);
    await connect(world, 'prod-db', entry);
    expect(world.events).toHaveLength(1);
    world.running.set('prod-db', { activeSandboxes: 0, state: 'failed', tools: 0, note: 'npx was not found' });
    await connect(world, 'prod-db', entry);
    expect(world.events.map(({ type }) => type)).toEqual(['target.connected', 'target.changed']);
  });
});

describe('connecting with a window', () => {
  it('parks exactly the change, and changes nothing until the click', async () => {
    const world = aWorld();
    const id = await waiting(world);
    const [handle] = world.parked();
    expect(handle).toMatchObject({ id, kind: 'change', door: 'control', client: 'control:operator', trap: { mode: 'button', where: 'new target' }, request: { target: 'prod-db', method: 'countersign/connect' } });
    expect(JSON.parse(handle?.request.paramsText ?? '')).toMatchObject({ command: 'npx', args: ['-y', 'server-postgres'], environment: { DB_URL: expect.stringMatching(/^sha256:/) }, replaces: null });
    expect(world.targets.size).toBe(0);
    const settled = await world.click(id);
    expect(settled.state.status).toBe('executed');
    expect(world.targets.get('prod-db')).toMatchObject({ reach: { env: { DB_URL: 'postgres://u:hunter2@localhost' } }, pattern: 'DROP' });
    expect(world.events.at(-2)).toMatchObject({ type: 'target.connected', handle: id, payloadHash: handle?.request.hash });
  });

  it('keeps no value of the environment in the handle, the audit, the view or the facts', async () => {
    const world = aWorld();
    const id = await waiting(world);
    const [handle] = world.parked();
    if (handle === undefined) throw new Error('nothing is parked');
    for (const told of [handle, world.events, world.control.show(id), world.control.change(id), changeFacts(handle)]) expect(JSON.stringify(told)).not.toContain('hunter2');
    expect([...world.sealed.values()].join()).toContain('hunter2');
  });

  it.each(['approve', 'decline', 'expire'] as const)('forgets the sealed values after %s', async (end) => {
    const world = aWorld();
    const stop = world.start();
    const id = (await waiting(world)) as HandleId;
    expect(world.sealed.size).toBe(1);
    if (end === 'approve') await world.click(id);
    if (end === 'decline') world.control.decline(id, 'no');
    if (end === 'expire') {
      world.time.wall += 600_000;
      world.approvals.expireDue();
    }
    expect(world.sealed.size).toBe(0);
    stop();
  });

  it('forgets at the start what was decided while nobody watched', async () => {
    const world = aWorld();
    world.control.decline(await waiting(world), null);
    expect(world.sealed.size).toBe(1);
    world.start()();
    expect(world.sealed.size).toBe(0);
  });

  it('joins the waiting change when the same is asked again, and parks another for another', async () => {
    const world = aWorld();
    const first = await waiting(world);
    expect(await waiting(world)).toBe(first);
    expect(await waiting(world, { ...entry, env: { DB_URL: 'another' } })).not.toBe(first);
    expect(await waiting(world, entry, 'other-db')).not.toBe(first);
    expect(world.parked()).toHaveLength(3);
  });

  it('asks for a click when a guard becomes looser, and not when it becomes tighter', async () => {
    const world = aWorld();
    await world.click(await waiting(world, { ...entry, preflight_pattern: undefined, guard: 'none' }));
    expect(await connect(world, 'prod-db', entry)).toMatchObject({ status: 'applied', target: { guard: { pattern: 'DROP' } } });
    for (const preflight_pattern of ['button:DROP', 'DROP TABLE', '', undefined]) expect(await connect(world, 'prod-db', { ...entry, preflight_pattern })).toMatchObject({ status: 'waiting' });
    expect(world.targets.get('prod-db')?.pattern).toBe('DROP');
  });

  it('does not carry out a change whose target became another one in the meantime', async () => {
    const world = aWorld();
    await world.click(await waiting(world));
    const looser = await waiting(world, { ...entry, preflight_pattern: undefined });
    await world.click(await waiting(world, { ...entry, command: 'node' }));
    const settled = await world.click(looser);
    expect(settled.state.status).toBe('upstream-fault');
    expect(world.control.change(looser)).toMatchObject({ ok: true, value: { state: 'FAULTED', reason: 'change-outdated' } });
    expect(world.targets.get('prod-db')).toMatchObject({ pattern: 'DROP', reach: { command: 'node' } });
  });

  it('does not carry out a change whose values cannot be opened or are gone', async () => {
    const world = aWorld();
    const [one, two] = [await waiting(world), await waiting(world, entry, 'other')];
    world.fail.opening = true;
    await world.click(one);
    world.fail.opening = false;
    world.sealed.clear();
    await world.click(two);
    for (const id of [one, two]) expect(world.control.change(id)).toMatchObject({ value: { reason: 'change-sealed' } });
    expect(world.targets.size).toBe(0);
    expect(world.reports).toEqual(['the values of a change cannot be opened']);
  });

  it('does not carry out other values than the ones that were parked', async () => {
    const world = aWorld();
    const id = await waiting(world);
    for (const [key, text] of world.sealed) world.sealed.set(key, text.replace('hunter2', 'hunter3'));
    await world.click(id);
    expect(world.control.change(id)).toMatchObject({ value: { reason: 'change-sealed' } });
    expect(world.targets.size).toBe(0);
  });

  it('cannot be approved over the control routes, by any code', async () => {
    const world = aWorld();
    const id = await waiting(world);
    expect(world.control.attest(id, '482910')).toMatchObject({ ok: false, code: 'window-only' });
    expect(world.parked()).toHaveLength(1);
  });

  it('says that the store could not commit, with nothing done', async () => {
    const world = aWorld();
    world.fail.stores = true;
    expect(await world.control.connect('prod-db', entry)).toMatchObject({ ok: false, code: 'store-unavailable' });
    world.fail.stores = false;
    const id = await waiting(world);
    world.fail.stores = true;
    expect(await world.applyChange(world.parked()[0]!)).toMatchObject({ kind: 'error', error: { data: { code: 'store-unavailable' } } });
    expect(world.targets.size).toBe(0);
    expect(id).toMatch(/^txn_/);
  });
});

describe('an entry that is refused', () => {
  it.each<[string, string, unknown, string]>([
    ['an id that is none', 'Prod DB', entry, 'invalid-target-id'],
    ['a reserved id', 'handles', entry, 'invalid-target-id'],
    ['no entry', 'a', 'npx', 'invalid-entry'],
    ['a pattern that cannot be used', 'a', { ...entry, preflight_pattern: 'a(?=b)' }, 'invalid-pattern'],
    ['our own address', 'a', { url: 'http://localhost:8356/mcp' }, 'own-endpoint'],
  ])('for %s changes nothing', async (_, id, what, code) => {
    const world = aWorld();
    expect(await world.control.connect(id, what)).toMatchObject({ ok: false, code });
    expect([world.parked(), world.events, world.sealed.size]).toEqual([[], [], 0]);
  });

  it('may not touch a target of the configuration file', async () => {
    const world = aWorld({ window: false, config: [aRemoteTarget()] });
    expect(await world.control.connect('remote', entry)).toMatchObject({ code: 'target-from-config' });
    expect(await world.control.disconnect('remote')).toMatchObject({ code: 'target-from-config' });
    expect(world.control.targets()).toMatchObject([{ id: 'remote', from: 'config', headers: ['Authorization'] }]);
  });
});

describe('mounting a file', () => {
  const file = (servers: unknown): string => JSON.stringify({ mcpServers: servers });

  it('takes every entry by itself, in the order of the file', async () => {
    const world = aWorld({ window: false });
    await connect(world, 'same', entry);
    const answer = await world.control.mount(file({ same: entry, 'My FS': { ...entry, odd: 1 }, me: { url: 'http://127.0.0.1:8356/mcp' }, broken: {} }), {});
    expect(answer).toMatchObject({
      ok: true,
      value: {
        entries: [
          { name: 'same', target: 'same', status: 'unchanged' }, { name: 'My FS', target: 'my-fs', status: 'applied' },
          { name: 'me', target: 'me', status: 'refused', code: 'own-endpoint' }, { name: 'broken', target: 'broken', status: 'refused', code: 'invalid-entry' },
        ],
        warnings: [expect.stringContaining('My FS: odd')],
      },
    });
  });

  it('parks each entry as a change of its own when there is a window', async () => {
    const world = aWorld();
    const answer = await world.control.mount(file({ a: entry, b: entry }), {});
    expect(answer).toMatchObject({ value: { entries: [{ status: 'waiting' }, { status: 'waiting' }] } });
    expect(world.parked().map(({ request }) => request.target)).toEqual(['a', 'b']);
  });

  it('takes variables from who mounts first, and names those of our own environment', async () => {
    const world = aWorld();
    const remote = (value: string) => ({ url: 'https://example.com/mcp', headers: { Authorization: value } });
    await world.control.mount(file({ theirs: remote('${ERP_TOKEN}') }), { ERP_TOKEN: 'theirs' });
    await world.control.mount(file({ ours: remote('${ERP_TOKEN}') }), {});
    expect(world.parked().map((handle) => changeFacts(handle).find(({ label }) => label.startsWith('Reads'))?.value)).toEqual([undefined, 'ERP_TOKEN']);
    expect([...world.sealed.values()].map((text) => (JSON.parse(text) as { headers: object }).headers)).toEqual([{ Authorization: 'theirs' }, { Authorization: 'from our environment' }]);
  });

  it('fills in what editors call this machine\'s places, which is nothing of the environment', async () => {
    const world = aWorld();
    await world.control.mount(file({ a: { command: 'node', args: ['${userHome}/server.js'], env: { T: '${ERP_TOKEN}' } } }), {});
    await world.control.connect('b', { command: 'node', args: ['${userHome}/server.js'] });
    expect(world.parked().map(changeFacts).map((facts) => facts.filter(({ label }) => /^Argument|^Reads/.test(label)).map(({ value }) => value))).toEqual([
      ['/home/me/server.js', 'ERP_TOKEN'], ['/home/me/server.js'],
    ]);
  });

  it('changes nothing for a file that does not parse, and names line and column', async () => {
    const world = aWorld({ window: false });
    expect(await world.control.mount('{\n  "mcpServers": {"a": }\n}', {})).toMatchObject({ ok: false, at: expect.stringMatching(/line 2, column \d+/) });
    expect(world.targets.size).toBe(0);
  });
});

describe('the facts of a change', () => {
  const factsOf = async (world: World, what: unknown): Promise<Record<string, string>> => {
    const id = await waiting(world, what);
    const handle = world.parked().find((each) => each.id === id);
    return Object.fromEntries(handle === undefined ? [] : changeFacts(handle).map(({ label, value }) => [label, value]));
  };

  it('are the exact command, each argument, the names of the environment, and the guard', async () => {
    const world = aWorld();
    expect(await factsOf(world, { ...entry, cwd: '/srv', args: ['-y', 'a b', '--x'] })).toEqual({
      Change: 'a new target', Command: 'npx', 'Argument 1': '-y', 'Argument 2': 'a b', 'Argument 3': '--x', 'Working folder': '/srv', Environment: 'DB_URL', 'Runs as': 'ephemeral', Guard: 'a code for DROP',
    });
  });

  it('are the URL and the names of the headers of a remote target, and where its questions go', async () => {
    const world = aWorld();
    expect(await factsOf(world, { url: 'https://example.com/mcp', guard: 'none', headers: { 'X-B': '1', 'X-A': '2' }, elicitations: 'client' })).toEqual({
      Change: 'a new target', URL: 'https://example.com/mcp', Headers: 'X-A, X-B', 'Runs as': 'multiplex', 'Its questions': 'go to the client, not to this window', Guard: 'none: every call passes',
    });
  });

  it('are the guard before and after when a target is altered', async () => {
    const world = aWorld();
    await world.click(await waiting(world));
    expect(await factsOf(world, { ...entry, preflight_pattern: 'button:DROP', env: {} })).toMatchObject({ Change: 'of environment, guard', 'Guard before': 'a code for DROP', 'Guard after': 'a click for DROP' });
  });
});

describe('clients', () => {
  it('are added at once without a window, with the token told once', () => {
    const world = aWorld({ window: false });
    const added = world.control.addClient('claude', ['ops', 'hr', 'ops']);
    expect(added).toMatchObject({ ok: true, value: { status: 'applied', client: { name: 'claude', roles: ['hr', 'ops'], revoked: false }, token: expect.stringMatching(/^cs_/) } });
    expect(JSON.stringify([world.events, world.control.clients()])).not.toContain(added.ok ? added.value.token : '');
  });

  it('wait for a click with a window; only the hash of the token waits with them', async () => {
    const world = aWorld();
    const asked = world.control.addClient('claude', ['hr']);
    if (!asked.ok || asked.value.status !== 'waiting') throw new Error('it does not wait');
    const { change, token } = asked.value;
    const [handle] = world.parked();
    expect(JSON.stringify([handle, [...world.sealed]])).not.toContain(token);
    expect(changeFacts(handle!)).toEqual([{ label: 'Change', value: 'a new client, which may call every target' }, { label: 'Client', value: 'claude' }, { label: 'Roles', value: 'hr' }]);
    expect(world.control.clients()).toEqual([]);
    await world.click(change);
    expect(world.control.clients()).toMatchObject([{ name: 'claude', roles: ['hr'] }]);
    expect(world.control.change(change)).toMatchObject({ value: { kind: 'client', subject: 'claude', state: 'RESOLVED', reason: 'executed' } });
  });

  it('of one name are not added twice, not by two clicks either', async () => {
    const world = aWorld();
    const changes = [world.control.addClient('claude', []), world.control.addClient('claude', [])].map((asked) => (asked.ok && asked.value.status === 'waiting' ? asked.value.change : ''));
    for (const change of changes) await world.click(change);
    expect(world.control.clients()).toHaveLength(1);
    expect(world.control.change(changes[1]!)).toMatchObject({ value: { state: 'FAULTED', reason: 'client-exists' } });
    expect(world.control.addClient('claude', [])).toMatchObject({ code: 'client-exists' });
  });

  it('are refused with a name or a role that is none', () => {
    const world = aWorld({ window: false });
    for (const name of ['', 'a\u202eb', 'control:x', 'x'.repeat(65)]) expect(world.control.addClient(name, [])).toMatchObject({ code: 'invalid-client-name' });
    expect(world.control.addClient('a', ['hr', 'no role'])).toMatchObject({ code: 'invalid-params', at: 'roles[1]' });
  });

  it('are revoked without a click, and their name may be used again', () => {
    const world = aWorld({ window: false });
    world.control.addClient('claude', []);
    expect(world.control.revokeClient('claude')).toEqual({ ok: true, value: { status: 'applied' } });
    expect(world.control.revokeClient('claude')).toMatchObject({ code: 'unknown-client' });
    expect(world.control.addClient('claude', [])).toMatchObject({ ok: true });
  });
});

describe('handles over the control routes', () => {
  it('are listed, shown whole with invisible characters escaped, and declined', async () => {
    const world = aWorld();
    const id = await waiting(world, { ...entry, args: ['a\u202eb'] });
    expect(world.control.handles({ all: false })).toMatchObject([{ handle: id, kind: 'change', state: 'PENDING', reason: 'parked', require_totp: false }]);
    const shown = world.control.show(id);
    if (!shown.ok) throw new Error(shown.code);
    expect(shown.value.canonical).toContain('a\\u202eb');
    expect(JSON.parse(shown.value.canonical ?? '')).toMatchObject({ params: { args: ['a\u202eb'] } });
    expect(shown.value.fields).toContainEqual({ path: 'params.args[0]', type: 'string', value: 'a\u202eb' });
    expect(world.control.decline(id, 'not now')).toMatchObject({ ok: true, value: { state: 'FAULTED', reason: 'declined' } });
    expect(world.control.change(id)).toMatchObject({ value: { reason: 'declined', declined_because: 'not now' } });
    expect(world.control.handles({ all: false })).toEqual([]);
    expect(world.control.handles({ all: true })).toHaveLength(1);
    expect(world.control.decline(id, null)).toMatchObject({ ok: false });
  });

  it('are told apart from what does not exist', () => {
    const world = aWorld();
    for (const id of ['nonsense', 'txn_1_00000000000a']) {
      expect(world.control.show(id)).toMatchObject({ code: 'handle-not-found' });
      expect(world.control.decline(id, null)).toMatchObject({ code: 'handle-not-found' });
      expect(world.control.attest(id, '482910')).toMatchObject({ code: 'handle-not-found' });
      expect(world.control.change(id)).toMatchObject({ code: 'not-for-your-change' });
    }
  });
});

describe('doctor', () => {
  it('names every target that has no guard, was never tried or has failed', async () => {
    const world = aWorld({ window: false });
    await connect(world, 'good', entry);
    await connect(world, 'open', { ...entry, preflight_pattern: undefined });
    await connect(world, 'dead', entry);
    await connect(world, 'new', entry);
    for (const id of ['good', 'open']) world.running.set(id, { activeSandboxes: 1, state: 'running', tools: 3, note: null });
    world.running.set('new', { activeSandboxes: 0, state: 'idle', tools: 0, note: null });
    world.running.set('dead', { activeSandboxes: 0, state: 'failed', tools: 0, note: 'npx was not found' });
    expect(world.control.doctor()).toEqual({
      version: '0.1.0', url: 'http://127.0.0.1:8356', data_dir: '/data', window: false,
      checks: [
        { name: 'store', ok: true, note: '' }, { name: 'target good', ok: true, note: '' }, { name: 'target open', ok: true, note: 'no guard: every call passes' },
        { name: 'target dead', ok: false, note: 'npx was not found' },
        { name: 'target new', ok: true, note: 'not tried yet: it is started or reached when it is first needed' },
      ],
    });
  });
});

it('an audit that cannot be brought up to date is refused in place of being shown in part', () => {
  const world = aWorld({ window: false });
  world.fail.stores = true;
  const { auditList, auditExport, auditVerify } = world.control;
  for (const answer of [auditList({}), auditExport(), auditVerify()]) expect(answer).toMatchObject({ ok: false, code: 'store-unavailable' });
});
