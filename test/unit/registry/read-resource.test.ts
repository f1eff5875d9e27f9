import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, sha256Hex } from '../../../src/main/canonical/index.ts';
import { digestOf, readResource } from '../../../src/main/registry/index.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/vocabulary/json.ts';
import { aResource } from '../../support/registry.ts';
import type { ResourceParts } from '../../support/registry.ts';

const digest = (parts: ResourceParts | JsonObject, erpBaseUrl?: string): string => {
  const read = readResource('kind' in parts ? parts : aResource(parts), erpBaseUrl);
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return digestOf(read.resource);
};
const faults = (value: JsonValue): readonly string[] => {
  const read = readResource(value, undefined);
  return read.ok ? [] : read.faults.map(({ at }) => at);
};

/** A resource with every field written in its normal form. */
const whole: JsonObject = {
  apiVersion: 'erpbridge.io/v1',
  kind: 'Tool',
  metadata: { name: 'list_employees', version: '1.2.0', module: 'hr', description: 'List employees' },
  spec: {
    inputSchema: { type: 'object', properties: { status: { type: 'string' } } },
    outputSchema: { type: 'array' },
    annotations: { readOnlyHint: true },
    execution: { type: 'http', method: 'GET', endpoint: '/api/resource/Employee', approvedOrigins: ['http://localhost:8081'], parameterLocations: { status: 'query' }, mapping: { status: 'status' }, bodyArgument: null, responsePath: 'data' },
    security: { authType: 'api-key', authHeader: 'Authorization', credentialRef: 'ERP_TOKEN', credentialSource: 'env', dataClass: 'internal', allowedRoles: ['hr'] },
    cache: { enabled: false, ttlSeconds: 0, flushOn: [] },
    rateLimit: { requestsPerSecond: 5, burst: 10 },
    concurrency: { limit: 4, perPrincipal: 2 },
    routing: { priority: 0, signals: [], antiSignals: [] },
    lifecycle: { status: 'active' },
  },
};

describe('the digest', () => {
  it('of a resource in normal form is the SHA-256 of its RFC 8785 text', () => {
    expect(digest(whole)).toBe(sha256Hex(canonicalText(whole)));
  });

  it('leaves out the states and what the server writes', () => {
    const written = { status: { phase: 'x' }, isServing: true, isActive: true, resourceDigest: 'f', admission: { actor: 'me' } };
    expect(digest({ metadata: written })).toBe(digest({}));
  });

  it('is the same for defaults left out and written out', () => {
    const base = { spec: { cache: { enabled: false, ttlSeconds: 0, flushOn: [] }, annotations: {}, rateLimit: null, routing: { priority: 0 }, lifecycle: {}, security: { dataClass: 'internal' } } };
    expect(digest(base)).toBe(digest({}));
  });

  it('is the same however origins and roles are spelt', () => {
    const a = digest({ execution: { approvedOrigins: ['https://h:443', 'https://A.example', 'https://h/'] }, spec: { security: { allowedRoles: ['hr', 'admin'] } } });
    const b = digest({ execution: { approvedOrigins: ['https://a.example', 'https://h'] }, spec: { security: { allowedRoles: ['admin', 'hr'] } } });
    expect(a).toBe(b);
  });

  it('binds the origin of ERP_BASE_URL when none is named', () => {
    expect(digest({}, 'https://erp.example')).toBe(digest({ execution: { approvedOrigins: ['https://erp.example'] } }));
    expect(digest({})).toBe(digest({ execution: { approvedOrigins: ['http://localhost:8081'] } }));
    expect(digest({}, 'https://erp.example')).not.toBe(digest({}));
  });

  const changes: readonly (readonly [string, ResourceParts])[] = [
    ['description', { metadata: { description: 'Other' } }], ['module', { metadata: { module: 'x' } }],
    ['method', { execution: { method: 'DELETE' } }], ['endpoint', { execution: { endpoint: '/other' } }], ['responsePath', { execution: { responsePath: 'data' } }],
    ['origins', { execution: { approvedOrigins: ['https://other'] } }], ['mapping', { execution: { mapping: { status: 'state' } } }],
    ['cache', { spec: { cache: { enabled: true } } }], ['rate', { spec: { rateLimit: { requestsPerSecond: 1, burst: 1 } } }], ['roles', { spec: { security: { allowedRoles: ['hr'] } } }],
    ['annotations', { spec: { annotations: { readOnlyHint: true } } }], ['output', { spec: { outputSchema: { type: 'object' } } }], ['lifecycle', { spec: { lifecycle: { status: 'deprecated' } } }],
  ];
  it.each(changes)('changes with: %s', (_, change) => expect(digest(change)).not.toBe(digest({})));

  it('does not depend on the order members were written in', () => {
    const turned = (value: JsonValue): JsonValue =>
      Array.isArray(value) ? (value as readonly JsonValue[]).map(turned) : typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value as JsonObject).reverse().map(([key, inner]) => [key, turned(inner)])) : value;
    expect(digest(turned(whole) as JsonObject)).toBe(digest(whole));
  });
});

