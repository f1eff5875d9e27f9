/** How this machine's own address can be written, as a URL parser gives it back. */
const OURSELVES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]', '[::ffff:7f00:1]', '[::ffff:0:0]']);

/** Whether a URL points at a listener of this machine on `port`: our own, which must not be mounted as a target of itself. */
export function isOwnEndpoint(url: string, port: number): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  const host = parsed.hostname.replace(/\.$/, '');
  const named = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port);
  return named === port && (OURSELVES.has(host) || host.endsWith('.localhost'));
}
