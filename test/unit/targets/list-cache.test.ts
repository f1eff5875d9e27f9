import { expect, it } from 'vitest';
import type { TargetFace } from '../../../src/main/dispatch/ports.ts';
import { createListCache } from '../../../src/main/targets/rpc/list-cache.ts';
import type { RpcPeer } from '../../../src/main/targets/rpc/peer.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

const face = (tells: boolean): TargetFace => ({ protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: tells } }, serverInfo: {}, instructions: null });

/** A cache whose clock stands at `at`, and a target that answers each question with another list, or as it is told. */
function make() {
  const world = { at: 0, asked: 0, answer: undefined as Answer | undefined };
  const peer = { request: () => Promise.resolve(world.answer ?? { kind: 'result', result: { tools: [{ name: `tool ${(world.asked += 1)}` }] } }) } as unknown as RpcPeer;
  const cache = createListCache(1_000, () => world.at);
  const list = async (tells: boolean, heard = true): Promise<string> => JSON.stringify(await cache.list('tools/list', face(tells), peer, heard));
  return { world, cache, list };
}

it('the list of a target that tells of changes is kept until it tells', async () => {
  const { world, cache, list } = make();
  expect(await list(true)).toContain('tool 1');
  world.at = 1e9;
  expect(await list(true)).toContain('tool 1');
  cache.forget('tools');
  expect(await list(true)).toContain('tool 2');
});

it.each([['tells of none', false, true], ['is not heard', true, false]])('the list of a target that %s is the same for a second, and then asked for anew', async (_, tells, heard) => {
  const { world, list } = make();
  expect(await list(tells, heard)).toContain('tool 1');
  world.at = 999;
  expect(await list(tells, heard)).toContain('tool 1');
  world.at = 1_000;
  expect(await list(tells, heard)).toContain('tool 2');
});

it('a failure is not kept', async () => {
  const { world, list } = make();
  world.answer = { kind: 'error', error: { code: 1, message: 'not now' } };
  expect(await list(true)).toContain('not now');
  world.answer = undefined;
  expect(await list(true)).toContain('tool 1');
});

it('who asks while it is being asked for shares the answer', async () => {
  const { list } = make();
  expect(new Set(await Promise.all([list(false), list(false), list(false)])).size).toBe(1);
});
