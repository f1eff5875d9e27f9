import { describe, expect, it } from 'vitest';
import { fabricOrigin, PRODUCTION, SANDBOX } from '../../../src/main/fabric/index.ts';

describe('where Fabric is', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{}, PRODUCTION],
    [{ EQUINIX_SANDBOX: 'true' }, SANDBOX],
    [{ EQUINIX_SANDBOX: 'yes' }, SANDBOX],
    [{ EQUINIX_SANDBOX: 'TRUE' }, SANDBOX],
    [{ EQUINIX_SANDBOX: '1' }, SANDBOX],
    [{ EQUINIX_SANDBOX: 'False' }, PRODUCTION],
    [{ EQUINIX_SANDBOX: 'sandbox' }, undefined],
    [{ EQUINIX_API_ENDPOINT: '', EQUINIX_SANDBOX: 'true' }, SANDBOX],
    [{ EQUINIX_API_ENDPOINT: 'http://127.0.0.1:9000', EQUINIX_SANDBOX: 'true' }, 'http://127.0.0.1:9000'],
    [{ EQUINIX_API_ENDPOINT: 'http://[::1]:9000/' }, 'http://[::1]:9000'],
    [{ EQUINIX_API_ENDPOINT: 'https://API.example.org' }, 'https://api.example.org'],
    [{ EQUINIX_API_ENDPOINT: 'http://api.example.org' }, undefined],
    [{ EQUINIX_API_ENDPOINT: 'http://127.0.0.1.example.org' }, undefined],
    [{ EQUINIX_API_ENDPOINT: 'https://me:pass@api.example.org' }, undefined],
    [{ EQUINIX_API_ENDPOINT: 'https://api.example.org/v4' }, undefined],
    [{ EQUINIX_API_ENDPOINT: 'api.example.org' }, undefined],
    [{ EQUINIX_API_ENDPOINT: 'file:///etc' }, undefined],
  ])('by %o is %s', (env, origin) => {
    expect(fabricOrigin(env)).toBe(origin);
  });
});
