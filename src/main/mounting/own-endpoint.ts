import type { TargetSpec } from './target-spec.ts';

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

/** Our paths an MCP client can call. */
const MCP_PATH = /^\/(mcp|v1\/mcp-gateway\/.+)\/?$/;
/** Programs that make a remote server out to be a command. */
const BRIDGES = /^(mcp-remote|mcp-proxy|supergateway)(@.*)?$/;
/** Our command line by its name, as it is installed and called. */
const OUR_NAME = /(^|[\\/])countersign(\.(exe|cmd))?$/i;
/** The same by its file, as `setup` writes it; others may have one of that name, so what follows it counts too. */
const OUR_FILE = /[\\/](cli[\\/]main\.ts|bin[\\/]cli\.mjs)$/;

/**
 * The place in an entry at which it leads back to ourselves, if it does: its URL (`url`), a bridge to our URL among its words (`args[1]`), or our own
 * `countersign stdio`, which `setup` writes for clients that only start commands (`command`). Mounted, we would be our own target, without end.
 */
export function leadsToUs(reach: TargetSpec['reach'], port: number): string | undefined {
  if (reach.transport !== 'stdio') return isOwnEndpoint(reach.url, port) ? 'url' : undefined;
  const words = [reach.command, ...reach.args];
  const verb = reach.args.indexOf('stdio');
  const before = words.slice(0, verb + 1).filter((word) => !word.startsWith('-')).at(-1) ?? '';
  if (verb >= 0 && (OUR_NAME.test(before) || (OUR_FILE.test(before) && reach.args[verb + 1] === '--data-dir'))) return 'command';
  if (!words.some((word) => BRIDGES.test(word.slice(word.lastIndexOf('/') + 1)))) return undefined;
  const at = reach.args.findIndex((word) => isOwnEndpoint(word, port) && MCP_PATH.test(new URL(word).pathname));
  return at < 0 ? undefined : `args[${at}]`;
}
