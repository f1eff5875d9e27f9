import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/main/canonical/index.ts';
import { compileHttpRequest, readHttpRequest } from '../../../src/main/registry/http-request.ts';
import type { JsonObject } from '../../../src/shared/vocabulary/json.ts';
import { admitted, aRegistry } from '../../support/registry.ts';
import type { ResourceParts } from '../../support/registry.ts';

const revisionOf = (parts: ResourceParts) => admitted(aRegistry().registry, parts);
const compile = (parts: ResourceParts, args: JsonObject, base?: string) => compileHttpRequest(revisionOf(parts), args, base);
function made(parts: ResourceParts, args: JsonObject, base?: string) {
  const request = compile(parts, args, base);
  if (!request.ok) throw new Error(`${request.code} ${request.at ?? ''}`);
  return request.value;
}
const any = { a: {}, b: {}, c: {} };

describe('the compiled request', () => {
  it('is hashed as the RFC 8785 text of body, headers, method and url, and reads back from it', () => {
    const request = made({}, { status: 'Active' });
    expect(request.text).toBe('{"body":null,"headers":{"accept":"application/json"},"method":"GET","url":"http://localhost:8081/api/resource/Employee?status=Active"}');
    expect(request.hash).toBe(sha256Hex(request.text));
    expect(readHttpRequest(request.text)).toEqual(request);
  });

  it('names the header of a credential and holds nothing of it', () => {
    const { headers } = made({ spec: { security: { authType: 'api-key', credentialRef: 'ERP_TOKEN', credentialSource: 'env' } } }, {});
    expect(headers).toEqual({ accept: 'application/json', authorization: null });
  });

  it('puts arguments into path, query, header and body, under the names of the mapping', () => {
    const request = made({
      properties: { id: {}, dry: {}, trace: {}, note: {} },
      execution: { method: 'PUT', endpoint: '/api/resource/Leave%20Application/{name}?v=1', mapping: { id: 'name', trace: 'X-Trace', dry: 'dry_run' }, parameterLocations: { dry: 'query', trace: 'header' } },
    }, { id: 'HR/1 ?#', dry: true, trace: 'abc', note: { deep: [1] } });
    expect(request).toMatchObject({
      url: 'http://localhost:8081/api/resource/Leave%20Application/HR%2F1%20%3F%23?v=1&dry_run=true',
      headers: { 'x-trace': 'abc', 'content-type': 'application/json' },
      body: { note: { deep: [1] } },
    });
  });

  it('writes lists and objects of a query as JSON text, as ERPNext takes them, and leaves null out', () => {
    const { url } = made({ properties: { filters: {}, fields: {} } }, { filters: [['status', '=', 'Active']], fields: null });
    expect(new URL(url).searchParams.get('filters')).toBe('[["status","=","Active"]]');
    expect(new URL(url).searchParams.has('fields')).toBe(false);
  });

  it('takes one argument as the whole body where the revision says so', () => {
    expect(made({ properties: { doc: {} }, execution: { method: 'POST', bodyArgument: 'doc' } }, { doc: [1, { a: 2 }] }).body).toEqual([1, { a: 2 }]);
  });

  it('is the same for the same arguments in another order', () => {
    fc.assert(fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue().filter((value) => !JSON.stringify(value).includes('\\ud'))), fc.constantFrom('GET', 'POST'), (args, method) => {
      const turned = Object.fromEntries(Object.entries(args).reverse()) as JsonObject;
      const [one, other] = [compile({ properties: any, execution: { method } }, args as JsonObject), compile({ properties: any, execution: { method } }, turned)];
      expect(one).toEqual(other);
    }), { numRuns: 50 });
  });

  it('never leaves its origin and its path, whatever stands in the path', () => {
    const revision = revisionOf({ properties: { a: { type: 'string' } }, execution: { method: 'DELETE', endpoint: '/api/resource/Employee/{a}' } });
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '.', '', '%2e%2e', '../..', '..\\..', '/', '//evil.example', '?x', '#x', '@evil.example', '\u2025', '..;')), (a) => {
      const request = compileHttpRequest(revision, { a }, 'https://erp.example/base');
      if (!request.ok) return request.code === 'arguments-misfit';
      const url = new URL(request.value.url);
      return url.origin === 'https://erp.example' && url.pathname === `/base/api/resource/Employee/${encodeURIComponent(a)}` && url.pathname !== '/base/api/resource/Employee/' && url.search === '' && url.hash === '';
    }), { numRuns: 1_000 });
  });
});

describe('arguments are refused', () => {
  const path = { properties: { a: {} }, execution: { endpoint: '/x/{a}' } };
  const header = { properties: { a: {} }, execution: { parameterLocations: { a: 'header' }, mapping: { a: 'X-A' } } };
  const cases: readonly (readonly [string, ResourceParts, JsonObject, string])[] = [
    ['of a wrong type', {}, { status: 7 }, 'arguments.status'],
    ['deep inside', { properties: { a: { type: 'array', items: { type: 'integer' } } } }, { a: [1, 'x'] }, 'arguments.a["1"]'],
    ['that are missing', { spec: { inputSchema: { type: 'object', properties: { a: {} }, required: ['a'] } } }, {}, 'arguments.a'],
    ['that the schema does not name', {}, { other: 1 }, 'arguments.other'],
    ['against a pattern', { properties: { a: { type: 'string', pattern: '^[a-z]+$' } } }, { a: 'A' }, 'arguments.a'],
    ['that would climb', path, { a: '..' }, 'arguments.a'],
    ['that would name the whole collection', path, { a: '' }, 'arguments.a'],
    ['that leave a placeholder empty', path, {}, 'arguments.a'],
    ['that are no segment', path, { a: { b: 1 } }, 'arguments.a'],
    ['with line breaks in a header', header, { a: 'x\r\nX-Evil: 1' }, 'arguments.a'],
    ['of nothing in a header', header, { a: null }, 'arguments.a'],
    ['that are no Unicode', {}, { status: '\ud800' }, 'arguments.status'],
  ];
  it.each(cases)('%s', (_, parts, args, at) => expect(compile(parts, args)).toEqual({ ok: false, code: 'arguments-misfit', at }));
});
