import { afterEach, describe, expect, it } from 'vitest';
import { listed, openStand, type Stand } from '../gateway/stand.ts';
import { openSession, speak } from '../gateway/mcp-client.ts';

let stand: Stand;
afterEach(() => stand.close());

const resources = (uri: string) => ({ lists: { 'resources/list': listed('resources', [{ uri, name: uri }]), 'resources/templates/list': listed('resourceTemplates', []) } });
const DEAD = { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'dead' } as const;
const json = async (answer: Promise<Response>): Promise<{ error: unknown }> => (await answer).json() as Promise<{ error: unknown }>;
const read = (uri: string) => ({ jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri } });

describe('a call that may be trapped starts nothing, not even to find out whose it is', () => {
  it('resources/read of an unknown owner is refused without asking any target, as long as one guard would trap it', async () => {
    stand = await openStand({ targets: { fs: resources('file:///a'), db: resources('db:///secret') } });
    stand.play.wouldPass = ({ target }) => target !== 'db';
    const session = await openSession(stand);
    const answer = await json(speak(stand, read('file:///a'), { session }));
    expect(answer.error).toMatchObject({ code: 40934, data: { code: 'owner-unknown' } });
    expect(stand.seen.listed).toEqual([]);
    expect(stand.seen.submissions).toEqual([]);
  });

  it('once the client has listed the resources itself, the same read goes to its owner and to that guard', async () => {
    stand = await openStand({ targets: { fs: resources('file:///a'), db: resources('db:///secret') } });
    stand.play.wouldPass = () => false;
    const session = await openSession(stand);
    for (const method of ['resources/list', 'resources/templates/list']) await speak(stand, { jsonrpc: '2.0', id: 1, method }, { session });
    const before = stand.seen.listed.length;
    await speak(stand, read('db:///secret'), { session });
    expect(stand.seen.submissions.map(({ call }) => call.target)).toEqual(['db']);
    expect(stand.seen.listed).toHaveLength(before);
  });

  it('completion for a resource is held to the same', async () => {
    stand = await openStand({ targets: { fs: resources('file:///a'), db: resources('db:///secret') } });
    stand.play.wouldPass = ({ method, params }) => !(method === 'completion/complete' && JSON.stringify(params).includes('DROP'));
    const session = await openSession(stand);
    const params = { ref: { type: 'ref/resource', uri: 'file:///a' }, argument: { name: 'id', value: 'DROP' } };
    const answer = await json(speak(stand, { jsonrpc: '2.0', id: 7, method: 'completion/complete', params }, { session }));
    expect(answer.error).toMatchObject({ data: { code: 'owner-unknown' } });
    expect(stand.seen.listed).toEqual([]);
  });

  it('with one target the read is its own, and goes to its guard without asking it anything', async () => {
    stand = await openStand({ targets: { fs: resources('file:///a') } });
    stand.play.wouldPass = () => false;
    const session = await openSession(stand);
    await speak(stand, read('file:///a'), { session });
    expect(stand.seen.submissions.map(({ call }) => call.target)).toEqual(['fs']);
    expect(stand.seen.listed).toEqual([]);
  });

  it('what was listed while another target is dead is known, and read without asking again', async () => {
    stand = await openStand({ targets: { fs: resources('file:///a'), dead: { lists: { 'resources/list': DEAD, 'resources/templates/list': DEAD } } } });
    const session = await openSession(stand);
    for (const method of ['resources/list', 'resources/templates/list']) await speak(stand, { jsonrpc: '2.0', id: 1, method }, { session });
    const before = stand.seen.listed.length;
    stand.play.wouldPass = () => false;
    await speak(stand, read('file:///a'), { session });
    stand.play.wouldPass = () => true;
    await speak(stand, read('file:///a'), { session });
    expect(stand.seen.submissions.map(({ call }) => call.target)).toEqual(['fs', 'fs']);
    expect(stand.seen.listed).toHaveLength(before);
  });

  it('a stored list tells the owner to a client that has listed nothing; one that two targets have does not', async () => {
    stand = await openStand({ targets: { fs: { ...resources('file:///a'), stored: true }, db: { ...resources('db:///secret'), stored: true }, twin: { ...resources('db:///secret'), stored: true } } });
    stand.play.wouldPass = () => false;
    const session = await openSession(stand);
    await speak(stand, read('file:///a'), { session });
    expect(stand.seen.submissions.map(({ call }) => call.target)).toEqual(['fs']);
    const answer = await json(speak(stand, read('db:///secret'), { session }));
    expect(answer.error).toMatchObject({ data: { code: 'owner-unknown' } });
    expect(stand.seen.listed).toEqual([]);
  });
});
