import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveUrl, normaliseOrigin, plainUrl } from '../../../src/main/registry/origin.ts';

describe('an origin', () => {
  it.each([
    ['https://h:443', 'https://h'], ['HTTPS://API.Example.com', 'https://api.example.com'], ['http://h:80/', 'http://h'], ['http://h:8081', 'http://h:8081'],
    ['http://0x7f.1', 'http://127.0.0.1'], ['https://ⓐpi.example.com', 'https://api.example.com'], ['http://[::1]:80', 'http://[::1]'],
  ])('%s is written %s', (text, origin) => expect(normaliseOrigin(text)).toBe(origin));

  it.each(['h', '//h', 'ftp://h', 'https://h/path', 'https://u@h', 'https://@h', 'https://u:p@h', 'https://h?x', 'https://h#', 'https://h?', 'null', '', 'https:h', 'https:///h', 'https://h\\', ' https://h', 'https://h\n'])('%j is none', (text) => {
    expect(normaliseOrigin(text)).toBeUndefined();
  });
});

describe('the effective address', () => {
  it('of a relative endpoint is behind ERP_BASE_URL, or behind the local default', () => {
    expect(effectiveUrl('/api/x', undefined)?.href).toBe('http://localhost:8081/api/x');
    expect(effectiveUrl('/api/x', 'https://erp.example/base/')?.href).toBe('https://erp.example/base/api/x');
  });

  it('of a loopback endpoint is at the origin of ERP_BASE_URL, its path kept', () => {
    for (const local of ['http://localhost:9/api/x?a=1', 'http://127.0.0.1:9/api/x?a=1', 'http://[::1]:9/api/x?a=1', 'http://2130706433:9/api/x?a=1']) {
      expect(effectiveUrl(local, 'https://erp.example:8443/base')?.href).toBe('https://erp.example:8443/api/x?a=1');
    }
    expect(effectiveUrl('http://localhost:9/api/x', undefined)?.origin).toBe('http://localhost:9');
  });

  it('of another absolute endpoint is its own', () => {
    expect(effectiveUrl('https://other.example/x', 'https://erp.example')?.origin).toBe('https://other.example');
  });

  const BASE = 'https://api.example.com/v1/';
  const TAB = String.fromCharCode(9);
  it.each([
    'https://api.example.com@evil.com/', '//evil.com/x', '/\\evil.com/x', '\\\\evil.com\\x', 'https:\\\\evil.com', 'https:///evil.com', 'https://evil.com\\@api.example.com',
    'https://api.example.com.evil.com', `https://api.example.com${TAB}.evil.com/`, 'https://api.example.com%2eevil.com/', 'https:evil.com', 'https://evil.com?@api.example.com',
    '/../../x', '/%2e%2e/x', '/./x', '/a b', '/a#b', 'javascript:alert(1)', 'file:///etc/passwd', 'blob:https://api.example.com/x', 'data:text/plain,x', '', '@evil.com', '.evil.com', ':8443/x', '?x', `/x${TAB}y`,
  ])('of %j never is at an origin that was not written', (endpoint) => {
    const url = effectiveUrl(endpoint, BASE);
    expect(url === undefined || url.origin !== 'https://api.example.com').toBe(true);
    expect(url === undefined || ['https://api.example.com.evil.com', 'https://evil.com'].includes(url.origin)).toBe(true);
  });

  it('of any path that is taken stays at the base, path and all', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
      const url = effectiveUrl(`/${text}`, BASE);
      return url === undefined || (url.origin === 'https://api.example.com' && url.pathname.startsWith('/v1/') && url.username === '');
    }), { numRuns: 2_000 });
  });

  it('of any text is plain when there is one', () => {
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true }), fc.constantFrom('\\', '@', '\t', ' ', '\n'), (base, odd) => {
      const text = base.replace('://', `://${odd}`);
      return plainUrl(text) === undefined;
    }));
  });
});
