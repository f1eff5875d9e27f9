import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, wireParams, withProgressToken } from '../../../src/main/canonical/index.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { jsonObject, text } from '../../support/json/arbitrary.ts';

const token = (): fc.Arbitrary<string | number> => fc.oneof(text(), fc.maxSafeInteger());
const withMeta = (): fc.Arbitrary<JsonObject> => fc.oneof(
  jsonObject().map((params): JsonObject => Object.fromEntries(Object.entries(params).filter(([name]) => name !== '_meta'))),
  fc.tuple(jsonObject(), jsonObject()).map(([params, meta]): JsonObject => ({ ...params, _meta: meta })),
);

describe('params on the wire', () => {
  it('are the canonical text of what the client sent, _meta included', () => {
    expect(wireParams({ name: 'x', _meta: { traceparent: '00' } })).toBe('{"_meta":{"traceparent":"00"},"name":"x"}');
    expect(wireParams({ name: 'x', _meta: {} })).toBe('{"_meta":{},"name":"x"}');
  });

  it('never hold the client\'s progress token or the proof of an in-band resume', () => {
    expect(wireParams({ name: 'x', _meta: { progressToken: 1, inputResponses: { result: { value: '482910' } } } })).toBe('{"name":"x"}');
    expect(wireParams({ name: 'x', _meta: { progressToken: 1, a: 2 } })).toBe('{"_meta":{"a":2},"name":"x"}');
    expect(wireParams({ name: 'x', arguments: { progressToken: 1 } })).toContain('progressToken');
  });
});

describe('a progress token', () => {
  it.each([
    ['{}', '{"_meta":{"progressToken":7}}'],
    ['{"name":"x"}', '{"_meta":{"progressToken":7},"name":"x"}'],
    ['{"10":1,"9":2,"Z":3}', '{"10":1,"9":2,"Z":3,"_meta":{"progressToken":7}}'],
    ['{"9":"},{\\"","name":"x"}', '{"9":"},{\\"","_meta":{"progressToken":7},"name":"x"}'],
    ['{"_meta":{}}', '{"_meta":{"progressToken":7}}'],
    ['{"_meta":{"a":[{}],"z":1},"name":"x"}', '{"_meta":{"a":[{}],"progressToken":7,"z":1},"name":"x"}'],
    ['{"_meta":{"progressToken":"old"}}', '{"_meta":{"progressToken":7}}'],
    ['{"arguments":{"_meta":{"a":1}}}', '{"_meta":{"progressToken":7},"arguments":{"_meta":{"a":1}}}'],
  ])('is spliced into %s', (before, after) => {
    expect(withProgressToken(before, 7)).toBe(after);
  });

  it('changes nothing else, and leaves a canonical text', () => {
    fc.assert(fc.property(withMeta(), token(), (params, value) => {
      const before = canonicalText(params);
      const after = withProgressToken(before, value);
      const meta = (params['_meta'] ?? {}) as JsonObject;
      expect(after).toBe(canonicalText({ ...params, _meta: { ...meta, progressToken: value } }));
    }), { numRuns: 1_000 });
  });

  it('is refused for a text that is no canonical object', () => {
    for (const wrong of ['', '[]', '{"a":', '{"a"', '{"a":1', '{"_meta":1}']) expect(() => withProgressToken(wrong, 1), wrong).toThrow();
  });
});
