import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { controlPaths, type AddClientAnswer, type AuditVerdict } from '../../../src/shared/contract/control.ts';
import { toolPaths } from '../../../src/shared/contract/tools.ts';
import { dataDir } from '../../../src/main/platform/data-dir.ts';
import { aChangeView, aClientView, aDoctorView, anAuditView, HANDLE } from './samples.ts';
import { cli, refusal, standIn, tempDataDir, type Routes, type StandIn } from './stand-in.ts';

let gateway: StandIn;
const serve = async (routes: Routes): Promise<void> => {
  gateway = await standIn(routes);
};
afterEach(() => gateway.close());

const added: AddClientAnswer = { status: 'applied', client: aClientView(), token: 'cs_token' };

describe('clients', () => {
  it('adds a client with its roles and shows the token once', async () => {
    await serve({ [`POST ${controlPaths.clients}`]: { json: added } });
    const ended = await cli(gateway.place, ['clients', 'add', 'claude', '--role', 'hr', '--role', 'ops']);
    expect(ended).toMatchObject({ code: 0, out: 'Added claude. Its token, shown only now:\ncs_token\n' });
    expect(gateway.requests()[0]?.body).toEqual({ name: 'claude', roles: ['hr', 'ops'] });
    expect((await cli(gateway.place, ['clients', 'add', 'claude', '--json'])).json()).toEqual(added);
  });

  it('waits for the click, then shows the token', async () => {
    await serve({
      [`POST ${controlPaths.clients}`]: { status: 202, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z', token: 'cs_token' } satisfies AddClientAnswer },
      [`GET ${controlPaths.change(HANDLE)}`]: { json: aChangeView({ kind: 'client', subject: 'claude', state: 'RESOLVED', reason: 'executed' }) },
      [`GET ${controlPaths.clients}`]: { json: { clients: [aClientView()] } },
    });
    const ended = await cli(gateway.place, ['clients', 'add', 'claude', '--json']);
    expect(ended.err).toContain('add the client claude');
    expect(ended.json()).toEqual(added);
  });

  it('hands the token out when it stops waiting, since it is told only once', async () => {
    await serve({
      [`POST ${controlPaths.clients}`]: { status: 202, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z', token: 'cs_token' } },
      [`GET ${controlPaths.change(HANDLE)}`]: { json: aChangeView({ kind: 'client' }) },
    });
    const ended = await cli(gateway.place, ['clients', 'add', 'claude'], { onPause: (_, interrupt) => interrupt() });
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('cs_token') });
  });

  it('does not show the token of a client that was declined', async () => {
    await serve({
      [`POST ${controlPaths.clients}`]: { status: 202, json: { status: 'waiting', change: HANDLE, expires_at: '2026-11-29T21:00:00.000Z', token: 'cs_token' } },
      [`GET ${controlPaths.change(HANDLE)}`]: { json: aChangeView({ kind: 'client', state: 'FAULTED', reason: 'declined' }) },
    });
    const ended = await cli(gateway.place, ['clients', 'add', 'claude']);
    expect(ended.code).toBe(1);
    expect(ended.out + ended.err).not.toContain('cs_token');
  });

  it('lists and revokes', async () => {
    await serve({
      [`GET ${controlPaths.clients}`]: { json: { clients: [aClientView(), aClientView({ name: 'old', revoked: true, last_seen_at: '2026-11-01T00:00:00.000Z' })] } },
      [`DELETE ${controlPaths.client('My IDE')}`]: { json: { status: 'applied' } },
    });
    expect((await cli(gateway.place, ['clients', 'list'])).out).toMatch(/claude\s+may call\s+hr\s+\S+\s+never\nold\s+revoked/);
    expect((await cli(gateway.place, ['clients', 'revoke', 'My IDE'])).out).toContain('Revoked My IDE.');
  });

  it.each([['add'], ['revoke'], ['add', 'a', 'b'], ['remove', 'a'], ['list', 'a'], ['list', '--role', 'hr']])('refuses the words %j %j %j', async (...words) => {
    await serve({});
    expect((await cli(gateway.place, ['clients', ...words])).code).toBe(2);
    expect(gateway.asked).toEqual([]);
  });
});

