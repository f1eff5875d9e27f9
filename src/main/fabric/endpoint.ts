/** Where Fabric is: production, or the sandbox. */
export const PRODUCTION = 'https://api.equinix.com';
export const SANDBOX = 'https://sandboxapi.equinix.com';

const YES: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on']);
const NO: ReadonlySet<string> = new Set(['', 'false', '0', 'no', 'off']);

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/;

/**
 * The origin all requests go to (contract, section 5): `EQUINIX_API_ENDPOINT` when it is set, else the sandbox when `EQUINIX_SANDBOX` is a yes, else
 * production. Undefined when the endpoint is no origin (it takes https, or http on this machine, and neither a path nor a login), and when it cannot
 * be told whether the sandbox was meant: what is tried in production is billed. Decided once; no answer can change it.
 */
export function fabricOrigin(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const endpoint = env['EQUINIX_API_ENDPOINT'] ?? '';
  if (endpoint === '') {
    const sandbox = (env['EQUINIX_SANDBOX'] ?? '').trim().toLowerCase();
    return YES.has(sandbox) ? SANDBOX : NO.has(sandbox) ? PRODUCTION : undefined;
  }
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, hostname, username, password, pathname, search, hash, origin } = new URL(endpoint);
  if (username !== '' || password !== '' || pathname !== '/' || search !== '' || hash !== '') return undefined;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)) ? origin : undefined;
}
