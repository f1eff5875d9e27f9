import { afterEach, describe, expect, it } from 'vitest';
import { controlPaths } from '../../../src/shared/contract/control.ts';
import { aHandleView, HANDLE, HASH } from './samples.ts';
import { cli, refusal, standIn, type Routes, type StandIn } from './stand-in.ts';

let gateway: StandIn;
const serve = async (routes: Routes): Promise<void> => {
  gateway = await standIn(routes);
};
afterEach(() => gateway.close());

describe('handles', () => {
  it('lists what waits, with the time that is left', async () => {
    await serve({ [`GET ${controlPaths.handles}`]: { json: { handles: [aHandleView(), aHandleView({ require_totp: true, subject: null, method: 'resources/read', expires_at: '2026-11-29T20:50:05.000Z' })] } } });
    const ended = await cli(gateway.place, ['handles']);
    const [head, first, second] = ended.out.split('\n');
    expect(head).toMatch(/^HANDLE\s+STATE\s+CLIENT\s+TARGET\s+WHAT\s+BY\s+EXPIRES IN$/);
    expect(first).toMatch(new RegExp(`^${HANDLE}\\s+waiting\\s+local\\s+local-fs\\s+write_file\\s+click\\s+10 min$`));
    expect(second).toMatch(/resources\/read\s+code\s+5 s$/);
    expect(gateway.requests()[0]?.url).toBe(controlPaths.handles);
  });

  it('asks for all, and answers the same as JSON', async () => {
    const handles = [aHandleView({ state: 'FAULTED', reason: 'declined' })];
    await serve({ [`GET ${controlPaths.handles}`]: { json: { handles } } });
    const ended = await cli(gateway.place, ['handles', '--all', '--json']);
    expect(gateway.requests()[0]?.url).toBe(`${controlPaths.handles}?all=true`);
    expect(ended.json()).toEqual({ handles });
  });

  it('cuts a long name and says by how much', async () => {
    await serve({ [`GET ${controlPaths.handles}`]: { json: { handles: [aHandleView({ subject: 'x'.repeat(100) })] } } });
    expect((await cli(gateway.place, ['handles'])).out).toContain(`${'x'.repeat(60)}… (+40 characters)`);
  });

  it('says that nothing waits', async () => {
    await serve({ [`GET ${controlPaths.handles}`]: { json: { handles: [] } } });
    expect((await cli(gateway.place, ['handles'])).out).toBe('Nothing waits.\n');
  });
});

describe('show', () => {
  it('shows every field, the canonical text and the whole hash', async () => {
    const view = aHandleView({ canonical: '{"method":"tools/call"}', fields: [{ path: 'arguments.path', type: 'string', value: '/tmp/a\u202eb' }, { path: 'method', type: 'string', value: 'tools/call' }] });
    await serve({ [`GET ${controlPaths.handle(HANDLE)}`]: { json: view } });
    const { out, code } = await cli(gateway.place, ['show', HANDLE]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`SHA-256\\s+${HASH}`));
    expect(out).toMatch(/arguments\.path {2}string {2}\/tmp\/a\\u\{202e\}b/);
    expect(out).toContain('{"method":"tools/call"}');
  });

  it('says where the request itself is no longer kept', async () => {
    await serve({ [`GET ${controlPaths.handle(HANDLE)}`]: { json: aHandleView({ state: 'RESOLVED', reason: 'executed', forgotten: true }) } });
    const { out, code } = await cli(gateway.place, ['show', HANDLE]);
    expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`SHA-256\\s+${HASH}[^]*no longer kept`))]);
  });

  it('needs exactly one handle', async () => {
    await serve({});
    expect((await cli(gateway.place, ['show'])).code).toBe(2);
    expect((await cli(gateway.place, ['show', HANDLE, HANDLE])).code).toBe(2);
  });
});

