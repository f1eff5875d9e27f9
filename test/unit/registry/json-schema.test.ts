import { describe, expect, it } from 'vitest';
import { compileSchema } from '../../../src/main/registry/json-schema.ts';

describe('a schema', () => {
  it('tells its patterns apart, inside one schema and between schemas', () => {
    const schema = compileSchema({ type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
    expect([schema?.misfit({ a: 'a', b: 'b' }), schema?.misfit({ a: 'b' }), schema?.misfit({ b: 'a' })]).toEqual([undefined, '/a', '/b']);
    expect(compileSchema({ pattern: '^c$' })?.misfit('a')).toBe('/');
  });

  it('names the member that is missing, or not wanted', () => {
    const of = { type: 'object', required: ['id'], properties: { id: {} }, additionalProperties: false };
    const schema = compileSchema({ type: 'object', required: ['a/b~'], properties: { in: of } });
    expect([schema?.misfit({}), schema?.misfit({ 'a/b~': 1, in: {} }), schema?.misfit({ 'a/b~': 1, in: { id: 1, more: 1 } })]).toEqual(['/a~1b~0', '/in/id', '/in/more']);
    expect(compileSchema({ properties: { a: {} }, unevaluatedProperties: false })?.misfit({ b: 1 })).toBe('/b');
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