describe('a resource is refused', () => {
  const bad: readonly (readonly [string, ResourceParts, string])[] = [
    ['an unknown field', { spec: { rateLimits: {} } }, 'spec.rateLimits'],
    ['an unknown field deep down', { execution: { retries: 3 } }, 'spec.execution.retries'],
    ['no semantic version', { version: '1.0' }, 'metadata.version'],
    ['a reserved mark in the name', { name: 'a.rev_b' }, 'metadata.name'],
    ['a name of another tool', { name: 'files__read' }, 'metadata.name'],
    ['a name of the broker', { name: 'fabric_confirm_change' }, 'metadata.name'],
    ['a name with a method', { name: 'get-employees' }, 'metadata.name'],
    ['an exact name too long for MCP', { name: 'n'.repeat(64), version: `1.0.0-${'a'.repeat(50)}` }, 'metadata.version'],
    ...['/x?api_key=abc', '/x?a=1&sig=abc', '/x?pwd=abc', '/x?Authorization=abc', '/x?a=token%20abc', '/x?a=Bearer+abc'].map((endpoint) => ['a secret in the endpoint', { execution: { endpoint } }, 'spec.execution.endpoint'] as const),
    ['a user name in the endpoint', { execution: { endpoint: 'https://u:p@h/x' } }, 'spec.execution.endpoint'],
    ['an endpoint that climbs', { execution: { endpoint: '/api/../x' } }, 'spec.execution.endpoint'],
    ['an endpoint of another scheme', { execution: { endpoint: 'file:///etc/passwd' } }, 'spec.execution.endpoint'],
    ['a placeholder in the host', { execution: { endpoint: 'https://{status}.example/x' } }, 'spec.execution.endpoint'],
    ['a placeholder in the query', { execution: { endpoint: '/x?a={status}' } }, 'spec.execution.endpoint'],
    ['a placeholder nothing fills', { execution: { endpoint: '/x/{name}' } }, 'spec.execution.endpoint'],
    ['an origin with a path', { execution: { approvedOrigins: ['https://h/x'] } }, 'spec.execution.approvedOrigins[0]'],
    ['no origin at all', { execution: { approvedOrigins: [] } }, 'spec.execution.approvedOrigins'],
    ['a mapping of no argument', { execution: { mapping: { other: 'x' } } }, 'spec.execution.mapping.other'],
    ['a header nobody may set', { execution: { parameterLocations: { status: 'header' }, mapping: { status: 'Host' } } }, 'spec.execution.parameterLocations.status'],
    ['a body in a GET', { execution: { bodyArgument: 'status' } }, 'spec.execution.bodyArgument'],
    ['a secret as the credential', { spec: { security: { authType: 'api-key', credentialRef: 'token abc:def', credentialSource: 'env' } } }, 'spec.security.credentialRef'],
    ['a credential that leaves its folder', { spec: { security: { authType: 'api-key', credentialRef: '../x', credentialSource: 'file' } } }, 'spec.security.credentialRef'],
    ['half a credential', { spec: { security: { authType: 'bearer' } } }, 'spec.security'],
    ['roles out of shape', { spec: { security: { allowedRoles: ['HR Team'] } } }, 'spec.security.allowedRoles[0]'],
    ['a role twice', { spec: { security: { allowedRoles: ['hr', 'hr'] } } }, 'spec.security.allowedRoles'],
    ['personal data for everybody', { spec: { security: { dataClass: 'pii' } } }, 'spec.security.allowedRoles'],
    ['an input called role beside roles', { properties: { role: { type: 'string' } }, spec: { security: { allowedRoles: ['hr'] } } }, 'spec.inputSchema.properties.role'],
    ['no limit but nothing', { spec: { rateLimit: { requestsPerSecond: 0, burst: 1 } } }, 'spec.rateLimit.requestsPerSecond'],
    ['a schema that is none', { properties: { status: { type: 'strange' } } }, 'spec.inputSchema'],
    ['a schema elsewhere', { properties: { status: { $ref: 'https://evil.example/schema' } } }, 'spec.inputSchema'],
    ['a pattern that can take forever', { properties: { status: { type: 'string', pattern: '(a)\\1' } } }, 'spec.inputSchema'],
    ['a cached write', { execution: { method: 'POST' }, spec: { cache: { enabled: true } } }, 'spec.cache.enabled'],
  ];
  it.each(bad)('for %s', (_, parts, at) => expect(faults(aResource(parts))).toContain(at));

  it.each(['/x?author=me', '/x?author_id=1', '/x?keyword=a', '/x?design=a', '/token/x'])('but not for an endpoint that only sounds like a secret: %s', (endpoint) => {
    expect(readResource(aResource({ execution: { endpoint } }), undefined).ok).toBe(true);
  });

  it.each([null, [], 'x', 7, {}, { kind: 'Tool' }] as JsonValue[])('when it is no resource: %j', (value) => expect(faults(value).length).toBeGreaterThan(0));

  it.each<[JsonValue, string, string]>([
    [null, '$', 'must be an object'],
    [{}, 'spec', 'is missing'],
    [aResource({ metadata: { description: '' } }), 'metadata.description', 'must not be empty'],
    [aResource({ metadata: { description: 7 } }), 'metadata.description', 'must be text'],
    [aResource({ metadata: { description: 'x'.repeat(4_001) } }), 'metadata.description', 'is too long: 4000 characters at most'],
    [aResource({ metadata: { isServing: 'yes' } }), 'metadata.isServing', 'must be true or false'],
    [aResource({ metadata: { isserving: true } }), 'metadata.isserving', 'is no field of a tool resource'],
    [aResource({ execution: { type: 'grpc' } }), 'spec.execution.type', 'must be http'],
    [aResource({ execution: { method: 'FETCH' } }), 'spec.execution.method', 'must be one of GET, POST, PUT, PATCH, DELETE'],
    [aResource({ execution: { approvedOrigins: [] } }), 'spec.execution.approvedOrigins', 'must not be empty'],
    [aResource({ execution: { approvedOrigins: Array.from({ length: 33 }, () => 'https://e.com') } }), 'spec.execution.approvedOrigins', 'must be at most 32 elements'],
    [aResource({ execution: { mapping: { '9': 'x' } } }), 'spec.execution.mapping["9"]', 'is no name of an argument'],
    [aResource({ spec: { rateLimit: { requestsPerSecond: 0, burst: 1.5 } } }), 'spec.rateLimit.requestsPerSecond', 'must be more than 0'],
    [aResource({ spec: { rateLimit: { requestsPerSecond: 1, burst: 1.5 } } }), 'spec.rateLimit.burst', 'must be a whole number'],
    [aResource({ spec: { rateLimit: { requestsPerSecond: 1, burst: 2_000_000 } } }), 'spec.rateLimit.burst', 'must be at most 1000000'],
    [aResource({ spec: { cache: { enabled: true, ttlSeconds: -1 } } }), 'spec.cache.ttlSeconds', 'must be at least 0'],
    [aResource({ spec: { routing: { signals: 'x' } } }), 'spec.routing.signals', 'must be a list'],
  ])('in a sentence of our own: %#', (value, at, says) => {
    const read = readResource(value, undefined);
    expect(read.ok ? [] : read.faults).toContainEqual({ at, says });
  });

  it('in sentences that hold nothing of what was sent', () => {
    fc.assert(fc.property(fc.json(), (text) => {
      const read = readResource(aResource({ execution: { endpoint: `/x?key=SECRET${text}` }, spec: { security: { credentialRef: `SECRET ${text}` } } }), undefined);
      expect(JSON.stringify(read)).not.toContain('SECRET');
    }));
  });
});