describe('audit', () => {
  it('lists rows, newest as they come, with what was asked for', async () => {
    await serve({ [`GET ${controlPaths.audit}`]: { json: { events: [anAuditView()] } } });
    const { out } = await cli(gateway.place, ['audit', 'list', '--chain', 'passes', '--limit', '5', '--before', '9']);
    expect(gateway.requests()[0]?.url).toBe(`${controlPaths.audit}?chain=passes&limit=5&before=9`);
    expect(out).toMatch(/decisions 7\s+handle\.parked\s+client:local\s+local-fs\s+\S+\s+pattern=DROP/);
    expect(out).not.toContain('note=');
  });

  it.each([['list', '--chain', 'all'], ['list', '--limit', '0'], ['list', '--before', 'x'], ['show'], ['list', 'x']])('refuses the words %j', async (...words) => {
    await serve({});
    expect((await cli(gateway.place, ['audit', ...words])).code).toBe(2);
  });

  it('exports one JSON object a line, or all as one JSON value', async () => {
    const rows = [anAuditView({ seq: 1, actor: 'client:a\u202eb' }), anAuditView({ seq: 2 })];
    await serve({ [`GET ${controlPaths.auditExport}`]: { text: rows.map((row) => `${JSON.stringify(row)}\n`).join('') } });
    const { out } = await cli(gateway.place, ['audit', 'export']);
    expect(out.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(rows);
    expect(out).not.toContain('\u202e');
    expect((await cli(gateway.place, ['audit', 'export', '--json'])).json()).toEqual(rows);
  });

  it('tells that the audit is whole', async () => {
    await serve({ [`GET ${controlPaths.auditVerify}`]: { json: { ok: true, rows: 12 } satisfies AuditVerdict } });
    expect(await cli(gateway.place, ['audit', 'verify'])).toMatchObject({ code: 0, out: 'The audit is whole: 12 rows.\n' });
  });

  it('names the first bad row, exit code 1', async () => {
    const verdict: AuditVerdict = { ok: false, rows: 12, first_bad: { chain: 'decisions', seq: 4, fault: 'changed' } };
    await serve({ [`GET ${controlPaths.auditVerify}`]: { json: verdict } });
    expect(await cli(gateway.place, ['audit', 'verify'])).toMatchObject({ code: 1, out: expect.stringContaining('decisions 4, changed') });
    expect(await cli(gateway.place, ['audit', 'verify', '--json'])).toMatchObject({ code: 1 });
  });
});

describe('setup', () => {
  it('takes the client back when somebody changed the settings meanwhile', async () => {
    const file = path.join(tempDataDir().path, 'mcp.json');
    await serve({
      [`GET ${controlPaths.clients}`]: { json: { clients: [] } },
      [`POST ${controlPaths.clients}`]: () => {
        writeFileSync(file, '{"theirs":true}');
        return { json: added };
      },
      [`DELETE ${controlPaths.client('cursor')}`]: { json: { status: 'applied' } },
    });
    expect(await cli(gateway.place, ['setup', 'cursor', '--file', file])).toMatchObject({ code: 1, err: expect.stringContaining('was changed by somebody else') });
    expect(gateway.requests().at(-1)).toMatchObject({ method: 'DELETE', url: controlPaths.client('cursor') });
    expect(readFileSync(file, 'utf8')).toBe('{"theirs":true}');
  });
});

describe('pause, resume and doctor', () => {
  it('pauses and resumes', async () => {
    await serve({ [`POST ${controlPaths.pause}`]: { json: { paused: true } }, [`POST ${controlPaths.resume}`]: { json: { paused: false } } });
    expect((await cli(gateway.place, ['pause', '--json'])).json()).toEqual({ paused: true });
    expect((await cli(gateway.place, ['resume', '--json'])).json()).toEqual({ paused: false });
  });

  it('tells that all is in order', async () => {
    await serve({ [`GET ${controlPaths.doctor}`]: { json: aDoctorView() } });
    const ended = await cli(gateway.place, ['doctor']);
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('ok    store');
  });

  it('exits with 1 when a check fails, its own look at the tokens included', async () => {
    await serve({ [`GET ${controlPaths.doctor}`]: { json: aDoctorView() } });
    chmodSync(gateway.place.controlToken, 0o644);
    const ended = await cli(gateway.place, ['doctor']);
    expect(ended.code).toBe(1);
    expect(ended.out).toContain('FAIL  control token');
    expect(ended.out).toContain('mode 644');
  });

  it('exits with 0 when there is only advice', async () => {
    await serve({ [`GET ${controlPaths.doctor}`]: { json: aDoctorView({ checks: [{ name: 'sealing', ok: false, advice: true, note: 'no keyring' }] }) } });
    expect(await cli(gateway.place, ['doctor'])).toMatchObject({ code: 0, out: expect.stringContaining('note  sealing: no keyring') });
  });

  it('still says what it sees when nothing runs, exit code 3', async () => {
    await serve({});
    const ended = await cli(tempDataDir(), ['doctor', '--json']);
    expect(ended.code).toBe(3);
    expect(ended.json()).toMatchObject({ running: false, checks: [{ name: 'data directory', ok: true }, { name: 'running', ok: false }] });
  });

  it('says when the data directory is none, and gives no advice that would change the file', async () => {
    await serve({});
    const place = tempDataDir();
    writeFileSync(place.auditKey, '', { mode: 0o644 });
    const ended = await cli(dataDir(place.auditKey, {}), ['doctor']);
    expect(ended).toMatchObject({ code: 3, out: expect.stringContaining(`FAIL  data directory: ${place.auditKey} is no folder`) });
    expect(ended.out).not.toContain('chmod');
  });

  it('names both versions when another one runs, as advice, and a client token that opens nothing', async () => {
    await serve({ [`GET ${controlPaths.doctor}`]: { json: aDoctorView({ version: '9.9.9' }) }, [`GET ${toolPaths.info}`]: refusal(401, 'unauthorized', 'Not known.') });
    writeFileSync(gateway.place.clientToken, `cs_${'x'.repeat(43)}\n`, { mode: 0o600 });
    const ended = await cli(gateway.place, ['doctor']);
    expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/note {2}version: this command is of version \d+\.\d+\.\d+, the Countersign that runs of 9\.9\.9/) });
    expect(ended.out).toContain('note  client local: the token in client-token opens nothing');
  });

  it('does not hide a refusal, and still says what it sees', async () => {
    await serve({ [`GET ${controlPaths.doctor}`]: refusal(503, 'store-unavailable', 'The store could not record the call.') });
    const ended = await cli(gateway.place, ['doctor']);
    expect(ended.code).toBe(1);
    expect(ended.out).toMatch(/ok {4}control token: [\s\S]*FAIL {2}answer: The store could not record the call\./);
  });
});

