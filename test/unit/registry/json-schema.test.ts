import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/main/registry/json-schema.ts';

describe('a schema', () => {
  it('tells its patterns apart, inside one schema and between schemas', () => {
    const schema = compileSchema({ type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect([schema?.misfit({ a: 'a', b: 'b' }), schema?.misfit({ a: 'b' }), schema?.misfit({ b: 'a' })]).toEqual([undefined, '/a', '/b']);
    expect(compileSchema({ pattern: '^c$' })?.misfit('a')).toBe('/');
  });

  it('is judged in time that does not explode', () => {
    expect(compileSchema({ pattern: '^(a+)+$' })?.misfit(`${'a'.repeat(50_000)}!`)).toBe('/');
  });

  it('changes nothing of what it judges', () => {
    const value = { n: '7' };
    expect(compileSchema({ type: 'object', properties: { n: { type: 'integer' }, d: { default: 1 } } })?.misfit(value)).toBe('/n');
    expect(value).toEqual({ n: '7' });
  });

  it('with the id of another means nothing to that other', () => {
    const id = 'https://example.com/s';
    expect([compileSchema({ $id: id, type: 'string' })?.misfit('x'), compileSchema({ $id: id, type: 'number' })?.misfit('x'), compileSchema({ $ref: id })]).toEqual([undefined, '/', undefined]);
    const meta = 'https://json-schema.org/draft/2020-12/schema';
    compileSchema({ $id: meta, type: 'string' });
    expect(compileSchema({ type: 'nonsense' })).toBeUndefined();
  });

  it.each([{ type: 'nonsense' }, { $ref: 'https://elsewhere.example/s' }, { pattern: '(?=a)' }, { pattern: '(' }, { $schema: 'http://json-schema.org/draft-04/schema#' }, { $async: true }])('is unusable: %j', (schema) => {
    expect(compileSchema(schema)).toBeUndefined();
  });
});
