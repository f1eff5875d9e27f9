import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, compileCall, countLeaves, leavesOf, leavesOfText, paramsOf, reviewable, utf8Length } from '../../../src/main/canonical/index.ts';
import type { TargetId } from '../../../src/shared/vocabulary/ids.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import type { CompiledRequest } from '../../../src/shared/vocabulary/request.ts';
import { jsonObject, jsonValue, text } from '../../support/json/arbitrary.ts';

const target = 'prod-db' as TargetId;
const compiled = (params: JsonObject, method = 'tools/call'): CompiledRequest => {
  const result = compileCall({ target, method, params });
  if (!result.ok) throw new Error(result.at);
  return result.value;
};

describe('a compiled request', () => {
  it('is the canonical text of method, params and target, with the SHA-256 of it', () => {
    const request = compiled({ name: 'query', arguments: { sql: 'DROP TABLE ö', '10': 1, '9': 2 } });
    expect(request).toEqual({
      target,
      method: 'tools/call',
      subject: 'query',
      text: '{"method":"tools/call","params":{"arguments":{"10":1,"9":2,"sql":"DROP TABLE ö"},"name":"query"},"target":"prod-db"}',
      paramsText: '{"arguments":{"10":1,"9":2,"sql":"DROP TABLE ö"},"name":"query"}',
      hash: createHash('sha256').update(request.text).digest('hex'),
    });
    expect(paramsOf(request)).toEqual({ name: 'query', arguments: { sql: 'DROP TABLE ö', '10': 1, '9': 2 } });
  });

  it('is the same whatever the client put into _meta, except the resource digest', () => {
    const params = { name: 'x', arguments: {} };
    const plain = compiled(params);
    expect(compiled({ ...params, _meta: {} })).toEqual(plain);
    expect(compiled({ ...params, _meta: { progressToken: 7, inputResponses: { id: 'p' }, traceparent: '00' } })).toEqual(plain);
    const digest = 'f'.repeat(64);
    const bound = compiled({ ...params, _meta: { progressToken: 7, 'toolplane.resourceDigest': digest } });
    expect(bound.paramsText).toBe(`{"_meta":{"toolplane.resourceDigest":"${digest}"},"arguments":{},"name":"x"}`);
    expect(bound.hash).not.toBe(plain.hash);
    expect(compiled({ ...params, _meta: { 'toolplane.resourceDigest': 7 } }).paramsText).toContain('"toolplane.resourceDigest":7');
  });

  it('has a text equal to the canonical text of the whole, and the params as an exact part of it', () => {
    fc.assert(fc.property(jsonObject(), text(), (params, name) => {
      const call = { ...params, name };
      const result = compileCall({ target, method: 'tools/call', params: call });
      if (!result.ok) {
        const unusable = name === '' || name.includes('\u0000');
        expect(unusable ? ['params.name'] : ['params._meta', 'params.arguments']).toContain(result.at);
        return;
      }
      const whole = JSON.parse(result.value.text) as JsonObject;
      expect(result.value.text).toBe(canonicalText(whole));
      expect(whole['params']).toEqual(paramsOf(result.value));
      expect(result.value.text.includes(`"params":${result.value.paramsText},"target"`)).toBe(true);
    }));
  });

  it('names what is read by its URI, and knows no name where the method has none', () => {
    expect(compiled({ uri: 'file:///etc/passwd' }, 'resources/read').subject).toBe('file:///etc/passwd');
    expect(compiled({}, 'tools/list').subject).toBeNull();
  });

  it.each([
    ['a tool call without a name', 'tools/call', { arguments: {} }, 'params.name'],
    ['a name that is no text', 'prompts/get', { name: 7 }, 'params.name'],
    ['a NUL in the name', 'tools/call', { name: 'read\u0000_file' }, 'params.name'],
    ['a NUL in the URI', 'resources/read', { uri: 'file:///a\u0000b' }, 'params.uri'],
    ['an empty name', 'tools/call', { name: '' }, 'params.name'],
    ['a resource without a URI', 'resources/read', {}, 'params.uri'],
    ['a URI that is no text', 'resources/read', { uri: ['file:///a'] }, 'params.uri'],
    ['an empty URI', 'resources/subscribe', { uri: '' }, 'params.uri'],
    ['arguments that are a list', 'tools/call', { name: 'x', arguments: [] }, 'params.arguments'],
    ['arguments that are a text', 'tools/call', { name: 'x', arguments: '{}' }, 'params.arguments'],
    ['arguments that are a number', 'tools/call', { name: 'x', arguments: 7 }, 'params.arguments'],
    ['arguments that are null', 'tools/call', { name: 'x', arguments: null }, 'params.arguments'],
    ['arguments of a prompt that are no object', 'prompts/get', { name: 'x', arguments: ['a'] }, 'params.arguments'],
    ['an argument of a prompt that is no text', 'prompts/get', { name: 'x', arguments: { a: '1', 'b c': 2 } }, 'params.arguments["b c"]'],
    ['a _meta that is no object', 'tools/call', { name: 'x', _meta: null }, 'params._meta'],
    ['a lone surrogate', 'tools/call', { name: 'x', arguments: { list: ['\ud800'] } }, 'params.arguments.list[0]'],
    ['a number JSON has no text for', 'tools/call', { name: 'x', arguments: { n: Infinity } }, 'params.arguments.n'],
  ])('is not made from %s', (_what, method, params, at) => {
    expect(compileCall({ target, method, params })).toEqual({ ok: false, code: 'invalid-params', at });
  });
});

