import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contradicted, headerText, mirroredHeaders, mirrorsOf, textInHeader } from '../../../src/main/canonical/index.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const text = (name: JsonValue): JsonObject => ({ type: 'string', 'x-mcp-header': name });

describe('which arguments a schema wants said again', () => {
  it('are those at the end of a chain of properties, at any depth', () => {
    expect(mirrorsOf(object({ region: text('Region'), where: object({ zone: { type: 'integer', 'x-mcp-header': 'Zone' } }), plain: { type: 'number' } }))).toEqual([
      { header: 'Mcp-Param-Region', path: ['region'], type: 'string' },
      { header: 'Mcp-Param-Zone', path: ['where', 'zone'], type: 'integer' },
    ]);
  });
  it('are none without an annotation, or without a schema', () => {
    expect(mirrorsOf(object({ a: { type: 'string' } }))).toEqual([]);
    expect(mirrorsOf(undefined)).toEqual([]);
  });
  it.each<[string, JsonObject]>([
    ['an empty name', object({ a: text('') })],
    ['a name that is no field name', object({ a: text('My Region') })],
    ['a name with a line break', object({ a: text('A\r\nX') })],
    ['a name that is no text', object({ a: text(1) })],
    ['two names that differ in case alone', object({ a: text('Region'), b: text('REGION') })],
    ['a number', object({ a: { type: 'number', 'x-mcp-header': 'A' } })],
    ['an object', object({ a: { type: 'object', 'x-mcp-header': 'A' } })],
    ['no type', object({ a: { 'x-mcp-header': 'A' } })],
    ['the schema itself', { ...object({}), 'x-mcp-header': 'A' }],
    ['items of a list', object({ a: { type: 'array', items: text('A') } })],
    ['one branch of several', object({}, { oneOf: [object({ a: text('A') })] })],
    ['a condition', object({}, { if: object({ a: text('A') }) })],
    ['a definition elsewhere', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: text('A') } })],
    ['properties by pattern', object({}, { patternProperties: { '^a': text('A') } })],
  ])('cannot be told from a schema that annotates %s', (_, schema) => {
    expect(mirrorsOf(schema)).toBeUndefined();
  });
});

describe('what a header says again', () => {
  const mirrors = mirrorsOf(object({ s: text('S'), i: { type: 'integer', 'x-mcp-header': 'I' }, b: { type: 'boolean', 'x-mcp-header': 'B' }, in: object({ s: text('In') }) }))!;

  it('is the argument as text, and nothing of one that is absent, null or of another kind', () => {
    expect(mirroredHeaders(mirrors, { s: 'us-west1', i: -7, b: false, in: { s: 'deep' } })).toEqual({ 'Mcp-Param-S': 'us-west1', 'Mcp-Param-I': '-7', 'Mcp-Param-B': 'false', 'Mcp-Param-In': 'deep' });
    expect(mirroredHeaders(mirrors, { s: null, i: 2 ** 60, b: [true], in: 'none' })).toEqual({});
    expect(mirroredHeaders(mirrors, undefined)).toEqual({});
  });
  it.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['a b', 'a b'],
  ])('%j goes as %s', (plain, header) => {
    expect(headerText(plain)).toBe(header);
  });
  it.each(['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?=', 'h\u00e9', 'a\u0000b', ' a'])('%j says nothing', (header) => {
    expect(textInHeader(header)).toBeUndefined();
  });
  it.each(['=?base64?SGVsbG8=', 'SGVsbG8=?=', '=?BASE64?SGVsbG8=?='])('%j without its whole wrapper is what it is', (header) => {
    expect(textInHeader(header)).toBe(header);
  });
  it('comes out as it went in, whatever the text, and stands in a header', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (plain) => {
        const header = headerText(plain);
        expect(textInHeader(header)).toBe(plain);
        expect(header).toMatch(/^[\x20-\x7e\t]*$/);
        expect(header.trim()).toBe(header);
      }),
    );
  });

  const sent = (headers: Record<string, string>) => (name: string) => headers[name];
  it.each<[string, Record<string, string>, JsonValue, string | undefined]>([
    ['the same text', { 'mcp-param-s': 'x' }, { s: 'x' }, undefined],
    ['the same text, encoded', { 'mcp-param-s': '=?base64?eA==?=' }, { s: 'x' }, undefined],
    ['the same number in other digits', { 'mcp-param-i': '42.0' }, { i: 42 }, undefined],
    ['a header for nothing', { 'mcp-param-s': 'x' }, {}, undefined],
    ['a header for null', { 'mcp-param-s': 'x' }, { s: null }, undefined],
    ['no header', {}, { s: 'x' }, 'Mcp-Param-S'],
    ['another text', { 'mcp-param-s': 'X' }, { s: 'x' }, 'Mcp-Param-S'],
    ['another number', { 'mcp-param-i': '43' }, { i: 42 }, 'Mcp-Param-I'],
    ['another number in words', { 'mcp-param-i': '0x2a' }, { i: 42 }, 'Mcp-Param-I'],
    ['what cannot be decoded', { 'mcp-param-in': '=?base64?eA=?=' }, { in: { s: 'x' } }, 'Mcp-Param-In'],
  ])('%s is judged', (_, headers, given, at) => {
    expect(contradicted(mirrors, given, sent(headers))).toBe(at);
  });
});
