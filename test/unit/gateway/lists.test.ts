import { describe, expect, it } from 'vitest';
import { itemsOf, mergeLists } from '../../../src/main/gateway/mcp/lists.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';

const id = (text: string): TargetId => text as TargetId;

describe('a merged list', () => {
  it('keeps every member of an item but the name, in the order of the targets', () => {
    const one = itemsOf('tools/list', id('b'), { tools: [{ name: 'x', inputSchema: { $ref: '#' }, odd: [1] }] });
    const other = itemsOf('tools/list', id('a'), { tools: [{ name: 'x' }, { name: 'y' }] });
    expect(mergeLists('tools/list', [one, other])).toEqual([{ name: 'b__x', inputSchema: { $ref: '#' }, odd: [1] }, { name: 'a__x' }, { name: 'a__y' }]);
  });

  it('leaves out what is no item, and takes a target that lists nothing', () => {
    expect(itemsOf('tools/list', id('a'), { tools: [null, 'x', [1], { name: 'y' }] }).items).toEqual([{ name: 'y' }]);
    expect(itemsOf('tools/list', id('a'), { tools: 'none' }).items).toEqual([]);
    expect(mergeLists('tools/list', [itemsOf('tools/list', id('a'), {})])).toEqual([]);
  });

  it('wraps a URI only where two targets have it, not where one has it twice', () => {
    const of = (target: string, ...uris: string[]) => itemsOf('resources/list', id(target), { resources: uris.map((uri) => ({ uri, name: 'n' })) });
    const uris = mergeLists('resources/list', [of('a', 'x:1', 'x:1', 'x:2'), of('b', 'x:2')]).map(({ uri }) => uri);
    expect(uris).toEqual(['x:1', 'x:1', 'countersign+a:x:2', 'countersign+b:x:2']);
  });
});