describe('leaves', () => {
  it('come in the order of the canonical text, empty containers included', () => {
    expect(leavesOf({ b: [1, {}, []], '9': null, '10': 'x', a: { c: true } })).toEqual([
      { path: ['10'], type: 'string', value: 'x' },
      { path: ['9'], type: 'null', value: null },
      { path: ['a', 'c'], type: 'boolean', value: true },
      { path: ['b', 0], type: 'number', value: 1 },
      { path: ['b', 1], type: 'object', value: {} },
      { path: ['b', 2], type: 'array', value: [] },
    ]);
  });

  it('are enough to build the value again, in the order in which they stand in the text, and are counted right', () => {
    fc.assert(fc.property(jsonValue(), (value) => {
      const canonical = canonicalText(value);
      const leaves = leavesOfText(canonical);
      expect(countLeaves(value)).toBe(leaves.length);
      let from = 0;
      for (const leaf of leaves) {
        const found = canonical.indexOf(canonicalText(leaf.value), from);
        expect(found).toBeGreaterThanOrEqual(from);
        from = found;
      }
      expect(rebuilt(leaves)).toEqual(value);
    }));
  });

  it('are not counted further than asked', () => {
    expect(countLeaves(Array.from({ length: 1000 }, () => 1), 10)).toBe(11);
  });
});

describe('a request a human can review', () => {
  const withLeaves = (count: number) => compiled({ name: 'x', arguments: { list: Array.from({ length: count }, () => 1) } });
  it('has at most 5,000 leaves, target, method and name among them', () => {
    expect(reviewable(withLeaves(4_997))).toBe(true);
    expect(reviewable(withLeaves(4_998))).toBe(false);
  });

  it('has at most 1 MiB of canonical text, counted in UTF-8 bytes', () => {
    const frame = utf8Length(compiled({ name: 'x', arguments: { a: '' } }).text);
    expect(reviewable(compiled({ name: 'x', arguments: { a: 'a'.repeat(1_048_576 - frame) } }))).toBe(true);
    expect(reviewable(compiled({ name: 'x', arguments: { a: 'a'.repeat(1_048_577 - frame) } }))).toBe(false);
    expect(reviewable(compiled({ name: 'x', arguments: { a: 'ö'.repeat(524_288) } }))).toBe(false);
  });

  it('is measured as UTF-8 would be', () => {
    fc.assert(fc.property(text(), (value) => {
      expect(utf8Length(value)).toBe(Buffer.byteLength(value));
    }));
  });
});

function rebuilt(leaves: readonly { readonly path: readonly (string | number)[]; readonly value: JsonValue }[]): JsonValue {
  const holder: Record<string, unknown> = {};
  for (const { path, value } of leaves) {
    let at = holder as Record<string | number, unknown>;
    let key: string | number = 'root';
    for (const segment of path) {
      at[key] ??= typeof segment === 'number' ? [] : {};
      at = at[key] as Record<string | number, unknown>;
      key = segment;
      if (typeof key === 'string' && !Object.hasOwn(at, key)) Object.defineProperty(at, key, { value: undefined, writable: true, enumerable: true, configurable: true });
    }
    at[key] = value;
  }
  return holder['root'] as JsonValue;
}
