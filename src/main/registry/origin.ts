/** Where a relative endpoint leads when no ERP_BASE_URL is set (document 002, effective origin binding). */
export const DEFAULT_ERP_BASE_URL = 'http://localhost:8081';

/** Raw control characters, blanks and backslashes: the URL parser drops or turns them, so what is read would not be what is sent. */
const FOLDED = /[\u0000-\u0020\u007f-\u009f\u00a0\u2028\u2029\\]/;
const ABSOLUTE = /^https?:\/\/[^/?#]/i;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/**
 * The URL of a text that says plainly where it leads: absolute http or https, `//` written out, no user name or password, nothing the parser drops or
 * turns into something else. undefined for everything else. Judged by what the parser made of it, never by the text.
 */
export function plainUrl(text: string): URL | undefined {
  if (FOLDED.test(text) || !ABSOLUTE.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const rest = text.slice(text.indexOf('//') + 2);
  const authority = rest.slice(0, authorityEnd(rest));
  return ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '' && !authority.includes('@') ? url : undefined;
}

const authorityEnd = (rest: string): number => {
  const end = rest.search(/[/?#]/);
  return end < 0 ? rest.length : end;
};

/** `scheme://host[:port]` of an origin as written: lower case, the host as the parser reads it, the scheme's own port left out. undefined unless it is an origin and nothing more. */
export function normaliseOrigin(text: string): string | undefined {
  const url = plainUrl(text);
  return url === undefined || url.pathname !== '/' || text.includes('?') || text.includes('#') ? undefined : url.origin;
}

/** Whether a host name, as the URL parser writes it, is this machine. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname);

/** Whether ERP_BASE_URL can be one: a plain http or https URL without query and fragment. */
export const isBaseUrl = (text: string): boolean => plainUrl(text) !== undefined && !/[?#]/.test(text);

/**
 * The final address of an endpoint by the three rules: ERP_BASE_URL goes before a relative one, takes the place of the origin of a loopback absolute
 * one, and is `http://localhost:8081` for a relative one when it is not set. undefined when that is no plain URL, or when the parser would lead the
 * path elsewhere (`/../`, `//host`). The endpoint may hold no placeholder any more.
 */
export function effectiveUrl(endpoint: string, erpBaseUrl: string | undefined): URL | undefined {
  if (endpoint.startsWith('/')) return endpoint.startsWith('//') ? undefined : faithful(`${withoutSlash(erpBaseUrl ?? DEFAULT_ERP_BASE_URL)}${endpoint}`);
  const own = faithful(endpoint);
  if (own === undefined || erpBaseUrl === undefined || !isLoopbackHost(own.hostname)) return own;
  const base = plainUrl(erpBaseUrl);
  return base === undefined ? undefined : faithful(`${base.origin}${own.pathname}${own.search}`);
}

const withoutSlash = (base: string): string => (base.endsWith('/') ? base.slice(0, -1) : base);

/** The URL of a text whose path the parser leaves as it was written; a fragment is never sent and therefore not taken. */
function faithful(text: string): URL | undefined {
  const url = plainUrl(text);
  if (url === undefined || text.includes('#')) return undefined;
  const rest = text.slice(text.indexOf('//') + 2);
  const path = rest.slice(authorityEnd(rest)).replace(/\?.*$/s, '');
  return (path === '' ? '/' : path) === url.pathname ? url : undefined;
}
