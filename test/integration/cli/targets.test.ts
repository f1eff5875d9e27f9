import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlPaths, type ChangeView, type ConnectAnswer, type MountAnswer } from '../../../src/shared/contract/control.ts';
import { aChangeView, aTargetView, HANDLE } from './samples.ts';
import { cli, refusal, standIn, type Routes, type StandIn } from './stand-in.ts';

let gateway: StandIn;
let folder: string;
const serve = async (routes: Routes): Promise<void> => {
  gateway = await standIn(routes);
};
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-cli-files-'));
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});
const file = (name: string, text: string): string => {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
};

const applied = (id: string): ConnectAnswer => ({ status: 'applied', target: aTargetView({ id }), warnings: [] });
const PUT = (id: string): string => `PUT ${controlPaths.target(id)}`;

describe('connect', () => {
  it('splits a command by POSIX quoting and sends it as an entry with its guard', async () => {
    await serve({ [PUT('local-fs')]: { json: applied('local-fs') } });
    const ended = await cli(gateway.place, ['connect', '-t', 'local-fs', '-e', `npx -y "@modelcontextprotocol/server-filesystem" '/tmp/my files'`, '-p', 'button:prod_secrets|\\.env']);
    expect(ended.code).toBe(0);
    expect(gateway.requests()[0]?.body).toEqual({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp/my files'], preflight_pattern: 'button:prod_secrets|\\.env' });
    expect(ended.out).toBe('Connected local-fs (ephemeral, 14 tools). Guard: click: prod_secrets|\\.env.\n');
  });

  it('says so when the target could not be started or reached', async () => {
    await serve({ [PUT('typo')]: { json: { ...applied('typo'), target: aTargetView({ id: 'typo', state: 'failed', tools: 0 }) } } });
    const ended = await cli(gateway.place, ['connect', '-t', 'typo', '-e', 'nosuchcommand']);
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('could not be started or reached yet: `countersign doctor` says why');
  });

  it('prints the answer as JSON', async () => {
    await serve({ [PUT('local-fs')]: { json: applied('local-fs') } });
    const ended = await cli(gateway.place, ['--json', 'connect', '-t', 'local-fs', '-e', 'node server.js', '-m', 'linear']);
    expect(ended.json()).toEqual(applied('local-fs'));
    expect(gateway.requests()[0]?.body).toEqual({ command: 'node', args: ['server.js'], mode: 'linear' });
  });

  it('says that no guard was chosen, and that the tools of a target wait to be admitted', async () => {
    const target = { ...(applied('local-fs') as { target: object }).target, guard: { kind: 'rule', pattern: 'not marked read-only', attestation: 'button', source: 'proposed', every_call: true, except_read_only: true }, withheld_tools: 2 };
    await serve({ [PUT('local-fs')]: { json: applied('local-fs') }, 'GET /v1/mcp-gateway/targets': { json: { targets: [target] } } });
    await cli(gateway.place, ['connect', '-t', 'local-fs', '-e', 'node server.js', '--no-guard']);
    expect(gateway.requests()[0]?.body).toEqual({ command: 'node', args: ['server.js'], guard: 'none' });
    expect((await cli(gateway.place, ['targets'])).out).toMatch(/14 \(2 withheld\).*click: every tool not marked read-only/);
  });

  it('gives the child its environment from a file', async () => {
    await serve({ [PUT('db')]: { json: applied('db') } });
    const env = file('.env', '# the database\nexport DB_URL="postgres://u:p@localhost/prod"\nFIBER_PREFLIGHT_PATTERN=DROP\n');
    await cli(gateway.place, ['connect', '-t', 'db', '-e', 'npx -y server-postgres', '-f', env]);
    expect(gateway.requests()[0]?.body).toMatchObject({ env: { DB_URL: 'postgres://u:p@localhost/prod', FIBER_PREFLIGHT_PATTERN: 'DROP' } });
  });

  it('takes the bearer token of a remote server from the file, and feeds headers from it', async () => {
    await serve({ [PUT('remote')]: { json: applied('remote') } });
    const env = file('.env', 'MCP_BEARER_TOKEN=s3cret\nTEAM=blue\nOTHER=not sent\n');
    await cli(gateway.place, ['connect', '-t', 'remote', '-e', 'https://mcp.example.com/mcp', '-f', env, '-H', 'X-Team: ${TEAM}-1', '-p', 'RESTRICTED']);
    expect(gateway.requests()[0]?.body).toEqual({ url: 'https://mcp.example.com/mcp', headers: { 'X-Team': 'blue-1', Authorization: 'Bearer s3cret' }, preflight_pattern: 'RESTRICTED' });
  });

  it('keeps an Authorization header that was written out', async () => {
    await serve({ [PUT('remote')]: { json: applied('remote') } });
    await cli(gateway.place, ['connect', '-t', 'remote', '-e', 'https://mcp.example.com/mcp', '-f', file('.env', 'MCP_BEARER_TOKEN=a'), '-H', 'authorization: Basic b']);
    expect(gateway.requests()[0]?.body).toMatchObject({ headers: { authorization: 'Basic b' } });
  });

  it('gives relative words of a command the folder they were typed in, and other commands none', async () => {
    await serve({ [PUT('a')]: { json: applied('a') } });
    await cli(gateway.place, ['connect', '-t', 'a', '-e', 'node ./server.js']);
    await cli(gateway.place, ['connect', '-t', 'a', '-e', 'npx -y server-filesystem .']);
    await cli(gateway.place, ['connect', '-t', 'a', '-e', 'npx -y server-filesystem /tmp']);
    expect(gateway.requests().map(({ body }) => (body as { cwd?: string }).cwd)).toEqual([process.cwd(), process.cwd(), undefined]);
  });

  it.each([
    ['no endpoint', ['-t', 'a']],
    ['no target', ['-e', 'node x']],
    ['an unbalanced quote', ['-t', 'a', '-e', 'node "x']],
    ['an empty endpoint', ['-t', 'a', '-e', '  ']],
    ['both a guard and none', ['-t', 'a', '-e', 'node x', '-p', 'DROP', '--no-guard']],
    ['a header without a URL', ['-t', 'a', '-e', 'node x', '-H', 'A: b']],
    ['a header without a colon', ['-t', 'a', '-e', 'https://example.com/mcp', '-H', 'nonsense']],
    ['a header naming a variable nobody set', ['-t', 'a', '-e', 'https://example.com/mcp', '-H', 'A: ${NOBODY}']],
    ['an environment file that is not there', ['-t', 'a', '-e', 'node x', '-f', '/nowhere/.env']],
    ['a word too many', ['-t', 'a', '-e', 'node x', 'extra']],
    ['an unknown option', ['-t', 'a', '-e', 'node x', '--approve']],
    ['an option without its value', ['-t', 'a', '-e']],
  ])('with %s is a usage failure that sends nothing', async (_, words) => {
    await serve({});
    const ended = await cli(gateway.place, ['connect', ...words]);
    expect(ended.code).toBe(2);
    expect(ended.err).toMatch(/^countersign: .+\n$/);
    expect(gateway.asked).toEqual([]);
  });

  it('tells the warnings of the gateway', async () => {
    await serve({ [PUT('a')]: { json: { ...applied('a'), warnings: ['the key "timeout" is not known'] } } });
    expect((await cli(gateway.place, ['connect', '-t', 'a', '-e', 'node x'])).err).toBe('Warning: the key "timeout" is not known\n');
  });
});

describe('connect, when it needs a click', () => {
  const states = (...views: Partial<ChangeView>[]) => {
    let at = -1;
    return () => ({ json: aChangeView(views[Math.min((at += 1), views.length - 1)]) });
  };
  const waiting = { status: 202, headers: { location: controlPaths.change(HANDLE) }, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z' } satisfies ConnectAnswer };
  const change = `GET ${controlPaths.change(HANDLE)}`;
  const connect = ['connect', '-t', 'local-fs', '-e', 'npx x'];

  it('says what it waits for, waits, and tells the target once it was approved', async () => {
    await serve({
      [PUT('local-fs')]: waiting,
      [change]: states({}, {}, { state: 'PENDING', reason: 'executing' }, { state: 'RESOLVED', reason: 'executed' }),
      [`GET ${controlPaths.targets}`]: { json: { targets: [aTargetView({ id: 'other' }), aTargetView()] } },
    });
    const ended = await cli(gateway.place, [...connect, '--json']);
    expect(ended).toMatchObject({ code: 0, pauses: 3 });
    expect(ended.err).toContain('Waiting for a click in the Countersign window: connect local-fs');
    expect(ended.json()).toEqual({ status: 'applied', target: aTargetView(), warnings: [] });
  });

  it('tells a no with its reason, exit code 1', async () => {
    await serve({ [PUT('local-fs')]: waiting, [change]: states({ state: 'FAULTED', reason: 'declined', declined_because: 'not this\u202e one' }) });
    const ended = await cli(gateway.place, connect);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('declined in the window: not this\\u{202e} one. Nothing was changed.');
  });

  it.each(['expired', 'withdrawn', 'stale', 'upstream-fault'])('tells that it ended as %s, exit code 1', async (reason) => {
    await serve({ [PUT('local-fs')]: waiting, [change]: states({ state: 'FAULTED', reason }) });
    const ended = await cli(gateway.place, [...connect, '--json']);
    expect(ended.code).toBe(1);
    expect(ended.json()).toMatchObject({ error: { code: reason } });
  });

  it('gives up after five minutes and says that the change still waits', async () => {
    await serve({ [PUT('local-fs')]: waiting, [change]: states({}) });
    const ended = await cli(gateway.place, connect);
    expect(ended).toMatchObject({ code: 1, pauses: 300 });
    expect(ended.err).toContain('Nobody decided within 5 minutes');
    expect(ended.err).toContain(`${HANDLE} still waits`);
  });

  it('leaves the change where it is on Ctrl-C, and says so', async () => {
    await serve({ [PUT('local-fs')]: waiting, [change]: states({}) });
    const ended = await cli(gateway.place, connect, { onPause: (times, interrupt) => times === 2 && interrupt() });
    expect(ended).toMatchObject({ code: 1, pauses: 2 });
    expect(ended.err).toContain('Stopped waiting');
    expect(gateway.requests().every(({ method }) => method !== 'DELETE')).toBe(true);
  });

  it('tells that Countersign stopped while it waited', async () => {
    await serve({ [PUT('local-fs')]: waiting, [change]: states({}) });
    const ended = await cli(gateway.place, connect, { onPause: (times) => times === 2 && void gateway.stop() });
    expect(ended.code).toBe(3);
  });
});

describe('disconnect and targets', () => {
  it('disconnects by id, escaped in the address', async () => {
    await serve({ 'DELETE /v1/mcp-gateway/targets/a%2Fb': { json: { status: 'applied' } } });
    expect(await cli(gateway.place, ['disconnect', 'a/b'])).toMatchObject({ code: 0, out: 'Disconnected a/b.\n' });
  });

  it('lists targets as an aligned table', async () => {
    const targets = [aTargetView(), aTargetView({ id: 'web', transport: 'http', mode: 'multiplex', url: 'https://example.com/mcp', guard: { kind: 'none' }, active_sandboxes: 0, state: 'running', tools: 3 })];
    await serve({ [`GET ${controlPaths.targets}`]: { json: { targets } } });
    const lines = (await cli(gateway.place, ['targets'])).out.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^TARGET\s+MODE\s+STATE\s+RUNNING\s+TOOLS\s+GUARD\s+REACHED BY$/);
    expect(new Set(lines.map((line) => line.search(/MODE|ephemeral|multiplex/)))).toEqual(new Set([10]));
    expect((await cli(gateway.place, ['targets', '--json'])).json()).toEqual({ targets });
  });

  it('does not say that a target has no tools when a call has started it and nobody has listed them', async () => {
    await serve({ [`GET ${controlPaths.targets}`]: { json: { targets: [aTargetView({ mode: 'linear', state: 'running', active_sandboxes: 1, tools: 0 })] } } });
    expect((await cli(gateway.place, ['targets'])).out).toMatch(/running\s+1\s+-\s/);
  });

  it('shows a hostile target as what it is: one row, nothing obeyed', async () => {
    const hostile = aTargetView({ id: 'evil\nGOOD  row', args: ['-y', '\u001b[31mred', 'moc.\u202egpj', 'a\u200bb', '\u{e0041}'], guard: { kind: 'rule', pattern: 'x\ty', attestation: 'totp', source: 'flag' } });
    await serve({ [`GET ${controlPaths.targets}`]: { json: { targets: [hostile] } } });
    const { out } = await cli(gateway.place, ['targets']);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(out).toContain('evil\\u{a}GOOD  row');
    for (const shown of ['\\u{1b}[31mred', '\\u{202e}gpj', 'a\\u{200b}b', '\\u{e0041}', 'x\\u{9}y']) expect(out).toContain(shown);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
    const json = await cli(gateway.place, ['targets', '--json']);
    expect(json.out).not.toMatch(/[\u200b\u202e]/);
    expect(json.json()).toEqual({ targets: [hostile] });
  });

  it('says how to begin when there are no targets', async () => {
    await serve({ [`GET ${controlPaths.targets}`]: { json: { targets: [] } } });
    expect((await cli(gateway.place, ['targets'])).out).toContain('countersign connect');
  });
});

describe('mount', () => {
  const entry = (target: string, more: Partial<MountAnswer['entries'][number]> = {}): MountAnswer['entries'][number] => ({ name: target, target, status: 'applied', ...more });

  it('sends the text of the file with exactly the variables it names', async () => {
    await serve({ [`POST ${controlPaths.mount}`]: { json: { entries: [entry('fs')], warnings: [] } satisfies MountAnswer } });
    const text = '{"mcpServers":{"fs":{"command":"npx","env":{"A":"${ONE}","B":"${TWO:-x}"}}}} // ${ONE}';
    const ended = await cli(gateway.place, ['mount', file('.mcp.json', text), '-f', file('.env', 'ONE=from the file')], { env: { ONE: 'from the shell', TWO: 'two', SECRET: 'stays here' } });
    expect(ended.code).toBe(0);
    expect(gateway.requests()[0]?.body).toEqual({ text, variables: { ONE: 'from the file', TWO: 'two' } });
  });

  it('tells what became of each entry, exit code 1 when one was refused', async () => {
    const answer: MountAnswer = { entries: [entry('fs'), { name: 'Me', target: 'me', status: 'refused', code: 'invalid-entry' }], warnings: ['fs: the key "x" is not known'] };
    await serve({ [`POST ${controlPaths.mount}`]: { json: answer } });
    const ended = await cli(gateway.place, ['mount', file('.mcp.json', '{}')]);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('Warning: fs');
  });

  it.each(['own-endpoint', 'entry-disabled'])('names an entry that is rightly left out (%s), and is content', async (code) => {
    const answer: MountAnswer = { entries: [entry('fs'), { name: 'Me', target: 'me', status: 'refused', code }], warnings: [] };
    await serve({ [`POST ${controlPaths.mount}`]: { json: answer } });
    const ended = await cli(gateway.place, ['mount', file('.mcp.json', '{}')]);
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('Me');
  });

  it('waits for the click of each entry; a no to one does not end the others', async () => {
    const [one, two] = ['txn_1_00000000000a', 'txn_1_00000000000b'];
    await serve({
      [`POST ${controlPaths.mount}`]: { json: { entries: [entry('a', { status: 'waiting', change: one }), entry('b', { status: 'waiting', change: two })], warnings: [] } },
      [`GET ${controlPaths.change(one)}`]: { json: aChangeView({ change: one, state: 'FAULTED', reason: 'declined' }) },
      [`GET ${controlPaths.change(two)}`]: { json: aChangeView({ change: two, state: 'RESOLVED', reason: 'executed' }) },
    });
    const ended = await cli(gateway.place, ['mount', file('.mcp.json', '{}'), '--json']);
    expect(ended.code).toBe(1);
    expect(ended.json()).toEqual({ entries: [entry('a', { status: 'refused', code: 'declined' }), entry('b')], warnings: [] });
  });

  it('tells line and column of a file that does not parse', async () => {
    await serve({ [`POST ${controlPaths.mount}`]: refusal(400, 'invalid-json', 'The body is not valid JSON.', { at: 'line 3, column 7' }) });
    expect(await cli(gateway.place, ['mount', file('.mcp.json', '{')])).toMatchObject({ code: 1, err: expect.stringContaining('line 3, column 7') });
  });
});
