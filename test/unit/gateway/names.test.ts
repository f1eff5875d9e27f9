import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinName, splitName, unwrapUri, wrapUri } from '../../../src/main/gateway/mcp/names.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';

const target = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/).map((id) => id as TargetId);

describe('names of many targets on one endpoint', () => {
  it('come apart as they were put together, whatever the tool is called', () => {
    fc.assert(fc.property(target, fc.string(), (id, name) => { expect(splitName(joinName(id, name))).toEqual({ target: id, name }); }));
  });

  it('of two targets are never the same', () => {
    fc.assert(fc.property(target, fc.string(), target, fc.string(), (one, a, other, b) => { expect(joinName(one, a) === joinName(other, b)).toBe(one === other && a === b); }));
  });

  it.each(['plain', '__x', 'Upper__x', 'a_b__x', 'a-__x', '-a__x', 'a b__x', ''])('%j carries no target', (name) => {
    expect(splitName(name)).toBeUndefined();
  });
});

describe('a wrapped URI', () => {
  it('is still a URI and gives back target and URI', () => {
    fc.assert(
      fc.property(target, fc.webUrl(), (id, uri) => {
        expect(URL.canParse(wrapUri(id, uri))).toBe(true);
        expect(unwrapUri(wrapUri(id, uri))).toEqual({ target: id, uri });
      }),
    );
  });

  it('keeps a template a template', () => {
    expect(wrapUri('fs' as TargetId, 'file:///{path}?a={b}')).toBe('countersign+fs:file:///{path}?a={b}');
  });

  it.each(['file:///a', 'countersign:fs', 'countersign+fs', 'countersign+:x', 'countersign+A:x', 'xcountersign+fs:a'])('%s is none', (uri) => {
    expect(unwrapUri(uri)).toBeUndefined();
  });
});
