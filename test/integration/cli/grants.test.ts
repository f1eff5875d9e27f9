import { afterEach, expect, it } from 'vitest';
import { controlPaths, type GrantView } from '../../../src/shared/contract/control.ts';
import { cli, refusal, standIn, type Routes, type StandIn } from './stand-in.ts';

let gateway: StandIn;
const serve = async (routes: Routes): Promise<void> => {
  gateway = await standIn(routes);
};
afterEach(() => gateway.close());

const grant: GrantView = {
  grant: 'grant_0123456789ab', client: 'claude', target: 'files', method: 'tools/call', subject: 'write\u202e_file', payload_hash: 'a'.repeat(64), varies: ['arguments.text', 'arguments["a\u202eb"]'], version: '1.0.0', given_at: new Date().toISOString(), ends_at: new Date(Date.now() + 3_599_000).toISOString(),
};

it('grants lists what may be done again and until when, with what would deceive made visible', async () => {
  await serve({ [`GET ${controlPaths.grants}`]: { json: { grants: [grant] } } });
  const ended = await cli(gateway.place, ['grants']);
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(/grant_0123456789ab\s+claude\s+files\s+write\\u\{202e\}_file@1\.0\.0\s+arguments\.text arguments\["a\\u\{202e\}b"\]\s+aaaaaaaaaaaa\s+\d+ (h|min)/i);
  expect((await cli(gateway.place, ['grants', 'list', '--json'])).json()).toEqual({ grants: [grant] });
});

it('grants says when there is none', async () => {
  await serve({ [`GET ${controlPaths.grants}`]: { json: { grants: [] } } });
  expect((await cli(gateway.place, ['grants', 'list'])).out).toBe('No call may be made again without a click.\n');
});

it('grants revoke ends one, and refuses one there is not', async () => {
  await serve({ [`DELETE ${controlPaths.grant(grant.grant)}`]: { json: { status: 'applied' } }, [`DELETE ${controlPaths.grant('grant_x')}`]: refusal(404, 'unknown-grant', 'There is no such grant.') });
  expect(await cli(gateway.place, ['grants', 'revoke', grant.grant])).toMatchObject({ code: 0, out: `Revoked ${grant.grant}. The call waits for a click again.\n` });
  expect(await cli(gateway.place, ['grants', 'revoke', 'grant_x'])).toMatchObject({ code: 1 });
});

it.each([['revoke'], ['list', 'x'], ['give', 'x'], ['revoke', 'a', 'b']])('grants %s %s is a usage failure that sends nothing', async (...words) => {
  await serve({});
  expect((await cli(gateway.place, ['grants', ...words])).code).toBe(2);
  expect(gateway.asked).toEqual([]);
});