describe('decline', () => {
  it('sends the reason, or null', async () => {
    await serve({ [`POST ${controlPaths.decline(HANDLE)}`]: { json: aHandleView({ state: 'FAULTED', reason: 'declined' }) } });
    expect(await cli(gateway.place, ['decline', HANDLE, '--reason', 'not now'])).toMatchObject({ code: 0, out: `Declined ${HANDLE}. It was not executed.\n` });
    await cli(gateway.place, ['decline', HANDLE]);
    expect(gateway.requests().map(({ body }) => body)).toEqual([{ reason: 'not now' }, { reason: null }]);
    expect(gateway.requests()[0]?.contentType).toBe('application/json');
  });

  it('tells that it was already decided', async () => {
    await serve({ [`POST ${controlPaths.decline(HANDLE)}`]: refusal(409, 'already-decided', 'This call is already decided.') });
    expect((await cli(gateway.place, ['decline', HANDLE])).code).toBe(1);
  });

  it('speaks to the person who administers, not to an agent, and keeps the code', async () => {
    await serve({ [`POST ${controlPaths.decline(HANDLE)}`]: refusal(403, 'declined', 'A human declined this call. It was not executed.') });
    const ended = await cli(gateway.place, ['decline', HANDLE, '--json']);
    expect([ended.code, ended.json()]).toEqual([1, { error: { message: 'It was declined already, and not executed.', code: 'declined' } }]);
  });
});

describe('approve', () => {
  const path = `POST ${controlPaths.totp(HANDLE)}`;

  it('sends the code to the route for codes', async () => {
    await serve({ [path]: { json: aHandleView({ reason: 'executing', require_totp: true }) } });
    const ended = await cli(gateway.place, ['approve', HANDLE, '--totp', '482 910']);
    expect(ended).toMatchObject({ code: 0, out: `Approved ${HANDLE}; it runs now.\n` });
    expect(gateway.requests()[0]?.body).toEqual({ code: '482 910' });
  });

  it('does not say that a call runs which still waits for its turn', async () => {
    await serve({ [path]: { json: aHandleView({ reason: 'approved', require_totp: true }) } });
    expect((await cli(gateway.place, ['approve', HANDLE, '--totp', '482910'])).out).toBe(`Approved ${HANDLE}; it waits for its turn at the target, and was not sent yet.\n`);
  });

  it('tells how many attempts are left after a wrong code, and never the code', async () => {
    await serve({ [path]: refusal(401, 'wrong-code', 'The code is wrong.', { attempts_left: 3 }) });
    const ended = await cli(gateway.place, ['approve', HANDLE, '--totp', '000000', '--json']);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('Attempts left: 3.');
    expect(ended.json()).toMatchObject({ error: { code: 'wrong-code', attemptsLeft: 3 } });
    expect(ended.out + ended.err).not.toContain('000000');
  });

  it('passes on that a click is needed', async () => {
    await serve({ [path]: refusal(403, 'window-only', 'This can be done only in the Countersign window.') });
    expect(await cli(gateway.place, ['approve', HANDLE, '--totp', '482910'])).toMatchObject({ code: 1, err: expect.stringContaining('only in the Countersign window. Where there is none') });
  });

  it('tells when the approved call ended otherwise', async () => {
    await serve({ [path]: { json: aHandleView({ state: 'FAULTED', reason: 'unknown' }) } });
    expect((await cli(gateway.place, ['approve', HANDLE, '--totp', '482910'])).code).toBe(1);
  });

  it.each(['48291', '4829100', 'abcdef', '４８２９１０', ''])('sends nothing for %j, which is no code', async (code) => {
    await serve({});
    expect((await cli(gateway.place, ['approve', HANDLE, '--totp', code])).code).toBe(2);
    expect(gateway.asked).toEqual([]);
  });

  it('needs the code', async () => {
    await serve({});
    expect((await cli(gateway.place, ['approve', HANDLE])).code).toBe(2);
  });
});
