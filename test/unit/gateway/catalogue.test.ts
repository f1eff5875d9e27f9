import { expect, it } from 'vitest';
import { createCatalogue } from '../../../src/main/gateway/mcp/catalogue.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { Answer } from '../../../src/shared/vocabulary/request.ts';

const listed = (...names: string[]): Answer => ({ kind: 'result', result: { tools: names.map((name) => ({ name })) } });

function aCatalogue(targets: Record<string, Answer>) {
  let made = 0;
  const catalogue = createCatalogue({
    targets: { ids: () => Object.keys(targets) as TargetId[], list: (id) => Promise.resolve(targets[id]!) },
    downstream: { session: 's', capabilities: {}, clientInfo: {} },
    scope: { kind: 'all' },
    ownTools: [],
    listMs: 1_000,
    shape: (_, result) => ((made += 1), result),
  });
  const names = async (): Promise<unknown> => {
    const listing = await catalogue.list('tools/list');
    return listing.kind === 'text' ? [...listing.text.matchAll(/"name":"([^"]+)"|"countersign\/unavailable":\["([^"]+)"\]/g)].map(([, name, away]) => name ?? `without ${String(away)}`) : listing;
  };
  return { names, made: () => made };
}

it('makes its text anew only when what the targets list is another', async () => {
  const targets: Record<string, Answer> = { a: listed('one'), b: listed('two') };
  const { names, made } = aCatalogue(targets);
  expect(await names()).toEqual(['a__one', 'b__two']);
  targets['b'] = listed('two'); // the same, in another object
  expect(await names()).toEqual(['a__one', 'b__two']);
  expect(made()).toBe(1);
  targets['b'] = listed('three');
  expect(await names()).toEqual(['a__one', 'b__three']);
  expect(made()).toBe(2);
});

it('takes no target for another that lists the same, and none that is away for one that has nothing', async () => {
  const same = listed('one');
  const targets: Record<string, Answer> = { a: same };
  const { names } = aCatalogue(targets);
  expect(await names()).toEqual(['a__one']);
  delete targets['a'];
  targets['b'] = same;
  expect(await names()).toEqual(['b__one']);
  targets['b'] = { kind: 'error', error: { code: -32601, message: 'none' } };
  expect(await names()).toEqual([]);
  targets['b'] = { kind: 'lost', note: '' };
  expect(await names()).toEqual(['without b']);
});

it('knows whose many resources are by one look at each list, however many are asked about', () => {
  let looks = 0;
  const item = (uri: string) => Object.defineProperty({}, 'uri', { enumerable: true, get: () => ((looks += 1), uri) }) as { readonly uri: string };
  const items = Array.from({ length: 50 }, (_, n) => item(`x:${n}`));
  const stored: Answer = { kind: 'result', result: { resources: items } };
  const catalogue = createCatalogue({
    targets: { ids: () => ['a', 'b'] as TargetId[], list: () => Promise.reject(new Error('no target is asked')), stored: (id, method) => (id === 'a' && method === 'resources/list' ? stored : undefined) },
    downstream: { session: 's', capabilities: {}, clientInfo: {} },
    scope: { kind: 'all' },
    ownTools: [],
    listMs: 1_000,
  });
  const owners = catalogue.knownOwners(['x:0', 'x:49', ...Array.from({ length: 20 }, (_, n) => `y:${n}`)]);
  expect([owners.get('x:0'), owners.get('x:49'), owners.get('y:0'), owners.size]).toEqual([['a'], ['a'], [], 22]);
  expect(looks).toBe(50);
});
