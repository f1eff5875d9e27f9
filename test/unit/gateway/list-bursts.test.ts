import { expect, it } from 'vitest';
import { createCatalogue } from '../../../src/main/gateway/mcp/catalogue.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

/** The lists of a session whose clock stands at `at`; each target answers each question with another list, or as it is told. */
function make() {
  const world = { at: 0, asked: 0, answer: undefined as Answer | undefined };
  const targets = {
    ids: () => ['fs' as TargetId],
    list: () => Promise.resolve<Answer>(world.answer ?? { kind: 'result', result: { tools: [{ name: `tool ${(world.asked += 1)}` }] } }),
  };
  const of = (scope: 'all' | 'target') => {
    const catalogue = createCatalogue({
      targets, ownTools: [], listMs: 1_000, now: () => world.at,
      downstream: { session: 'session', capabilities: {}, clientInfo: {} },
      scope: scope === 'all' ? { kind: 'all' } : { kind: 'target', target: 'fs' as TargetId },
    });
    return { catalogue, list: async () => JSON.stringify(await catalogue.list('tools/list')) };
  };
  return { world, of };
}

it.each(['all', 'target'] as const)('a burst of questions for the list of %s is one question to the target, and the next one another', async (scope) => {
  const { world, of } = make();
  const { list } = of(scope);
  expect(await list()).toContain('tool 1');
  world.at = 99;
  expect(await list()).toContain('tool 1');
  world.at = 100;
  expect(await list()).toContain('tool 2');
});

it('who lists after a call, or after a change, is given what the target offers then', async () => {
  const { of } = make();
  const { catalogue, list } = of('all');
  expect(await list()).toContain('tool 1');
  catalogue.called();
  expect(await list()).toContain('tool 2');
  catalogue.forget('tools');
  expect(await list()).toContain('tool 3');
});

it('a change while the target is being asked is not overlooked', async () => {
  const { of } = make();
  const { catalogue, list } = of('target');
  const asked = list();
  catalogue.forget('tools');
  await asked;
  expect(await list()).toContain('tool 2');
});

it.each(['all', 'target'] as const)('the list of %s that a target could not give is asked for again at once', async (scope) => {
  const { world, of } = make();
  const { list } = of(scope);
  world.answer = { kind: 'fault', code: 'upstream-unreachable', sent: false, note: 'it is away' };
  expect(await list()).not.toContain('tool 1');
  world.answer = undefined;
  expect(await list()).toContain('tool 1');
});
