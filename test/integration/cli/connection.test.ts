import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { controlPaths } from '../../../src/shared/contract/control.ts';
import { listenerProof } from '../../../src/main/platform/listener-proof.ts';
import { cli, refusal, standIn, tempDataDir, writeEndpoint, type StandIn } from './stand-in.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanup.splice(0)) await undo();
});
const kept = <T extends { close(): unknown }>(thing: T): T => {
  cleanup.push(() => thing.close());
  return thing;
};
const targets = { [`GET ${controlPaths.targets}`]: { json: { targets: [] } } };

describe('finding the gateway', () => {
  it('says that nothing runs, and how to start it, when there is no endpoint file', async () => {
    const place = tempDataDir();
    cleanup.push(() => rmSync(place.path, { recursive: true }));
    const { code, err, out } = await cli(place, ['targets']);
    expect(code).toBe(3);
    expect(err).toContain('not running');
    expect(err).toContain('npm start');
    expect(err).not.toMatch(/\n\s+at /);
    expect(out).toBe('');
  });

  it('says that nothing listens at the address of a stale endpoint file', async () => {
    const gone = kept(await standIn(targets));
    const { place, port } = gone;
    await gone.stop();
    const { code, err } = await cli(place, ['targets']);
    expect(code).toBe(3);
    expect(err).toContain(`127.0.0.1:${port}`);
  });

  it.each([
    ['another host', { url: 'http://example.com:8356', key: 'a'.repeat(64) }],
    ['a name instead of an address', { url: 'http://localhost:8356', key: 'a'.repeat(64) }],
    ['another scheme', { url: 'https://127.0.0.1:8356', key: 'a'.repeat(64) }],
    ['no port', { url: 'http://127.0.0.1', key: 'a'.repeat(64) }],
    ['no key', { url: 'http://127.0.0.1:8356' }],
    ['an empty key', { url: 'http://127.0.0.1:8356', key: '' }],
    ['no object', 'nothing'],
  ])('goes nowhere when the endpoint file names %s', async (_, content) => {
    const gateway = kept(await standIn(targets));
    writeEndpoint(gateway.place, content);
    const { code, err } = await cli(gateway.place, ['targets']);
    expect(code).toBe(3);
    expect(err).toContain('endpoint.json');
    expect(gateway.asked).toEqual([]);
  });

  it('names a token file it may not read or that is empty', async () => {
    const gateway = kept(await standIn(targets));
    writeFileSync(gateway.place.controlToken, '\n');
    expect(await cli(gateway.place, ['targets'])).toMatchObject({ code: 3, err: expect.stringContaining('control-token') });
    rmSync(gateway.place.controlToken);
    expect(await cli(gateway.place, ['targets'])).toMatchObject({ code: 3, err: expect.stringContaining('ENOENT') });
  });
});

describe('proving the listener before a token is sent', () => {
  it('asks for the proof first, then sends the token on the same connection', async () => {
    const gateway = kept(await standIn(targets));
    expect((await cli(gateway.place, ['targets'])).code).toBe(0);
    expect(gateway.asked.map(({ url }) => url.split('?')[0])).toEqual(['/healthz', controlPaths.targets]);
    expect(gateway.asked[0]?.authorization).toBeUndefined();
    expect(gateway.asked[1]?.authorization).toBe(`Bearer ${gateway.token}`);
    expect(gateway.connections()).toBe(1);
  });

  it('uses a new challenge each time', async () => {
    const gateway = kept(await standIn(targets));
    await cli(gateway.place, ['targets']);
    await cli(gateway.place, ['targets']);
    const [first, second] = gateway.asked.filter(({ url }) => url.startsWith('/healthz'));
    expect(first?.url).not.toBe(second?.url);
  });

  it.each<[string, (challenge: string, port: number) => unknown]>([
    ['no proof', () => undefined],
    ['the challenge itself', (challenge) => challenge],
    ['a proof under another key', (challenge, port) => listenerProof('00'.repeat(32), challenge, port)],
    ['something that is no text', () => ({})],
  ])('sends no token to a listener that answers %s', async (_, proof) => {
    const squatter = kept(await standIn(targets, { proof }));
    const { code, err, out } = await cli(squatter.place, ['targets', '--json']);
    expect(code).toBe(3);
    expect(err).toContain('Another program listens');
    expect(JSON.parse(out).error.code).toBe('not-our-listener');
    expect(squatter.asked).toHaveLength(1);
    expect(JSON.stringify(squatter.asked)).not.toContain(squatter.token);
  });

  it('is not fooled by a listener on another port that passes the question on to the true one', async () => {
    const gateway = kept(await standIn(targets));
    const seen: string[] = [];
    const relay = http.createServer((request, response) => {
      seen.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      http.get({ host: '127.0.0.1', port: gateway.port, path: request.url }, (answer) => answer.pipe(response));
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    cleanup.push(() => relay.close());
    const endpoint = JSON.parse(readFileSync(gateway.place.endpoint, 'utf8'));
    writeEndpoint(gateway.place, { ...endpoint, url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}` });
    const { code } = await cli(gateway.place, ['targets']);
    expect(code).toBe(3);
    expect(seen).toHaveLength(1);
    expect(seen.join()).not.toContain(gateway.token);
  });

  it('does not send the token to whoever holds the port after the proven connection was closed', async () => {
    let questions = 0;
    const gateway: StandIn = kept(await standIn(targets, {
      proof: (challenge, port) => ((questions += 1) === 1 ? listenerProof(gateway.key, challenge, port) : 'now somebody else listens'),
      closesAfterProof: true,
    }));
    const { code } = await cli(gateway.place, ['targets']);
    expect(code).toBe(3);
    expect(questions).toBe(2);
    expect(gateway.requests()).toEqual([]);
  });

  it('gives up on a listener that closes every connection it proved', async () => {
    const gateway = kept(await standIn(targets, { closesAfterProof: true }));
    const { code, err } = await cli(gateway.place, ['targets']);
    expect(code).toBe(3);
    expect(err).toContain('ECONNRESET');
    expect(gateway.requests()).toEqual([]);
  });
});

describe('what the gateway refuses', () => {
  it('is told in one sentence with the place and the next step, exit code 1', async () => {
    const gateway = kept(await standIn({ [`DELETE ${controlPaths.target('nope')}`]: refusal(404, 'unknown-target', 'No target of this name is connected.', { at: 'target' }) }));
    const { code, err, out } = await cli(gateway.place, ['disconnect', 'nope', '--json']);
    expect(code).toBe(1);
    expect(err).toBe('countersign: No target of this name is connected (target). Do this next.\n');
    expect(JSON.parse(out)).toEqual({ error: { message: expect.any(String), code: 'unknown-target', at: 'target', next: 'Do this next.' } });
  });

  it('is told even when the answer is no JSON', async () => {
    const gateway = kept(await standIn({ [`GET ${controlPaths.targets}`]: { status: 500, text: '<html>' } }));
    expect(await cli(gateway.place, ['targets'])).toMatchObject({ code: 1, err: expect.stringContaining('500') });
  });

  it('cannot garble the terminal with its own sentence', async () => {
    const gateway = kept(await standIn({ [`GET ${controlPaths.targets}`]: refusal(400, 'x', 'a\u001b[2Jb\u202e') }));
    expect((await cli(gateway.place, ['targets'])).err).toContain('a\\u{1b}[2Jb\\u{202e}');
  });
});