describe('help and usage', () => {
  it('lists every verb and the three examples', async () => {
    await serve({});
    for (const words of [['help'], ['--help'], ['-h']]) {
      const ended = await cli(gateway.place, words);
      expect(ended.code).toBe(0);
      for (const part of ['connect', 'mount', 'approve', 'doctor', 'DROP|TRUNCATE|DELETE', 'button:prod_secrets|\\.env', 'RESTRICTED_TOPIC', 'Exit codes']) expect(ended.out).toContain(part);
    }
    expect(gateway.asked).toEqual([]);
  });

  it('explains one verb', async () => {
    await serve({});
    for (const words of [['help', 'connect'], ['connect', '--help'], ['connect', '-h']]) expect((await cli(gateway.place, words)).out).toMatch(/^Usage: countersign connect -t ID[\s\S]+ENVFILE/);
  });

  it('tells its version', async () => {
    await serve({});
    expect((await cli(gateway.place, ['--version'])).out).toMatch(/^countersign \d+\.\d+\.\d+\n$/);
    expect((await cli(gateway.place, ['--version', '--json'])).json()).toEqual({ version: expect.stringMatching(/^\d/) });
  });

  it.each([[['handels'], 'did you mean handles'], [[], 'A verb is missing'], [['\u001b[2J'], '\\u{1b}[2J'], [['targets', 'x'], 'Usage: countersign targets']])('says what is wrong with %j', async (words, sentence) => {
    await serve({});
    const ended = await cli(gateway.place, words);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(sentence);
    expect(ended.out).toBe('');
  });

  it('says how to write a value that begins with a hyphen', async () => {
    await serve({});
    expect(await cli(gateway.place, ['connect', '-t', 'a', '-e', 'node x', '-p', '--|DROP'])).toMatchObject({ code: 2, err: expect.stringContaining('begins with a hyphen; write it as --preflight=VALUE') });
  });

  it('uses colours only where they are wanted', async () => {
    await serve({});
    expect((await cli(gateway.place, ['nonsense'], { colour: true })).err).toContain('\u001b[31m');
    expect((await cli(gateway.place, ['nonsense'])).err).not.toContain('\u001b');
  });
});
