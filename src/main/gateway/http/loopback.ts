/** Whether a `Host` header names this gateway: a loopback name and our port, written out unless it is 80 (contract, section 3). */
export function isOurHost(host: string, port: number): boolean {
  const name = host.toLowerCase();
  return LOOPBACK_NAMES.some((loopback) => name === `${loopback}:${port}` || (port === 80 && name === loopback));
}

/**
 * Whether an `Origin` header is one of a page served from this machine. It must be an origin exactly as browsers write it, so `null`, extension
 * schemes, paths, user names and look-alikes such as `http://localhost.evil.example` are not.
 */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return url.origin === origin && LOOPBACK_NAMES.includes(url.hostname);
}

const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
